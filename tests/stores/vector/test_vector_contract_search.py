"""What every vector store must find, whichever engine is below it."""

import threading

import pytest
from vector_cases import DIMENSION, axis, by_meaning, by_words, entry, memory_id, near, numbers, rows

from automem.domain.recall import MemoryFilter
from automem.stores.vector.base import Search

# A filter and the memories that pass it.
TAG_CASES = [
    ({}, [1, 2, 3, 4]),
    ({"tags": ("project:alpha",)}, [1, 2]),
    ({"tags": ("project",)}, [1, 2, 3]),
    ({"tags": ("proj",)}, []),
    ({"tags": ("project:alpha",), "tag_match": "exact"}, [1]),
    ({"tags": ("project",), "tag_match": "exact"}, []),
    ({"tags": ("project:alpha", "team")}, [1, 2, 3]),
    ({"tags": ("project:alpha", "team"), "tag_mode": "all"}, [2]),
    ({"tags": ("project:beta", "team:red"), "tag_mode": "all", "tag_match": "exact"}, [3]),
    ({"tags": ("project:alpha", "team:red"), "tag_match": "exact"}, [1, 3]),
    ({"exclude_tags": ("project:alpha",)}, [3, 4]),
    ({"exclude_tags": ("team", "project:alpha:web")}, [1, 4]),
    ({"tags": ("project",), "exclude_tags": ("project:beta",)}, [1, 2]),
    ({"exclude_tags": ("pro",)}, [1, 2, 3, 4]),
    ({"tags": ("unknown",)}, []),
    ({"tags": ("日本:東京",)}, [4]),
]
TIME_CASES = [
    ({"start": "2025-03-01T00:00:00+00:00", "end": None}, [2, 3, 4]),
    ({"start": "2025-03-01T00:00:00.000001+00:00", "end": None}, [3, 4]),
    ({"start": None, "end": "2025-03-01T00:00:00+00:00"}, [1, 2]),
    ({"start": None, "end": "2025-02-28T23:59:59.999999+00:00"}, [1]),
    ({"start": "2025-03-01T00:00:00+00:00", "end": "2025-04-01T12:00:00.500000+00:00"}, [2, 3]),
    ({"start": "2025-03-01T00:00:00+00:00", "end": "2025-03-01T00:00:00+00:00"}, [2]),
    ({"start": "2026-01-01T00:00:00+00:00", "end": "2025-01-01T00:00:00+00:00"}, []),
]


def selected(store, cases):
    """What each filter lets through, asked by words and by meaning."""
    return [
        (where, sorted(by_words(store, "same", **where)), sorted(by_meaning(store, axis(0), **where)))
        for where, _ in cases
    ]


def expected(cases):
    return [(where, numbers, numbers) for where, numbers in cases]


def test_a_search_by_meaning_gives_cosines_best_first(store):
    store.put([entry(1, dense=near(0, 0.2)), entry(2, dense=near(0, 0.9)), entry(3, dense=axis(0))])
    hits = store.search([Search(limit=10, dense=axis(0))])[0]
    assert numbers(hits) == [3, 2, 1]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.9, 0.2], abs=0.01)
    assert all(hit.score <= 1.0 for hit in hits)


def test_vectors_need_not_have_length_one(store):
    store.put([entry(1, dense=axis(0) * 3e38), entry(2, dense=near(0, 0.5) * 1e-30)])
    hits = store.search([Search(limit=10, dense=axis(0) * 1e20)])[0]
    assert numbers(hits) == [1, 2]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.5], abs=0.01)


def test_a_search_by_words_ranks_rare_words_first_and_scores_above_zero(store):
    store.put([entry(n, f"the deployment failed{' on the zeppelin' * (n == 3)}") for n in range(1, 8)])
    hits = store.search([Search(limit=10, words="zeppelin deployment")])[0]
    assert numbers(hits)[0] == 3
    assert len(hits) == 7
    assert all(hit.score > 0 for hit in hits)
    assert hits[0].score > hits[1].score


def test_words_without_a_term_find_nothing(store):
    store.put([entry(1, "anything"), entry(2, "??!")])
    assert store.search([Search(limit=5, words=words) for words in ("", "  ", "?!", "\x00")]) == [[], [], [], []]


def test_a_memory_without_vector_is_found_by_words_only(store):
    store.put([entry(1, "apple", dense=axis(0)), entry(2, "apple pie")])
    assert sorted(by_words(store, "apple")) == [1, 2]
    assert by_meaning(store, axis(0)) == [1]


def test_several_searches_take_one_round_trip_and_keep_their_order(store):
    store.put([entry(1, "apple", dense=axis(1)), entry(2, "banana", dense=axis(2))])
    before = store.round_trips
    found = store.search(
        [
            Search(limit=1, dense=axis(2)),
            Search(limit=5, words="?"),
            Search(limit=5, words="apple"),
            Search(limit=1, dense=axis(1)),
            Search(limit=0, words="apple"),
        ]
    )
    assert [numbers(hits) for hits in found] == [[2], [], [1], [1], []]
    assert store.round_trips == before + 1


def test_no_search_takes_no_round_trip(store):
    store.prepare()
    before = store.round_trips
    assert store.search([]) == []
    assert store.search([Search(limit=5, words="")]) == [[]]
    assert store.round_trips == before


def test_a_memory_counts_once_and_with_its_best_chunk(store):
    store.put(
        [entry(1, dense=rows(near(0, 0.1), near(0, 0.95), near(0, 0.5))), entry(2, dense=near(0, 0.8))],
    )
    hits = store.search([Search(limit=10, dense=axis(0))])[0]
    assert numbers(hits) == [1, 2]
    assert hits[0].score == pytest.approx(0.95, abs=0.01)


