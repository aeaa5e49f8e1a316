"""The type of a memory, guessed from trigger phrases."""

import pytest

from automem.domain.classify import MEMORY_TYPES, TYPE_COLOURS, classify, colour_of_type

ONE_PHRASE = {
    "Decision": [
        "We decided to wait",
        "I chose tea over coffee",
        "Going with plan B",
        "Ada picked the red one",
        "It was selected",
        "We will use Redis",
        "Choosing a logo",
        "They opted for rail",
    ],
    "Pattern": [
        "She usually walks",
        "It typically rains",
        "Cats tend to sleep",
        "A pattern I noticed",
        "He often calls",
        "It fails frequently",
        "They meet regularly",
        "It is consistently late",
    ],
    "Preference": [
        "I prefer tea",
        "I like this one better",
        "Always use tabs",
        "Tea rather than milk",
        "Rail instead of road",
        "They favor rail",
    ],
    "Style": [
        "She wrote it in a dry style",
        "He communicated it",
        "She responded to it",
        "It was formatted as a table",
        "using a warm tone",
        "It was expressed as a sum",
    ],
    "Habit": [
        "She always runs",
        "Every time it rains",
        "He habitually checks",
        "A routine check",
        "The daily build",
        "A weekly call",
        "The monthly bill",
    ],
    "Insight": [
        "I realized it",
        "They discovered gold",
        "I learned that it leaks",
        "She understood it",
        "He figured out the lock",
        "An insight",
        "A revelation",
    ],
    "Context": [
        "During the war",
        "While working on it",
        "In the context of tests",
        "When it broke",
        "At the time it ran",
        "The situation was bad",
    ],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in ONE_PHRASE.items() for text in texts])
def test_one_phrase_gives_its_type_with_a_confidence_of_six_tenths(kind, text):
    assert classify(text) == (kind, 0.6)
    assert classify(text.upper()) == (kind, 0.6)


def test_every_type_has_its_phrases():
    assert tuple(ONE_PHRASE) == MEMORY_TYPES


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("We decided to wait and will use Redis", ("Decision", 0.8)),
        ("We decided to wait, will use Redis, going with B", ("Decision", 0.9)),
        ("We decided to, picked, selected, choosing, opted for", ("Decision", 0.95)),
        ("My favorite tea", ("Preference", 0.8)),
        ("decided to, decided to, decided to", ("Decision", 0.6)),
    ],
)
def test_further_phrases_of_a_type_raise_the_confidence_up_to_its_ceiling(text, result):
    assert classify(text) == result


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("When it rains I usually decided to stay", "Decision"),
        ("When it rains I usually stay", "Pattern"),
        ("I always use tea daily", "Preference"),
        ("She always runs when it rains", "Habit"),
        ("I realized it during the call", "Insight"),
    ],
)
def test_of_several_types_the_first_one_wins(text, kind):
    assert classify(text)[0] == kind


@pytest.mark.parametrize("text", ["", "The sky is blue", "我们迁移", "x" * 10_000])
def test_a_text_without_a_phrase_is_a_plain_memory(text):
    assert classify(text) == ("Memory", 0.3)


def test_every_type_has_a_colour_and_an_unknown_one_a_neutral_one():
    assert {colour_of_type(kind) for kind in (*MEMORY_TYPES, "Memory")} == set(TYPE_COLOURS.values())
    assert len(TYPE_COLOURS) == 8
    assert colour_of_type("Decision") == "#3B82F6"
    assert colour_of_type("Whatever") == colour_of_type("Memory") == "#94A3B8"
