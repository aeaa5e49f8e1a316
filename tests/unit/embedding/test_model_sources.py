from __future__ import annotations

from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from automem.embedding import sources
from automem.embedding.sources import DEFAULT_MODEL, ModelSource, model_source
from automem.errors import ConfigurationError


def test_both_spellings_of_the_default_mean_the_packaged_weights():
    short, full = model_source(DEFAULT_MODEL), model_source(f"sentence-transformers/{DEFAULT_MODEL}")
    assert short == full
    assert short.name == DEFAULT_MODEL
    assert short.on_disk
    short.verify()


def test_the_default_comes_from_the_hub_where_its_package_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sources, "find_spec", lambda name: PathFinder.find_spec(name, []))
    source = model_source(DEFAULT_MODEL)
    assert source == ModelSource(name=DEFAULT_MODEL, location=f"sentence-transformers/{DEFAULT_MODEL}")
    assert not source.on_disk


def test_another_name_is_a_hub_name():
    source = model_source("intfloat/e5-small-v2")
    assert source.location == "intfloat/e5-small-v2"
    assert source.directory_name().startswith("e5-small-v2-")


@pytest.mark.parametrize("model", ["./missing", "/missing/model", "~/missing/model"])
def test_a_path_to_nothing_names_the_setting(model: str):
    with pytest.raises(ConfigurationError, match="EMBEDDING_MODEL"):
        model_source(model)


def test_a_directory_without_a_model_names_the_setting(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"EMBEDDING_MODEL.*holds no model"):
        model_source(str(tmp_path))


def test_changed_files_of_a_directory_are_another_export(tmp_path: Path):
    (tmp_path / "config.json").write_text("{}")
    before = model_source(str(tmp_path)).directory_name()
    assert model_source(str(tmp_path)).directory_name() == before
    (tmp_path / "config.json").write_text('{"changed": true}')
    assert model_source(str(tmp_path)).directory_name() != before


def test_names_become_plain_directory_names():
    for name in ("..", "/", "модель", "A B/C d", "x" * 10):
        assert set(ModelSource(name=name, location="l").directory_name()) <= set(
            "abcdefghijklmnopqrstuvwxyz0123456789.-"
        )
        assert not ModelSource(name=name, location="l").directory_name().startswith(".")


def test_missing_weights_are_not_the_published_ones(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="sha256 None"):
        ModelSource(name=DEFAULT_MODEL, location=str(tmp_path), sha256="53aa").verify()
