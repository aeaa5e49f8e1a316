"""The places of seeds that edges join to one another."""

from hypothesis import given
from hypothesis import strategies as st
from recall_strategies import SHARES

from automem.recall.scoring import UNDER_SEED_CEILING, rank_beside_seed

# Not the least of floats, of which 0.97 is the number itself.
SCORES = st.floats(0, 2, allow_subnormal=False)
STRENGTHS = st.floats(-1, 3)


@given(SCORES, STRENGTHS, SCORES)
def test_an_edge_lifts_a_seed_and_never_above_the_better_one(own, strength, better):
    rank = rank_beside_seed(own, strength, better)
    assert rank >= own
    if rank > own:
        assert rank <= UNDER_SEED_CEILING * better
    if own < better:
        assert rank < better
    else:
        assert rank == own


@given(SCORES, SHARES, SHARES, SCORES)
def test_a_stronger_edge_never_lowers_a_seed(own, first, second, better):
    weak, strong = sorted([first, second])
    assert rank_beside_seed(own, weak, better) <= rank_beside_seed(own, strong, better)


@given(SCORES, SHARES, SCORES, SHARES)
def test_a_better_neighbour_never_lowers_a_seed(own, strength, better, more):
    assert rank_beside_seed(own, strength, better) <= rank_beside_seed(own, strength, better + more)


@given(SCORES, SCORES)
def test_an_edge_without_strength_lifts_nothing(own, better):
    assert rank_beside_seed(own, 0.0, better) == own
