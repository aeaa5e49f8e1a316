"""Bringing channels together: one total order whatever comes first, one memory per text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_strategies import results

from automem.domain.recall import SORTS
from automem.recall.fusion import ranked, relative, sorted_by, without_duplicates
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
