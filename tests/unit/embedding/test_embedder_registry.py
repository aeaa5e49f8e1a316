from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from openai_stand_in import DIMENSION, Answer, StandIn

from automem.embedding.registry import EmbeddingOptions, build_embedder
from automem.embedding.sources import DEFAULT_MODEL
from automem.errors import ConfigurationError, EmbeddingRefused, EmbeddingUnavailable


def options(provider: str, model: str = DEFAULT_MODEL, **changes: object) -> EmbeddingOptions:
    return EmbeddingOptions(**{"provider": provider, "model": model, "models_dir": Path("models"), **changes})


def test_every_provider_stands_behind_the_query_cache(exported: Path):
    for built in (
        build_embedder(options("hashing"), print),
        build_embedder(options("local", models_dir=exported.parent), print),
    ):
        assert built.embed_query("tea") is built.embed_query("tea")


def test_both_local_backends_are_built(exported: Path):
    onnx = build_embedder(options("local", models_dir=exported.parent), print)
    torch = build_embedder(options("local", backend="torch"), print)
    assert onnx.model == torch.model == DEFAULT_MODEL
    assert onnx.embed_query("tea") @ torch.embed_query("tea") > 0.999
    assert onnx.local
    assert torch.local


def test_a_local_model_of_another_size_than_configured_is_refused(exported: Path):
    assert build_embedder(options("local", models_dir=exported.parent, dimension=384), print).dimension == 384
    with pytest.raises(ConfigurationError, match="VECTOR_SIZE is 768"):
        build_embedder(options("local", models_dir=exported.parent, dimension=768), print)


def test_a_configured_size_is_not_probed(provider: StandIn):
    built = build_embedder(options("openai", "stand-in", base_url=provider.base_url, dimension=DIMENSION), print)
    assert provider.requests == []
    assert not built.local
    assert np.linalg.norm(built.embed_query("tea")) == pytest.approx(1.0)


def test_an_unknown_size_is_probed(provider: StandIn):
    built = build_embedder(options("openai", "stand-in", base_url=provider.base_url), print)
    assert len(provider.requests) == 1
    assert built.dimension == DIMENSION
    assert built.model == "stand-in"


def test_a_provider_that_cannot_be_probed_is_unavailable_or_refuses(provider: StandIn):
    facts = {"base_url": provider.base_url, "max_retries": 0}
    provider.script = [Answer(503)]
    with pytest.raises(EmbeddingUnavailable):
        build_embedder(options("openai", "stand-in", **facts), print)
    provider.script = [Answer(401)]
    with pytest.raises(EmbeddingRefused, match="OPENAI_API_KEY"):
        build_embedder(options("openai", "stand-in", **facts), print)


def test_the_hashing_provider_takes_a_size():
    assert build_embedder(options("hashing", dimension=32), print).dimension == 32
    assert build_embedder(options("hashing"), print).dimension == 64


def test_options_do_not_show_the_key():
    assert "sk-secret" not in repr(options("openai", api_key="sk-secret"))
