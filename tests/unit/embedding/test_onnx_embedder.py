from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from automem.embedding.export_process import CHECK_TEXTS
from automem.embedding.manifest import MODEL_FILE, TOKENIZER_FILE, ExportManifest
from automem.embedding.onnx import OnnxEmbedder
from automem.embedding.sentence_transformer import SentenceTransformerEmbedder
from automem.errors import ConfigurationError, EmbeddingUnavailable


def variant(exported: Path, directory: Path, **changes: object) -> Path:
    """Make an export with the same model and another manifest."""
    (directory / "onnx").mkdir(parents=True)
    for name in (MODEL_FILE, TOKENIZER_FILE):
        os.link(exported / name, directory / name)
    dataclasses.replace(ExportManifest.read(exported), **changes).write(directory)
    return directory


def test_vectors_agree_with_torch(onnx_embedder: OnnxEmbedder, torch_embedder: SentenceTransformerEmbedder):
    texts = [*CHECK_TEXTS, "Ünïcödé", "x" * 300, "short"]
    cosines = (onnx_embedder.embed(texts) * torch_embedder.embed(texts)).sum(axis=1)
    assert cosines.min() >= 0.999


def test_a_short_text_has_the_same_vector_beside_a_long_one(onnx_embedder: OnnxEmbedder):
    alone = onnx_embedder.embed(["ok"])[0]
    beside = onnx_embedder.embed(["ok", CHECK_TEXTS[-1]])[0]
    assert np.abs(alone - beside).max() < 1e-5


def test_the_packaged_padding_to_a_fixed_length_is_off(onnx_embedder: OnnxEmbedder):
    assert len(onnx_embedder._tokenizer.encode("ok").ids) == 3


def test_the_model_reads_its_own_256_tokens_and_not_the_128_of_the_packaged_tokenizer(onnx_embedder: OnnxEmbedder):
    start = "certificate " * 200
    read, cut_off = onnx_embedder.embed([start + "green tea " * 20, start + "word " * 60 + "green tea " * 20])
    without = onnx_embedder.embed([start])[0]
    assert read @ without < 0.99
    assert len(onnx_embedder._tokenizer.encode(CHECK_TEXTS[-1]).ids) == 256
    assert cut_off @ onnx_embedder.embed([start + "word " * 60 + "red wine " * 20])[0] > 0.99999


def test_runs_hold_few_tokens_and_every_text_once(exported: Path):
    lengths = [256] * 20 + [8] * 70 + [100] * 30
    runs = list(OnnxEmbedder(exported, batch_size=32)._runs(lengths))
    assert sorted(number for run in runs for number in run) == list(range(len(lengths)))
    assert max(len(run) for run in runs) == 32
    assert max(len(run) * max(lengths[number] for number in run) for run in runs) <= 2048


def test_a_text_longer_than_a_run_runs_alone(exported: Path):
    assert list(OnnxEmbedder(exported)._runs([5000, 5000])) == [[0], [1]]


def test_cls_pooling_takes_the_first_token(exported: Path, onnx_embedder: OnnxEmbedder, tmp_path: Path):
    first_token = OnnxEmbedder(variant(exported, tmp_path / "cls", pooling="cls"))
    tokens = first_token._session.run(
        None,
        {
            "input_ids": np.array([first_token._tokenizer.encode("ok").ids]),
            "attention_mask": np.ones((1, 3), dtype=np.int64),
            "token_type_ids": np.zeros((1, 3), dtype=np.int64),
        },
    )[0]
    expected = tokens[0, 0] / np.linalg.norm(tokens[0, 0])
    assert np.abs(first_token.embed(["ok", "another longer text"])[0] - expected).max() < 1e-5
    assert np.abs(onnx_embedder.embed(["ok"])[0] - expected).max() > 1e-3


def test_prompts_stand_before_texts_and_leave_room_in_chunks(
    exported: Path, onnx_embedder: OnnxEmbedder, tmp_path: Path
):
    prompted = OnnxEmbedder(
        variant(exported, tmp_path / "prompted", query_prompt="query: ", document_prompt="passage: ")
    )
    assert np.abs(prompted.embed_query("tea") - onnx_embedder.embed_query("query: tea")).max() < 1e-5
    assert np.abs(prompted.embed(["tea"]) - onnx_embedder.embed(["passage: tea"])).max() < 1e-5
    for chunk in prompted.chunks("green tea in the garden " * 300):
        assert len(prompted._chunker.spans_of("passage: " + chunk)) + 2 <= 256


def test_chunks_are_read_whole(onnx_embedder: OnnxEmbedder):
    for text in (CHECK_TEXTS[-1], "数据库连接" * 300, "x-y_z." * 500, "한국어 텍스트 " * 200):
        chunks = onnx_embedder.chunks(text)
        assert len(chunks) > 1
        assert max(len(onnx_embedder._chunker.spans_of(chunk)) for chunk in chunks) <= 254


def test_a_model_that_fails_is_unavailable(exported: Path, tmp_path: Path):
    reads_too_much = OnnxEmbedder(variant(exported, tmp_path / "long", max_tokens=1024))
    with pytest.raises(EmbeddingUnavailable, match="the embedding model failed"):
        reads_too_much.embed(["word " * 800])


def test_a_damaged_model_file_is_refused_with_the_way_out(exported: Path, tmp_path: Path):
    directory = variant(exported, tmp_path / "damaged")
    (directory / MODEL_FILE).unlink()
    (directory / MODEL_FILE).write_bytes(b"no model")
    with pytest.raises(ConfigurationError, match="damaged; delete its directory"):
        OnnxEmbedder(directory)
    sizes = {MODEL_FILE: len(b"no model")}
    dataclasses.replace(ExportManifest.read(exported), file_bytes=sizes).write(directory)
    with pytest.raises(ConfigurationError, match="EMBEDDING_BACKEND=torch"):
        OnnxEmbedder(directory)


def test_a_directory_without_a_manifest_is_refused(exported: Path, tmp_path: Path):
    shutil.copy(exported / TOKENIZER_FILE, tmp_path)
    with pytest.raises(ConfigurationError, match="no whole exported model"):
        OnnxEmbedder(tmp_path)


SERVE = """
import sys
from pathlib import Path
from automem.embedding.export import exported_model
from automem.embedding.onnx import OnnxEmbedder
embedder = OnnxEmbedder(exported_model("all-MiniLM-L6-v2", Path(sys.argv[1]), print))
embedder.embed_query("ready")
heavy = {"torch", "transformers", "sentence_transformers", "optimum"} & set(sys.modules)
assert not heavy, heavy
"""


def test_serving_loads_no_torch_and_leaves_no_trace_of_telemetry(exported: Path, tmp_path: Path):
    started = time.monotonic()
    # With its reporting on, onnxruntime keeps a device number under the home directory; CI variables turn it off.
    environment = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", SERVE, str(exported.parent)], env=environment, check=True)
    assert time.monotonic() - started < 10
    assert list(tmp_path.iterdir()) == []
