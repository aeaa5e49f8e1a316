"""Which parts of metadata are searched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.domain.metadata import SEARCHED_FIELDS, searched_values


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("Slack", ["Slack"]),
        (["a", "b"], ["a", "b"]),
        (7, ["7"]),
        (1.5, ["1.5"]),
        (["a", 7, None, True, {"x": "y"}, ["z"]], ["a", "7"]),
        (True, []),
        (None, []),
        ({"x": "y"}, []),
        ("x" * 96, ["x" * 96]),
        ("x" * 97, []),
        ([str(n) for n in range(20)], [str(n) for n in range(12)]),
    ],
    ids=lambda value: str(value)[:20],
)
@pytest.mark.parametrize("field", [name for name in SEARCHED_FIELDS if name != "entities"])
def test_short_texts_and_numbers_of_a_searched_field_count(field, value, texts):
    assert list(searched_values({field: value, "other": value})) == [(field, text) for text in texts]


def test_entities_count_but_not_people_and_not_where_they_are_left_out():
    metadata = {"entities": {"people": ["Ada"], "places": ["Oslo"], "organizations": "Globex"}, "repo": "x"}
    found = [("repo", "x"), ("entities", "Oslo"), ("entities", "Globex")]
    assert list(searched_values(metadata)) == found
    assert list(searched_values(metadata, with_entities=False)) == found[:1]
    assert list(searched_values({"entities": ["Oslo"]})) == []


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=120)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.one_of(st.sampled_from(SEARCHED_FIELDS), st.text(max_size=8)), ANYTHING, max_size=5))
def test_whatever_is_stored_only_short_texts_of_searched_fields_are_given(metadata):
    for field, text in searched_values(metadata):
        assert field in SEARCHED_FIELDS
        assert isinstance(text, str)
        assert len(text) <= 96
