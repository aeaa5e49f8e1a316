"""Names that a text mentions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.domain.names import MOST_NAMES, names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Sarah's sister is Rachel", ("sarah", "rachel")),
        ("Rachel Chen works at Tech Corp", ("rachel chen", "rachel", "chen", "tech corp", "tech", "corp")),
        ("The team met Omar", ("omar",)),
        ("On Monday we saw May and Wei", ("wei",)),
        ("nothing capital here", ()),
        ("I think I'll go", ()),
        ("SARAH and sarah and Sarah’s", ("sarah",)),  # noqa: RUF001
        ("see Berlin, Paris", ("berlin", "paris")),
        ("Jean-Luc O'Brien", ("jean-luc o'brien", "jean-luc", "o'brien")),
        ("Екатерина Волкова живёт", ("екатерина волкова", "екатерина", "волкова")),
        ("我们在上海见面", ()),
        ("PostgreSQL 16", ("postgresql",)),
        ("", ()),
    ],
)
def test_runs_of_capitalised_words_are_names_and_so_are_their_parts(text, names):
    assert names_in(text) == names


def test_a_long_name_is_cut_and_names_are_bounded():
    assert names_in("Alpha Beta Gamma Delta Epsilon")[0] == "alpha beta gamma delta"
    many = ", ".join(f"Name{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(60))
    assert len(names_in(many)) == MOST_NAMES


@given(st.text(max_size=80))
def test_names_are_lower_case_distinct_and_bounded_for_any_text(text):
    names = names_in(text)
    assert len(names) <= MOST_NAMES
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and name.strip() for name in names)
