"""Catching up with the outbox: what is refused holds up nothing, what is away is tried again later."""

import pytest

from automem.background.indexing import BATCH, LONGEST_RETRY_SECONDS, IndexTask
from automem.domain.ids import new_id
from automem.domain.memory import IndexWork, Memory
from automem.errors import EmbeddingRefused, EmbeddingUnavailable, VectorsRefused, VectorsUnavailable
from automem.stores.graph.outbox import ClaimedWork

TIME = "2024-01-01T00:00:00+00:00"


def work(content, attempts=0):
    stored = Memory(new_id(), content, "Memory", 0.3, 0.5, (), {}, TIME, TIME, TIME)
    return ClaimedWork(IndexWork(stored, 7), attempts)


class Outbox:
    def __init__(self, claimed=(), removals=()):
        self._claimed, self._removals = list(claimed), list(removals)
        self.postponed = {}

    def removals(self, limit):
        return self._removals[:limit]

    def claim(self, limit, _lease_seconds):
        return self._claimed[:limit]

    def postpone(self, failed, reason):
        self.postponed.update({memory_id: (wait, reason) for memory_id, _, wait in failed})


class Indexer:
    """Fails with `error` as soon as one of the texts is `bad`."""

    def __init__(self, error=None, bad="bad"):
        self._error, self._bad = error, bad
        self.indexed, self.by_words, self.removed = [], [], []

    def index(self, items):
        if self._error is not None and any(item.memory.content == self._bad for item in items):
            raise self._error
        self.indexed += [item.memory.content for item in items]

    def index_words(self, items):
        self.by_words += [item.memory.content for item in items]

    def remove(self, memory_ids):
        self.removed += memory_ids


def test_what_waits_is_indexed_in_one_go_and_what_was_deleted_is_removed():
    outbox, indexer = Outbox([work("a"), work("b")], ["gone"]), Indexer()
    assert IndexTask(outbox, indexer).run_once() is False
    assert (indexer.indexed, indexer.removed) == (["a", "b"], ["gone"])


@pytest.mark.parametrize(
    ("entries", "removals", "more"),
    [(0, 0, False), (BATCH - 1, BATCH - 1, False), (BATCH, 0, True), (0, BATCH, True), (BATCH + 9, 0, True)],
)
def test_a_full_batch_says_that_there_may_be_more(entries, removals, more):
    outbox = Outbox([work(str(n)) for n in range(entries)], [str(n) for n in range(removals)])
    assert IndexTask(outbox, Indexer()).run_once() is more


def test_a_text_that_is_refused_holds_up_no_other_and_stays_findable_by_words():
    claimed = [work("a"), work("bad"), work("b")]
    outbox, indexer = Outbox(claimed), Indexer(EmbeddingRefused("too long"))
    IndexTask(outbox, indexer).run_once()
    assert indexer.indexed == ["a", "b"]
    assert indexer.by_words == ["bad"]
    assert outbox.postponed == {claimed[1].work.memory.id: (2.0, "too long")}


def test_an_entry_that_the_index_refuses_is_put_back():
    claimed = [work("bad")]
    outbox, indexer = Outbox(claimed), Indexer(VectorsRefused("no"))
    IndexTask(outbox, indexer).run_once()
    assert outbox.postponed == {claimed[0].work.memory.id: (2.0, "no")}
    assert indexer.by_words == []


@pytest.mark.parametrize("error", [EmbeddingUnavailable("away"), VectorsUnavailable("away")])
def test_while_a_store_or_provider_is_away_everything_is_put_back_and_the_worker_told(error):
    claimed = [work("a"), work("bad")]
    outbox = Outbox(claimed)
    with pytest.raises(type(error)):
        IndexTask(outbox, Indexer(error)).run_once()
    assert outbox.postponed == {item.work.memory.id: (2.0, "away") for item in claimed}


@pytest.mark.parametrize(
    ("attempts", "wait"), [(0, 2.0), (1, 4.0), (5, 64.0), (9, LONGEST_RETRY_SECONDS), (10_000, LONGEST_RETRY_SECONDS)]
)
def test_the_more_often_it_failed_the_later_it_is_tried_again(attempts, wait):
    claimed = [work("bad", attempts)]
    outbox = Outbox(claimed)
    IndexTask(outbox, Indexer(EmbeddingRefused("no"))).run_once()
    assert outbox.postponed[claimed[0].work.memory.id][0] == wait
