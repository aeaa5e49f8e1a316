from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from automem.embedding.base import Vectors
from automem.embedding.cache import QueryCache
from automem.embedding.hashing import HashingEmbedder
from automem.errors import EmbeddingUnavailable


class CountingEmbedder(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.queries: list[str] = []
        self.fails = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fails:
            raise EmbeddingUnavailable("down")
        return super().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        self.queries.append(text)
        return super().embed_query(text)


def test_the_same_query_is_embedded_once():
    inner = CountingEmbedder()
    cache = QueryCache(inner)
    first = cache.embed_query("green tea")
    second = cache.embed_query("green tea")
    assert inner.queries == ["green tea"]
    assert second is first
    assert (first == HashingEmbedder().embed_query("green tea")).all()


def test_the_longest_unused_query_leaves_first():
    inner = CountingEmbedder()
    cache = QueryCache(inner, entries=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cache.embed_query(text)
    assert inner.queries == ["a", "b", "c", "b"]


def test_the_cache_never_holds_more_than_its_entries():
    cache = QueryCache(HashingEmbedder(), entries=16)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(cache.embed_query, (f"query {number % 50}" for number in range(400))))
    assert len(cache._vectors) == 16


def test_a_cache_of_no_entries_embeds_every_time():
    inner = CountingEmbedder()
    cache = QueryCache(inner, entries=0)
    cache.embed_query("tea")
    cache.embed_query("tea")
    assert len(inner.queries) == 2


def test_an_error_is_not_remembered():
    inner = CountingEmbedder()
    cache = QueryCache(inner)
    inner.fails = True
    with pytest.raises(EmbeddingUnavailable):
        cache.embed_query("tea")
    inner.fails = False
    assert cache.embed_query("tea").shape == (64,)


def test_a_cached_vector_cannot_be_changed():
    vector = QueryCache(HashingEmbedder()).embed_query("tea")
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


def test_one_slow_query_does_not_hold_up_a_known_one():
    entered, release = threading.Event(), threading.Event()

    class SlowEmbedder(HashingEmbedder):
        def embed_query(self, text: str) -> Vectors:
            if text == "slow":
                entered.set()
                release.wait(20)
            return super().embed_query(text)

    cache = QueryCache(SlowEmbedder())
    known = cache.embed_query("known")
    with ThreadPoolExecutor(2) as threads:
        slow = [threads.submit(cache.embed_query, "slow") for _ in range(2)]
        assert entered.wait(20)
        assert cache.embed_query("known") is known
        release.set()
        first, second = (future.result() for future in slow)
    assert np.array_equal(first, second)


def test_stored_texts_pass_by_the_cache():
    inner = CountingEmbedder()
    QueryCache(inner).embed(["tea"])
    assert inner.queries == []
