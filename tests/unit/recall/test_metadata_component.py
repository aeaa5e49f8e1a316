"""How far the metadata of a memory answers a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.domain.metadata import SEARCHED_FIELDS
from automem.recall.keywords import normalised, query_words
from automem.recall.metadata import metadata_component


def fit(metadata, query):
    return metadata_component(metadata, query_words(query), normalised(query))


@pytest.mark.parametrize(
    ("metadata", "query", "found"),
    [
        # 0.15 + 0.45 * hits / words of the value + 0.20 * hits / words asked + 0.15 whole + 0.20 named
        ({"tool": "harbour lantern"}, "harbour lantern", 0.15 + 0.45 + 0.20 + 0.15),
        ({"tool": "harbour lantern"}, "lantern of the harbour", 0.15 + 0.45 + 0.20),
        ({"tool": "harbour-lantern"}, "harbour-lantern", 0.15 + 0.45 + 0.20 + 0.15),
        ({"tool": "harbour lantern"}, "tool harbour lantern", 1.0),
        ({"tool": "harbour lantern shop"}, "harbour lantern", 0.15 + 0.45 * 2 / 3 + 0.20),
        ({"tool": "harbour lantern"}, "harbour lantern plans notes", 0.15 + 0.45 + 0.20 * 2 / 4 + 0.15),
        ({"tool": "Lantern"}, "lantern", 0.15 + 0.45 + 0.20 + 0.15),
        ({"tool": "lantern"}, "the project called lantern", (0.15 + 0.45 + 0.20 / 2 + 0.15) * 0.6),
        ({"project": "lantern"}, "the project called lantern", 1.0),
        ({"project": ["other", "lantern"]}, "project lantern", 1.0),
        ({"project": 481516}, "project 481516", 1.0),
        ({"source_agent": "lantern"}, "source agent lantern", 1.0),
        ({"repo": "lantern", "tool": "harbour"}, "lantern", 0.95),
        ({"tool": "数据库迁移"}, "数据库迁移", 0.95),
    ],
)
def test_the_fit_grows_with_hits_whole_values_and_named_fields(metadata, query, found):
    assert fit(metadata, query) == pytest.approx(found)


@pytest.mark.parametrize(
    ("metadata", "query", "counts"),
    [
        ({"tool": "ant"}, "ant", False),
        ({"tool": "ant"}, "tool ant", True),
        ({"tool": "an"}, "tool an", False),
        ({"tool": "crane"}, "crane", True),
        ({"tool": "crane"}, "crane swing radius", True),
        ({"tool": "crane"}, "crane swing radius height", False),
        ({"tool": "crane"}, "tool crane swing radius height", True),
        ({"tool": "crane book"}, "book", False),
        ({"tool": "crane book"}, "tool crane", True),
        ({"tool": "crane book"}, "tool book", False),
        ({"tool": "crane book"}, "crane and book and more of it all", True),
        ({"tool": "crane"}, "cranes", False),
        ({"repo": "crane book"}, "repo crane", True),
        ({"repo": "crane book"}, "repo crane swing", False),
        ({"repo": "crane"}, "repo crane swing", True),
        ({"repo": "crane book"}, "repo crane book", True),
        ({"repo": "crane book shop"}, "repo crane book", True),
        ({"repo": "crane"}, "which repo is the crane in with plans", True),
        ({"repo": "crane book"}, "which repo has plans of the crane", False),
        ({"tool": "tool"}, "tool", False),
        ({"tool": "repository"}, "repository", False),
        ({"tool": ""}, "crane", False),
        ({"colour": "crane"}, "crane", False),
        ({}, "crane", False),
    ],
)
def test_a_value_counts_where_it_can_hardly_be_chance(metadata, query, counts):
    assert (fit(metadata, query) > 0) is counts


@pytest.mark.parametrize(
    ("query", "found"),
    [("ravenscar", False), ("entity ravenscar", True), ("entities ravenscar", True), ("entity wilhelmina", False)],
)
def test_entities_count_where_they_are_asked_for_and_people_never(query, found):
    metadata = {"entities": {"places": ["Ravenscar"], "people": ["Wilhelmina"]}}
    assert (fit(metadata, query) > 0) is found


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=20),
        st.sampled_from(["crane", "crane book"]),
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["people", "places"]), inner, max_size=2)
    ),
    max_leaves=5,
)
METADATA = st.dictionaries(st.sampled_from([*SEARCHED_FIELDS, "other"]), VALUES, max_size=4)
QUERIES = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(["crane", "book", "repo", "entity", "tool", "the", "x"]), max_size=6).map(" ".join),
)


@given(METADATA, QUERIES)
def test_whatever_is_stored_and_asked_the_component_lies_in_0_to_1(metadata, query):
    assert 0.0 <= fit(metadata, query) <= 1.0


@given(METADATA, QUERIES, st.sampled_from(SEARCHED_FIELDS), VALUES)
def test_a_further_field_never_lowers_it(metadata, query, field, value):
    if field not in metadata:
        assert fit({**metadata, field: value}, query) >= fit(metadata, query)


@given(METADATA, QUERIES)
def test_fields_that_are_not_searched_do_not_count(metadata, query):
    searched = {name: value for name, value in metadata.items() if name in SEARCHED_FIELDS}
    assert fit(metadata, query) == fit(searched, query)
