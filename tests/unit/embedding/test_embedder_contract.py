from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from openai_stand_in import DIMENSION, StandIn

from automem.embedding.base import Embedder
from automem.embedding.cache import QueryCache
from automem.embedding.hashing import HashingEmbedder
from automem.embedding.openai import OpenAIEmbedder, OpenAIOptions

TEXTS = [
    "rotate the database credentials",
    "数据库迁移计划",
    "Миграция базы данных",
    "🚀",
    "   \n\t ",
    "ERR-4521 foo_bar.baz()",
    "lone surrogate \ud83d here",
    "nul \x00 inside",
    "a long memory about deployments and certificates " * 60,
]


@pytest.fixture(params=["hashing", "onnx", "torch", "openai", "cached"])
def embedder(request: pytest.FixtureRequest, provider: StandIn) -> Iterator[Embedder]:
    match request.param:
        case "hashing":
            yield HashingEmbedder()
        case "cached":
            yield QueryCache(HashingEmbedder())
        case "openai":
            options = OpenAIOptions(base_url=provider.base_url, model="stand-in", dimension=DIMENSION, batch_size=4)
            remote = OpenAIEmbedder(options)
            yield remote
            remote.close()
        case name:
            yield request.getfixturevalue(f"{name}_embedder")


def test_rows_are_finite_float32_of_length_one(embedder: Embedder):
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_give_no_rows(embedder: Embedder):
    vectors = embedder.embed([])
    assert vectors.shape == (0, embedder.dimension)
    assert vectors.dtype == np.float32


def test_rows_stand_in_the_order_of_the_texts_whatever_their_lengths(embedder: Embedder):
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5


def test_a_query_has_the_vector_of_the_same_stored_text(embedder: Embedder):
    query = embedder.embed_query(TEXTS[0])
    assert query.shape == (embedder.dimension,)
    assert query.dtype == np.float32
    assert np.abs(query - embedder.embed([TEXTS[0]])[0]).max() < 1e-5


def test_related_texts_are_nearer_than_unrelated_ones(embedder: Embedder):
    question, related, unrelated = embedder.embed(
        ["where is the database password", "the database password is in the vault", "Alice likes green tea"]
    )
    assert question @ related > question @ unrelated


def test_several_threads_get_the_right_vectors(embedder: Embedder):
    texts = [f"memory number {number} " * (number % 7 + 1) for number in range(24)]
    expected = embedder.embed(texts)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(embedder.embed_query, texts))
    assert np.abs(np.stack(found) - expected).max() < 1e-5


def test_a_short_text_is_its_own_only_chunk(embedder: Embedder):
    for text in ("", "ok", " spaces around ", "数据库", "lone \ud83d"):
        assert embedder.chunks(text) == [text]


def test_a_long_text_is_cut_from_its_first_to_its_last_character(embedder: Embedder):
    text = "".join(f"Sentence number {number} is about deployments. " for number in range(600))
    chunks = embedder.chunks(text)
    assert len(chunks) > 1
    assert text.startswith(chunks[0])
    assert text.endswith(chunks[-1])
    assert all(f"number {number} is" in " ".join(chunks) for number in range(600))


def test_an_embedder_tells_its_model_and_where_it_runs(embedder: Embedder):
    assert embedder.model
    assert embedder.local is not (embedder.model == "stand-in")
