# ruff: noqa: RUF001 - these signs are meant to look alike.
"""The words of a query, as they are compared with tags and metadata."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.recall.keywords import metadata_terms, normalised, query_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is Sarah's sister's job?", ("sarah", "sister", "job")),
        ("billing BILLING Billing", ("billing",)),
        ("ERR-4521 in foo_bar.baz()", ("err-4521", "foo_bar.baz")),
        ("the and of", ()),
        ("数据库 迁移", ("数据库", "迁移")),
        ("База данных", ("база", "данных")),
        ("Cafe\u0301 CAFÉ", ("café",)),
        ("R and Go", ("r", "go")),
        ("--- !!! ...", ()),
        ("-x-", ("x",)),
        ("", ()),
    ],
)
def test_words_are_distinct_folded_and_without_function_words(text, words):
    assert query_words(text) == words


@given(st.text(max_size=60))
def test_words_are_normalised_and_found_again_by_themselves(text):
    words = query_words(text)
    assert len(set(words)) == len(words)
    assert all(word == normalised(word) and " " not in word for word in words)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("  A\tB\n", "a b"),
        ("ﬁne", "fine"),
        ("ＡＢ１", "ab1"),
        ("Straße", "strasse"),
        ("Cafe\u0301", "café"),
        ("ＡＢ", "AB"),
    ],
)
def test_forms_that_read_alike_are_normalised_alike(text, same):
    assert normalised(text) == normalised(same)


@pytest.mark.parametrize(
    ("one", "other"), [("会议在周一", "会议在周二"), ("é", "e"), ("🚀", "🎉"), ("!", "?"), ("a-b", "a b"), ("й", "и")]
)
def test_forms_that_read_differently_stay_apart(one, other):
    assert normalised(one) != normalised(other)


@given(st.text(max_size=40))
def test_a_normalised_text_of_words_is_free_of_outer_and_double_spaces(text):
    found = normalised(text)
    assert found == " ".join(found.split())


def test_metadata_terms_are_text_values_and_their_words_without_keys():
    metadata = {
        "source": "Slack",
        "room": {"name": "Blue Hall", "floor": 3},
        "labels": ["P-1", {"deep": "Below"}],
        "flag": True,
        "none": None,
        "entities": {"people": ["Rachel"]},
        "long": "x" * 257,
    }
    assert metadata_terms(metadata) == {"slack", "blue hall", "blue", "hall", "p-1", "below"}


def test_no_metadata_has_no_terms():
    assert metadata_terms({}) == frozenset()
