"""The indexer: entries first, then the outbox, so that a crash in between repeats work and loses none."""

import numpy as np
import pytest

from automem.domain.ids import new_id
from automem.domain.memory import IndexWork, Memory, Removal
from automem.embedding.hashing import HashingEmbedder
from automem.errors import EmbeddingUnavailable, VectorsUnavailable
from automem.services.indexing import Indexer, entry

TIME = "2024-01-01T00:00:00+00:00"


def work(content="text", **fields):
    return IndexWork(Memory(new_id(), content, "Memory", 0.3, 0.5, (), {}, TIME, TIME, TIME, **fields), 7)


class Stores:
    """Stands for index and outbox, and notes what happens in which order."""

    def __init__(self, gone=(), error=None):
        self.happened, self.entries, self._gone, self._error = [], {}, list(gone), error

    def put(self, entries):
        if self._error is not None:
            raise self._error
        self.happened.append("put")
        self.entries.update({item.memory_id: item for item in entries})

    def delete(self, memory_ids):
        if self._error is not None:
            raise self._error
        self.happened.append(("delete", list(memory_ids)))

    def acknowledge(self, done):
        self.happened.append(("acknowledge", list(done)))
        return [memory_id for memory_id, _ in done if memory_id in self._gone]

    def release(self, items):
        self.happened.append(("release", list(items)))

    def forget_removals(self, memory_ids):
        self.happened.append(("forget", list(memory_ids)))

    def by_turn(self, _turn_keys):
        return []

    def given_vectors(self, _memory_ids):
        return {}

    def mark_turns(self, turn_keys):
        assert not turn_keys


class Embedder(HashingEmbedder):
    """Counts the calls; cuts a text at each bar."""

    def __init__(self, error=None):
        super().__init__(16)
        self.calls, self._error = [], error

    def chunks(self, text):
        return text.split("|")

    def embed(self, texts):
        self.calls.append(list(texts))
        if self._error is not None:
            raise self._error
        return super().embed(texts)


def indexer(stores, embedder=None):
    return Indexer(stores, embedder or Embedder(), stores, stores)


def test_entries_are_written_before_the_outbox_is_settled():
    stores, items = Stores(), [work("a"), work("b")]
    indexer(stores).index(items)
    assert stores.happened == ["put", ("acknowledge", [(item.memory.id, 7) for item in items])]


def test_texts_of_a_batch_are_embedded_in_one_call_and_each_gets_its_own_chunks():
    stores, embedder, items = Stores(), Embedder(), [work("a|b"), work("c"), work("d|e|f")]
    indexer(stores, embedder).index(items)
    assert embedder.calls == [["a", "b", "c", "d", "e", "f"]]
    for item, pieces in zip(items, (["a", "b"], ["c"], ["d", "e", "f"]), strict=True):
        assert np.allclose(stores.entries[item.memory.id].dense, HashingEmbedder(16).embed(pieces))


def test_a_vector_that_the_client_gave_is_used_as_it_is():
    stores, embedder, items = Stores(), Embedder(), [work("a"), work("b")]
    given = np.ones(16, dtype=np.float32)
    indexer(stores, embedder).index(items, {items[0].memory.id: given})
    assert embedder.calls == [["b"]]
    assert np.array_equal(stores.entries[items[0].memory.id].dense, [given])
    embedder.calls.clear()
    indexer(stores, embedder).index(items[:1], {items[0].memory.id: given})
    assert embedder.calls == []


def test_a_memory_deleted_meanwhile_leaves_no_entry():
    items = [work("a"), work("b")]
    stores = Stores(gone=[items[1].memory.id])
    indexer(stores).index(items)
    assert stores.happened[-1] == ("delete", [items[1].memory.id])


def test_nothing_is_settled_when_the_text_cannot_be_embedded_or_the_entry_written():
    stores = Stores()
    with pytest.raises(EmbeddingUnavailable):
        indexer(stores, Embedder(EmbeddingUnavailable("away"))).index([work()])
    assert stores.happened == []
    stores = Stores(error=VectorsUnavailable())
    with pytest.raises(VectorsUnavailable):
        indexer(stores).index([work()])
    assert stores.happened == []
    with pytest.raises(VectorsUnavailable):
        indexer(stores).remove([Removal("x", None)])
    assert stores.happened == []


def test_words_alone_settle_nothing():
    stores, items = Stores(), [work("a")]
    indexer(stores).index_words(items)
    assert stores.happened == ["put"]
    assert stores.entries[items[0].memory.id].dense is None


def test_removals_are_settled_after_the_entries_are_gone():
    stores = Stores()
    indexer(stores).remove([Removal("x", None), Removal("y", None)])
    assert stores.happened == [("delete", ["x", "y"]), ("forget", ["x", "y"])]
    indexer(stores).remove([])
    assert len(stores.happened) == 2


def test_an_entry_holds_what_searches_need():
    item = work("the text", archived=True).memory
    made = entry(item, None, {})
    assert made.memory_id == item.id
    assert made.words.splitlines() == ["the text"]
    assert (made.tags, made.tag_prefixes, made.archived, made.timestamp) == ((), (), True, TIME)
