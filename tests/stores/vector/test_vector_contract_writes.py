"""What every vector store must keep, replace and remove, whichever engine is below it."""

import numpy as np
import pytest
from vector_cases import DIMENSION, EdgeEngine, all_ids, axis, by_meaning, by_words, entry, memory_id, near, rows

from automem.errors import ConfigurationError, IncompatibleIndex, VectorsUnavailable
from automem.stores.vector.base import MAX_POINTS_PER_WRITE


def test_an_empty_store_answers_everything(store):
    store.prepare()
    store.ping()
    store.put([])
    store.delete([])
    store.delete([memory_id(1)])
    assert (store.count(), store.count_unembedded(), store.memory_ids(None, 10)) == (0, 0, ([], None))
    assert by_words(store, "anything") == by_meaning(store, axis(0)) == []


def test_the_first_use_prepares_the_store(store):
    assert store.count() == 0


def test_a_second_entry_replaces_the_first_whole(store):
    store.put([entry(1, "old words", axis(0), ["old"], timestamp="2020-01-01T00:00:00+00:00", archived=True)])
    store.put([entry(1, "new text", axis(1), ["new"])])
    assert by_words(store, "old", include_archived=True) == []
    assert by_words(store, "new", tags=("new",), start="2024-01-01T00:00:00+00:00") == [1]
    assert by_words(store, "new", tags=("old",)) == []
    assert by_meaning(store, axis(1), limit=1) == [1]
    assert store.count() == 1


def test_of_two_entries_for_one_memory_the_last_counts(store):
    store.put([entry(1, "first", rows(axis(0), axis(1), axis(2))), entry(1, "second", axis(3))])
    assert by_words(store, "first") == []
    assert by_words(store, "second") == [1]
    assert all_ids(store) == [memory_id(1)]


def test_an_embedded_memory_can_become_words_only_and_back(store):
    store.put([entry(1, "apple", rows(axis(0), axis(1)))])
    assert store.count_unembedded() == 0
    store.put([entry(1, "apple")])
    assert by_meaning(store, axis(0)) == by_meaning(store, axis(1)) == []
    assert by_words(store, "apple") == [1]
    assert (store.count(), store.count_unembedded()) == (1, 1)
    assert all_ids(store) == [memory_id(1)]
    store.put([entry(1, "apple", axis(2))])
    assert by_meaning(store, axis(2)) == [1]
    assert store.count_unembedded() == 0


def test_surplus_chunks_of_a_shortened_memory_go(store):
    store.put([entry(n, "long", rows(near(n, 0.5), *(axis(10 + i) for i in range(4)))) for n in (1, 2)])
    assert len(all_ids(store)) == 10
    store.put([entry(1, "short", rows(near(1, 0.5), axis(10)))])
    assert sorted(all_ids(store)) == [memory_id(1)] * 2 + [memory_id(2)] * 5
    found = by_meaning(store, axis(13), limit=5)
    assert found[0] == 2
    assert store.count() == 2


def test_a_memory_without_any_word_or_vector_is_counted_and_removable(store):
    store.put([entry(1, "")])
    assert (store.count(), store.count_unembedded(), all_ids(store)) == (1, 1, [memory_id(1)])
    store.delete([memory_id(1)])
    assert store.count() == 0


def test_more_entries_than_one_write_holds(store):
    many = 2 * MAX_POINTS_PER_WRITE + 50
    store.put([entry(n, f"word{n} common", axis(n % DIMENSION)) for n in range(many)])
    assert store.count() == many
    assert by_words(store, f"word{many - 1}") == [many - 1]
    store.put([entry(7, "longest", rows(*[axis(n % DIMENSION) for n in range(many)]))])
    assert len(all_ids(store, page=300)) == 2 * many - 1
    store.delete([memory_id(n) for n in range(many)])
    assert all_ids(store) == []


def test_counts_tell_memories_from_chunks_and_the_unembedded(store):
    store.put([entry(1, "a", rows(axis(0), axis(1), axis(2))), entry(2, "b", axis(3)), entry(3, "c"), entry(4, "d")])
    assert (store.count(), store.count_unembedded()) == (4, 2)


def test_paging_visits_every_memory(store):
    store.put([entry(n, "w", rows(axis(0), axis(1)) if n == 5 else None) for n in range(1, 26)])
    assert sorted(set(all_ids(store, page=7))) == [memory_id(n) for n in range(1, 26)]
    assert len(all_ids(store, page=1)) == 26
    page, following = store.memory_ids(None, 10)
    assert len(page) == 10
    assert isinstance(following, str)


def test_deleting_removes_chunks_too_and_spares_the_others(store):
    store.put([entry(1, "one", rows(axis(0), axis(1))), entry(2, "two", rows(axis(2), axis(3)))])
    store.delete([memory_id(1), memory_id(404)])
    assert by_words(store, "one") == []
    assert all_ids(store) == [memory_id(2)] * 2
    assert by_meaning(store, axis(1), limit=1) == [2]


@pytest.mark.parametrize(
    "bad",
    [
        np.full((1, DIMENSION), np.nan, dtype=np.float32),
        rows(axis(0), np.where(axis(1) > 0, np.float32(np.inf), axis(1))),
        np.ones((1, DIMENSION + 1), dtype=np.float32),
        np.ones((0, DIMENSION), dtype=np.float32),
        np.ones((1, 1, DIMENSION), dtype=np.float32),
    ],
    ids=["nan", "infinity", "too long", "no row", "three axes"],
)
def test_a_vector_that_does_not_fit_is_refused_and_nothing_is_written(store, bad):
    store.put([entry(1, "before", axis(0))])
    with pytest.raises(ValueError, match=r"shape|finite"):
        store.put([entry(2, "good", axis(1)), entry(1, "after", bad)])
    assert store.count() == 1
    assert by_words(store, "before") == [1]


def test_an_id_that_is_no_uuid_is_refused_and_nothing_is_written(store):
    broken = entry(1, "x")
    object.__setattr__(broken, "memory_id", "not-a-uuid")
    with pytest.raises(ValueError, match="UUID"):
        store.put([entry(2, "good"), broken])
    assert store.count() == 0


def test_preparing_twice_changes_nothing(vector_engine):
    store = vector_engine.store()
    store.prepare()
    store.put([entry(1, "kept", axis(0))])
    store.prepare()
    again = vector_engine.store()
    again.prepare()
    assert by_words(again, "kept") == by_meaning(again, axis(0)) == [1]


def test_an_index_of_another_vector_size_is_left_alone_and_named_with_the_way_out(vector_engine):
    store = vector_engine.store()
    store.put([entry(1, "kept", axis(0))])
    other = vector_engine.store(dimension=32)
    with pytest.raises(IncompatibleIndex) as caught:
        other.prepare()
    assert isinstance(caught.value, ConfigurationError)
    assert f"size {DIMENSION}" in caught.value.message
    assert "32" in caught.value.message
    assert "EMBEDDING_MODEL" in caught.value.message
    assert ("move it away" if isinstance(vector_engine, EdgeEngine) else "QDRANT_COLLECTION") in caught.value.message
    with pytest.raises(IncompatibleIndex):
        other.put([entry(2, "never")])
    back = vector_engine.store()
    assert by_words(back, "kept never") == [1]


def test_a_closed_store_says_so(store):
    store.put([entry(1, "x")])
    store.close()
    store.close()
    with pytest.raises(VectorsUnavailable, match="closed"):
        store.count()
