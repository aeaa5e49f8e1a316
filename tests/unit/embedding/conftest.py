from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from openai_stand_in import StandIn, openai_stand_in

from automem.embedding.export import exported_model
from automem.embedding.onnx import OnnxEmbedder
from automem.embedding.sentence_transformer import SentenceTransformerEmbedder
from automem.embedding.sources import DEFAULT_MODEL

# Kept between runs: an export takes as long as all other tests of this directory.
MODELS_DIR = Path(__file__).parents[3] / ".cache" / "models"


@pytest.fixture(scope="session")
def exported() -> Path:
    return exported_model(DEFAULT_MODEL, MODELS_DIR, print)


@pytest.fixture(scope="session")
def onnx_embedder(exported: Path) -> OnnxEmbedder:
    return OnnxEmbedder(exported)


@pytest.fixture(scope="session")
def torch_embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(DEFAULT_MODEL)


@pytest.fixture
def provider() -> Iterator[StandIn]:
    with openai_stand_in() as stand_in:
        yield stand_in