def test_a_memory_of_many_chunks_does_not_crowd_the_others_out(store):
    store.put([entry(1, dense=rows(*[near(0, 0.99, other) for other in range(1, 61)]))])
    store.put([entry(n, dense=near(0, 0.5, n)) for n in range(2, 7)])
    assert numbers(store.search([Search(limit=5, dense=axis(0))])[0])[0] == 1
    assert len(by_meaning(store, axis(0), limit=5)) == 5


def test_tags_select_and_exclude(store):
    store.put(
        [
            entry(1, "same", axis(0), ["project:alpha"]),
            entry(2, "same", rows(axis(0), axis(1)), ["project:alpha:web", "team:blue"]),
            entry(3, "same", axis(0), ["project:beta", "team:red"]),
            entry(4, "same", axis(0), ["日本:東京"]),
        ]
    )
    assert selected(store, TAG_CASES) == expected(TAG_CASES)


def test_types_can_be_excluded(store):
    store.put([entry(1, "same", axis(0), type="Decision"), entry(2, "same", axis(0), type="MetaPattern")])
    store.put([entry(3, "same", rows(axis(0), axis(1)), type="Pattern")])
    for excluded, expected in [(("MetaPattern",), [1, 3]), (("MetaPattern", "Pattern"), [1]), ((), [1, 2, 3])]:
        assert sorted(by_words(store, "same", exclude_types=excluded)) == expected
        assert sorted(by_meaning(store, axis(1), exclude_types=excluded)) == expected


def test_both_ends_of_a_time_window_belong_to_it(store):
    moments = ["1970-01-01T00:00:00", "2025-03-01T00:00:00", "2025-04-01T12:00:00.500000", "2099-12-31T23:59:59"]
    store.put([entry(n, "same", axis(0), timestamp=f"{moment}+00:00") for n, moment in enumerate(moments, start=1)])
    assert selected(store, TIME_CASES) == expected(TIME_CASES)


def test_archived_memories_come_only_when_asked_for(store):
    store.put([entry(1, "same", axis(0)), entry(2, "same", rows(axis(1), axis(0)), archived=True)])
    assert by_words(store, "same") == [1]
    assert by_meaning(store, axis(0)) == [1]
    assert sorted(by_words(store, "same", include_archived=True)) == [1, 2]
    assert sorted(by_meaning(store, axis(0), include_archived=True)) == [1, 2]


def test_a_search_can_be_restricted_to_some_memories_with_their_chunks(store):
    store.put([entry(1, "same", rows(axis(1), axis(0))), entry(2, "same", axis(0)), entry(3, "same", axis(0))])
    chosen = (memory_id(1), memory_id(3), memory_id(99))
    assert sorted(by_words(store, "same", memory_ids=chosen)) == [1, 3]
    found = store.search([Search(limit=5, dense=axis(0), where=MemoryFilter(memory_ids=(memory_id(1),)))])[0]
    assert numbers(found) == [1]
    assert found[0].score == pytest.approx(1.0, abs=0.01)
    assert by_words(store, "same", memory_ids=()) == []


def test_all_conditions_hold_at_once(store):
    common = {"tags": ["a:b"], "timestamp": "2025-05-05T00:00:00+00:00", "type": "Decision"}
    store.put([entry(1, "same", axis(0), **common), entry(2, "same", axis(0), **{**common, "tags": ["a:c"]})])
    store.put([entry(3, "same", axis(0), **{**common, "type": "Style"}), entry(4, "same", axis(0), ["a:b", "x"])])
    where = {
        "tags": ("a:b",),
        "exclude_tags": ("x",),
        "exclude_types": ("Style",),
        "start": "2025-05-01T00:00:00+00:00",
    }
    assert by_words(store, "same", memory_ids=tuple(map(memory_id, range(1, 5))), **where) == [1]
    assert by_meaning(store, axis(0), **where) == [1]


@pytest.mark.parametrize(
    "search",
    [
        Search(limit=5),
        Search(limit=5, dense=axis(0), words="both"),
        Search(limit=5, dense=axis(0)[: DIMENSION - 1]),
        Search(limit=5, dense=axis(0)[None, :]),
        Search(limit=5, dense=axis(0) * float("nan")),
    ],
)
def test_a_search_that_makes_no_sense_is_an_error(store, search):
    with pytest.raises(ValueError, match=r"exactly one|shape|not finite"):
        store.search([search])


def test_readers_and_writers_do_not_disturb_one_another(store):
    store.put([entry(n, "steady word", axis(n % DIMENSION)) for n in range(1, 21)])
    failures = []
    stop = threading.Event()

    def guarded(work):
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test shows it.
            failures.append(error)

    def write(worker):
        for turn in range(6):
            first = 1000 * (worker + 1) + turn * 5
            store.put([entry(n, f"word{n} shared", axis(n % DIMENSION)) for n in range(first, first + 5)])
            store.delete([memory_id(first)])

    def read(worker):
        while not stop.is_set():
            words, meaning = store.search([Search(30, words="steady"), Search(30, dense=axis(worker))])
            assert sorted(numbers(words)) == list(range(1, 21))
            assert meaning
            assert store.count() >= 20
            stop.wait(0.005)  # The engine in this process never lets go of the interpreter while it works.

    readers = [threading.Thread(target=guarded, args=(lambda n=n: read(n),)) for n in range(4)]
    writers = [threading.Thread(target=guarded, args=(lambda n=n: write(n),)) for n in range(4)]
    for thread in readers + writers:
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert failures == []
    assert store.count() == 20 + 4 * 6 * 4
