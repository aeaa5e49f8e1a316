"""Bringing channels together: one total order whatever comes first, one memory per text."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_strategies import IDS, memory, results

from automem.domain.recall import SORTS, Recalled
from automem.recall.fusion import (
    SHARPEST_DROP,
    adaptive_floor,
    named_first,
    ranked,
    relative,
    sorted_by,
    with_recency,
    without_duplicates,
)
from automem.recall.keywords import normalised

TEXTS = st.sampled_from(["", "One text", "one  TEXT", "another", "Еще", "еще", "我们", "我们 "])


@given(results(), st.sampled_from(SORTS), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_what_comes_first(found, sort, random):
    shuffled = list(found)
    random.shuffle(shuffled)
    assert sorted_by(shuffled, sort) == sorted_by(found, sort)
    assert ranked(shuffled) == ranked(found)


@given(results())
def test_ranks_fall(found):
    ordered = ranked(found)
    assert sorted(result.memory.id for result in ordered) == sorted(result.memory.id for result in found)
    for better, worse in pairwise(ordered):
        key = [(item.rank_score, item.score, item.memory.importance, item.memory.timestamp) for item in (better, worse)]
        assert key[0] > key[1] or (key[0] == key[1] and better.memory.id < worse.memory.id)


@given(results(), st.sampled_from(["time_desc", "time_asc", "updated_desc", "updated_asc"]))
def test_times_are_in_the_order_asked_for_and_equal_ones_in_that_of_their_ranks(found, sort):
    ordered = sorted_by(found, sort)

    def time(result):
        stored = result.memory
        return (stored.updated_at or stored.timestamp) if sort.startswith("updated") else stored.timestamp

    for first, second in pairwise(ordered):
        assert time(first) >= time(second) if sort.endswith("desc") else time(first) <= time(second)
        if time(first) == time(second):
            assert ranked([second, first]) == [first, second]


@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(0.001, 1e6)))
def test_relative_scores_lie_in_0_to_1_and_keep_their_order(scores):
    shares = relative(scores)
    assert set(shares) == set(scores)
    assert all(0.0 < share <= 1.0 for share in shares.values())
    assert not scores or max(shares.values()) == 1.0
    for one in scores:
        for other in scores:
            assert scores[one] > scores[other] or shares[one] <= shares[other]


@pytest.mark.parametrize("scores", [{}, {"a": 0.0}, {"a": 0.0, "b": 0.0}])
def test_scores_that_say_nothing_have_no_share(scores):
    assert relative(scores) == {}


@given(results(TEXTS))
def test_of_equal_texts_the_first_is_kept_and_names_all(found):
    kept, removed = without_duplicates(found)
    assert removed == len(found) - len(kept)
    texts = [normalised(result.memory.content) for result in kept]
    assert len(set(texts)) == len(texts)
    for result in kept:
        same = [other for other in found if normalised(other.memory.content) == normalised(result.memory.content)]
        assert result.memory == same[0].memory
        assert result.deduped_from == (tuple(sorted(item.memory.id for item in same)) if len(same) > 1 else ())


@given(results(TEXTS), results(TEXTS))
def test_in_two_steps_the_same_are_kept_as_in_one(first, second):
    at_once, removed_at_once = without_duplicates([*first, *second])
    before, removed = without_duplicates(first)
    after, removed_later = without_duplicates([*before, *second])
    assert after == at_once
    assert removed + removed_later == removed_at_once


# ---- the adaptive floor

SCORES = st.lists(st.floats(0, 3), max_size=30).map(lambda scores: sorted(scores, reverse=True))


@given(SCORES)
def test_the_floor_keeps_the_best_and_at_least_half(scores):
    floor = adaptive_floor(scores)
    kept = [score for score in scores if score >= floor]
    assert 2 * len(kept) >= len(scores)
    assert kept == scores[: len(kept)]
    assert not scores or kept[0] == scores[0]
    if len(scores) <= 3:
        assert kept == scores


@given(SCORES)
def test_where_something_is_dropped_there_was_a_sharp_fall_above_it(scores):
    kept = [score for score in scores if score >= adaptive_floor(scores)]
    if len(kept) < len(scores):
        falls = [better - worse for better, worse in pairwise(kept)]
        assert max(falls) == falls[-1] or kept[-1] == kept[-2]
        assert max(falls) > SHARPEST_DROP * scores[0]


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([], 0),
        ([1.0], 1),
        ([1.0, 0.1, 0.0], 3),
        ([1.0, 0.2, 0.1, 0.0], 2),
        ([1.0, 0.9, 0.8, 0.1], 4),
        ([1.0, 0.9, 0.2, 0.1], 3),
        ([1.0, 0.76, 0.75, 0.74], 4),
        ([1.0, 0.9, 0.2, 0.19, 0.18, 0.17], 3),
        ([1.0, 0.9, 0.8, 0.1, 0.09, 0.08], 6),
        ([1.0, 0.2, 0.19, 0.18, 0.17, 0.16], 6),
        ([0.0, 0.0, 0.0, 0.0], 4),
        ([1.0] * 10, 10),
    ],
)
def test_what_lies_below_the_greatest_fall_of_the_better_half_is_dropped(scores, kept):
    floor = adaptive_floor(scores)
    assert sum(score >= floor for score in scores) == kept


# ---- recency


@given(results(), st.floats(0, 2))
def test_the_newest_is_lifted_by_the_whole_weight_and_nothing_is_lowered(found, weight):
    lifted = with_recency(found, weight)
    assert [item.memory for item in lifted] == [item.memory for item in found]
    for before, after in zip(found, lifted, strict=True):
        part = after.components["temporal"]
        assert 0.0 <= part <= 1.0
        assert after.score == before.score + weight * part
        assert after.rank_score == before.rank_score + weight * part
        assert {**before.components, "temporal": part} == after.components
    times = {item.memory.timestamp for item in found}
    for item in lifted:
        if len(times) > 1:
            assert (item.components["temporal"] == 1.0) is (item.memory.timestamp == max(times))
            assert (item.components["temporal"] == 0.0) is (item.memory.timestamp == min(times))
        else:
            assert item.components["temporal"] == 0.0


@given(results(), st.floats(0, 2), st.randoms(use_true_random=False))
def test_recency_does_not_depend_on_what_comes_first(found, weight, random):
    shuffled = list(found)
    random.shuffle(shuffled)
    assert ranked(with_recency(shuffled, weight)) == ranked(with_recency(found, weight))


@given(results(), st.floats(0.01, 2))
def test_a_newer_memory_of_the_same_score_never_stands_below(found, weight):
    equal = [replace(item, score=0.5, rank_score=0.5) for item in found]
    order = [item.memory.timestamp for item in ranked(with_recency(equal, weight))]
    assert order == sorted(order, reverse=True)


@pytest.mark.parametrize("timestamp", ["", "nonsense", "5", "9999-99-99", "0001-01-01T00:00:00", "2024"])
def test_a_time_that_cannot_be_read_is_no_error_and_lifts_nothing(timestamp):
    times = (timestamp, "2024-01-01T00:00:00+00:00", "2024-01-02T00:00:00+00:00")
    found = [Recalled(memory(str(n), timestamp=time), "vector", 0.0, {}, 0.0, 0.0) for n, time in enumerate(times)]
    parts = [item.components["temporal"] for item in with_recency(found, 1.0)]
    assert parts[0] == 0.0
    assert parts[2] == 1.0


# ---- named memories


@given(results(), st.lists(IDS, max_size=4, unique=True), st.data())
def test_named_memories_come_first_in_their_order_and_the_rest_keeps_its_own(found, unknown, data):
    ids = [item.memory.id for item in found]
    named = data.draw(st.permutations(ids).map(lambda order: order[: len(order) // 2]))
    wanted = data.draw(st.permutations([*named, *(other for other in unknown if other not in ids)]))
    ordered = [item.memory.id for item in named_first(found, wanted)]
    assert ordered == [*(name for name in wanted if name in ids), *(item for item in ids if item not in named)]


@given(results())
def test_without_names_the_order_stays(found):
    assert named_first(found, ()) == found
