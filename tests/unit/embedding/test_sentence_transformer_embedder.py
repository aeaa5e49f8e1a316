from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from automem.embedding.onnx import OnnxEmbedder
from automem.embedding.sentence_transformer import SentenceTransformerEmbedder
from automem.errors import ConfigurationError, EmbeddingUnavailable


def test_torch_and_onnx_tell_the_same_model_and_can_serve_one_index(
    torch_embedder: SentenceTransformerEmbedder, onnx_embedder: OnnxEmbedder
):
    assert torch_embedder.model == onnx_embedder.model
    assert torch_embedder.dimension == onnx_embedder.dimension
    text = "The certificate of the staging host had expired. " * 60
    assert torch_embedder.chunks(text) == onnx_embedder.chunks(text)


def test_torch_keeps_to_its_threads(torch_embedder: SentenceTransformerEmbedder):
    import torch  # noqa: PLC0415 -- only after the embedder has set it up.

    assert torch.get_num_threads() == 1


def test_a_model_that_cannot_be_loaded_names_the_setting(tmp_path: Path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="EMBEDDING_MODEL"):
        SentenceTransformerEmbedder(str(tmp_path))


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(ConfigurationError, match="'nonsense'"):
        SentenceTransformerEmbedder("all-MiniLM-L6-v2", device="nonsense")


def test_a_device_that_fails_is_unavailable(
    torch_embedder: SentenceTransformerEmbedder, monkeypatch: pytest.MonkeyPatch
):
    class Failing:
        def encode_query(self, *_, **__):
            raise RuntimeError("out of memory")

    monkeypatch.setattr(torch_embedder, "_transformer", Failing())
    with pytest.raises(EmbeddingUnavailable, match="out of memory"):
        torch_embedder.embed_query("tea")


def test_prompts_of_the_model_stand_before_texts(torch_embedder: SentenceTransformerEmbedder):
    transformer = torch_embedder._transformer
    plain = torch_embedder.embed_query("query: tea")
    transformer.prompts["query"] = "query: "
    try:
        assert np.abs(torch_embedder.embed_query("tea") - plain).max() < 1e-5
    finally:
        transformer.prompts["query"] = ""
