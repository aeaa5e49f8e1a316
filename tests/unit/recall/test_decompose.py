"""A question that asks about several things, taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.recall.decompose import MOST_NAMES, MOST_TOPICS, TOPICS_PER_NAME, sub_queries


@pytest.mark.parametrize(
    ("query", "further"),
    [
        ("What did Margaret paint", ["margaret", "margaret paint"]),
        (
            "Did Margaret meet Quentin in spring",
            ["margaret", "margaret meet", "margaret spring", "quentin", "quentin meet", "quentin spring"],
        ),
        ("what is Sarah's sister's job", ["sarah", "sarah sister", "sarah interests goals plans"]),
        ("Where does Omar work", ["omar", "omar work", "omar interests goals plans"]),
        ("Sarah's holiday", ["sarah", "sarah holiday"]),
        ("the harbour lantern database plans", ["harbour", "lantern", "database"]),
        ("database", []),
        ("what is it", []),
        ("which job has Omar", ["omar", "omar interests goals plans"]),
        ("When did it rain", ["rain"]),
        ("It rained. Then Greta came. She left", ["greta", "greta rained", "greta came", "greta left"]),
        ("", []),
        ("*", []),
    ],
)
def test_names_are_asked_with_each_topic_and_without_names_the_topics(query, further):
    assert sub_queries(query) == [query, *further]


def test_two_names_and_three_topics_of_each_are_asked_at_most():
    names = "tell Anna and Bertha about hedgehogs squirrels badgers foxes otters"
    found = sub_queries(names)
    assert found == [
        names,
        "anna", "anna hedgehogs", "anna squirrels", "anna badgers",
        "bertha", "bertha hedgehogs", "bertha squirrels", "bertha badgers",
    ]  # fmt: skip


QUERIES = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            ["Anna", "Bertha's", "What", "does", "work", "hedgehogs", "in", "Tech Corp", "?", ".", "career"]
        ),
        max_size=12,
    ).map(" ".join),
)


@given(QUERIES)
def test_the_question_itself_comes_first_and_each_question_is_asked_once(query):
    found = sub_queries(query)
    assert found[0] == query
    assert len(set(found)) == len(found)
    assert len(found) <= 1 + max(MOST_NAMES * (2 + TOPICS_PER_NAME), MOST_TOPICS)
    assert all(part.strip() for part in found[1:])
    assert found == sub_queries(query)
