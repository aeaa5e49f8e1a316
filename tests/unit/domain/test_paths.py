"""How strong a path of edges is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.domain.paths import path_strength
from automem.domain.recall import Link, Step


def link(*strengths):
    steps = tuple(Step(f"m{n}", f"m{n + 1}", "RELATES_TO", value, "out") for n, value in enumerate(strengths))
    return Link("m0", steps, {})


@pytest.mark.parametrize(
    ("strengths", "expected"),
    [((0.8,), 0.8), ((0.8, 0.5), 0.2), ((1.0, 1.0, 1.0), 0.25), ((3.0,), 1.0), ((-1.0,), 0.0), ((0.0, 1.0), 0.0)],
)
def test_strengths_multiply_and_each_further_hop_halves(strengths, expected):
    assert path_strength(link(*strengths)) == pytest.approx(expected)


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=3))
def test_a_path_is_never_stronger_than_its_weakest_edge(strengths):
    weakest = min(min(1.0, max(0.0, value)) for value in strengths)
    assert 0.0 <= path_strength(link(*strengths)) <= weakest


def test_the_last_edge_is_the_one_that_reaches_the_memory():
    assert link(0.1, 0.2).last.target == "m2"
