"""The sentence that says why a memory is in an answer."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_strategies import LINKS, link, memory, recalled

from automem.domain.recall import Recalled, Replacement, Step
from automem.recall.explain import explanation
from automem.recall.scoring import COMPONENTS

NOTHING = {name: 0.0 for name in COMPONENTS if name != "temporal"}


def result(match_type="vector", **fields):
    parts = {**NOTHING, **fields.pop("parts", {})}
    return replace(Recalled(memory("a"), match_type, 0.0, parts, 0.5, 0.5), **fields)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (result(), "It scores by what it is rather than by what was asked."),
        (
            result(ranks={"meaning": 1, "words": 3}, parts={"vector": 0.8, "keyword": 0.25}),
            "Number 1 by meaning (0.80); number 3 by words (0.25).",
        ),
        (result("trending", parts={"importance": 0.7}), "Listed for its importance (0.70)."),
        (result("priority_id", parts={"context": 0.9}), "Asked for by its id; favoured by context (0.90)."),
        (result(parts={"metadata": 0.5}), "Its metadata fits (0.50)."),
        (result(parts={"exact": 1.0}), "The whole question is a value of its metadata."),
        (result(parts={"tag": 0.5}), "Words of the question are its tags or stand in its metadata (0.50)."),
        (result(outside_scope=True), "Outside the tags asked for, to fill up the answer."),
    ],
)
def test_each_reason_has_its_words(found, sentence):
    assert explanation(found) == sentence


def test_what_lifts_and_damps_is_told_after_what_found_it():
    found = result(parts={"tag": 1.0, "temporal": 0.5, "conversation": 0.2}, gated=True)
    assert explanation(found).split("; ") == [
        "Words of the question are its tags or stand in its metadata (1.00)",
        "lifted by its place in a conversation (0.20)",
        "its time counts, as recency was asked for (0.50)",
        "hardly about the question, so importance, recency, confidence and tags count less.",
    ]


def test_a_path_is_told_with_the_direction_and_strength_of_each_edge():
    steps = (Step("s", "m", "PART_OF", 0.8, "in"), Step("m", "a", "LEADS_TO", 0.5, "out"))
    found = result("relation", links=(replace(link("s", 1.0), path=steps),), rank_score=0.7)
    assert "reached from s over <-PART_OF 0.80- m -LEADS_TO 0.50-> a" in explanation(found)
    assert "placed under the seed that led to it (0.70)" in explanation(found)
    assert explanation(found).endswith("each hop after the first counts 0.5 as much.")


def test_every_link_is_told():
    text = explanation(result("relation", links=(link("s", 0.5), link("t", 0.25))))
    assert "reached from s over" in text
    assert "reached from t over" in text
    assert "hop" not in text


def test_what_it_replaces_and_shares_is_told():
    step = Step("old", "a", "EVOLVED_INTO", 0.9, "out")
    text = explanation(
        result("state_replacement", replaces=Replacement("old", step, {}), shared=("rachel", "tech corp"))
    )
    assert text.startswith("It took the place of old (EVOLVED_INTO 0.90); ")
    assert "it shares rachel, tech corp with what was found" in text


@given(recalled(), LINKS, st.booleans(), st.dictionaries(st.sampled_from(["meaning", "words"]), st.integers(1, 99)))
def test_whatever_brought_it_the_reason_is_one_sentence_and_always_the_same(found, links, gated, ranks):
    found = replace(found, links=tuple(links), gated=gated, ranks=ranks)
    text = explanation(found)
    assert text == explanation(found)
    assert text[0].isupper()
    assert text.endswith(".")
    assert "; ;" not in text
