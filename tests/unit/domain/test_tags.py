"""Tags: one delimiter, whole segments, no regard to case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automem.domain.tags import canonical_tag, canonical_tags, split_list, tag_filters, tag_prefixes

TAGS = st.text("aBç ::/,-", max_size=12)


@pytest.mark.parametrize(
    ("tag", "canonical"),
    [
        ("Proj", "proj"),
        ("Proj:Alpha", "proj:alpha"),
        ("db/redis", "db:redis"),
        ("a/b:c", "a:b:c"),
        ("  Team : Core ", "team:core"),
        ("a::b//c", "a:b:c"),
        (":a/", "a"),
        ("Ärger/ÉTÉ", "ärger:été"),
        ("标签/子", "标签:子"),
        ("a, b", "a, b"),
        ("ERR-4521_x.y", "err-4521_x.y"),
        ("", ""),
        (" : / ", ""),
    ],
)
def test_a_tag_has_one_canonical_form(tag, canonical):
    assert canonical_tag(tag) == canonical


@given(TAGS)
def test_the_canonical_form_is_its_own_and_knows_one_delimiter(tag):
    canonical = canonical_tag(tag)
    assert canonical_tag(canonical) == canonical
    assert canonical_tag(tag.replace(":", "/")) == canonical_tag(tag.upper().lower().replace("/", ":"))
    assert "/" not in canonical
    assert "::" not in canonical


def test_canonical_tags_keep_their_order_without_blanks_and_repetitions():
    assert canonical_tags(["b", "A", " ", "a", "B/c", "b:C"]) == ("b", "a", "b:c")


@pytest.mark.parametrize(
    ("tags", "prefixes"),
    [
        (["Proj:Alpha"], ("proj", "proj:alpha")),
        (["db/redis", "db:postgres"], ("db", "db:redis", "db:postgres")),
        (["a:b:c", "a"], ("a", "a:b", "a:b:c")),
        ([], ()),
        (["", "::"], ()),
    ],
)
def test_prefixes_are_those_of_whole_segments(tags, prefixes):
    assert tag_prefixes(tags) == prefixes


@given(st.lists(TAGS, max_size=5))
def test_prefixes_hold_every_tag_and_the_prefixes_of_each_prefix(tags):
    prefixes = tag_prefixes(tags)
    assert len(prefixes) == len(set(prefixes))
    assert set(canonical_tags(tags)) <= set(prefixes)
    assert set(tag_prefixes(prefixes)) == set(prefixes)


@given(st.lists(TAGS, max_size=4), TAGS)
def test_a_filter_is_among_the_prefixes_only_if_a_tag_begins_with_its_segments(tags, sent):
    wanted = canonical_tag(sent)
    parts = wanted.split(":")
    begins = any(canonical_tag(tag).split(":")[: len(parts)] == parts for tag in tags if canonical_tag(tag))
    assert (wanted in tag_prefixes(tags)) == (bool(wanted) and begins)


@pytest.mark.parametrize(
    ("sent", "items"), [(["a,b", "c"], ["a", "b", "c"]), ([" a , ,b,"], ["a", "b"]), ([","], []), ([], [])]
)
def test_lists_are_repeated_or_separated_by_commas(sent, items):
    assert split_list(sent) == items


@pytest.mark.parametrize(
    ("sent", "filters"),
    [
        (["Proj/A"], ("proj:a",)),
        (["a,b"], ("a", "b", "a,b")),
        (["a", "B"], ("a", "b")),
        (["a,"], ("a", "a,")),
        (["::", ","], (",",)),
        ([], ()),
    ],
)
def test_a_filter_is_each_part_and_the_whole_that_was_sent(sent, filters):
    assert tag_filters(sent) == filters
