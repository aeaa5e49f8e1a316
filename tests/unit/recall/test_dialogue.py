"""What a memory gains from its place in a conversation."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_strategies import SHARES, memory

from automem.domain.conversation import Turn
from automem.recall import dialogue
from automem.recall.dialogue import RULES, Placed, conversation_component, unseen_askers

LONG = "a long message " * 60
AMOUNTS = {
    "answer_after_question": dialogue.AFTER_QUESTION,
    "named_speaker": dialogue.BY_NAMED_SPEAKER,
    "statement_first": dialogue.STATEMENT,
    "answered_at_length": dialogue.ANSWERED_AT_LENGTH,
    "matching_conversation": dialogue.MATCHING_CONVERSATION,
}


def turn(number, content, evidence=0.5, speaker=None, thread="t"):
    """Return a candidate at a place in a conversation; without a number it is not part of one."""
    key = Turn(thread, number).key if number is not None else None
    metadata = {"speaker": speaker} if speaker is not None else {}
    return Placed.of(memory(f"{thread}{number}", content, turn_key=key, metadata=metadata), evidence)


def gains(rule, *candidates, words=()):
    found = conversation_component(candidates, words, (rule,))
    return [found[candidate.memory.id] for candidate in candidates]


def test_every_rule_has_an_amount():
    assert set(AMOUNTS) == set(RULES)


# ---- an answer follows its question


def test_a_short_turn_after_a_question_takes_over_some_of_its_evidence():
    question, reply, later = turn(0, "Where is the key?", 0.8), turn(1, "Under the mat.", 0.1), turn(2, "Thanks.", 0.1)
    found = gains("answer_after_question", question, reply, later)
    assert found == pytest.approx([0.0, 0.8 * dialogue.AFTER_QUESTION, 0.0])


@pytest.mark.parametrize(
    ("before", "reply"),
    [
        (turn(0, "The key is lost."), turn(1, "Under the mat.")),
        (turn(0, "Where is the key?"), turn(2, "Under the mat.")),
        (turn(0, "Where is the key?", thread="u"), turn(1, "Under the mat.")),
        (turn(0, f"{LONG}?"), turn(1, "Under the mat.")),
        (turn(0, "Where is the key?"), turn(1, LONG)),
        (turn(None, "Where is the key?"), turn(None, "Under the mat.", thread="u")),
    ],
)
def test_other_turns_take_over_nothing(before, reply):
    assert gains("answer_after_question", before, reply) == [0.0, 0.0]


# ---- who is named is quoted


@pytest.mark.parametrize(
    ("speaker", "words", "named"),
    [
        ("Ann", ("ann", "key"), True),
        ("Ann Lee", ("lee",), True),
        ("Ann", ("anna",), False),
        ("user", ("user",), False),
        ("Assistant", ("assistant", "key"), False),
        (None, ("ann",), False),
    ],
)
def test_who_is_named_in_the_question_is_quoted_and_a_role_is_no_name(speaker, words, named):
    expected = dialogue.BY_NAMED_SPEAKER if named else 0.0
    assert gains("named_speaker", turn(0, "Under the mat.", speaker=speaker), words=words) == [expected]


def test_a_name_counts_in_conversations_only():
    assert gains("named_speaker", turn(None, "Under the mat.", speaker="Ann"), words=("ann",)) == [0.0]


# ---- statements matter more than questions


@pytest.mark.parametrize(
    ("content", "states"),
    [("It is here.", True), ("Is it here?", False), ("在哪里？", False), (f"{LONG}?", True)],  # noqa: RUF001
)
@pytest.mark.parametrize("number", [0, None])
def test_whatever_is_not_a_short_question_states_something(content, states, number):
    assert gains("statement_first", turn(number, content)) == [dialogue.STATEMENT if states else 0.0]


# ---- a long answer tells what was asked


def test_a_message_takes_over_evidence_of_the_long_one_that_answers_it():
    asked, answer = turn(0, "Explain tides", 0.1, "Ann"), turn(1, LONG, 0.6, "Bob")
    assert gains("answered_at_length", asked, answer) == pytest.approx([0.6 * dialogue.ANSWERED_AT_LENGTH, 0.0])


def test_the_best_part_of_an_answer_in_parts_counts_and_parts_far_away_do_not():
    asked = turn(0, "Explain tides", 0.1, "Ann")
    parts = [turn(number, LONG, number / 10, "Bob") for number in range(1, dialogue.PARTS_OF_AN_ANSWER + 3)]
    found = gains("answered_at_length", asked, *parts)[0]
    assert found == pytest.approx(dialogue.PARTS_OF_AN_ANSWER / 10 * dialogue.ANSWERED_AT_LENGTH)


@pytest.mark.parametrize(
    "others",
    [
        [turn(1, "a short reply", 0.9, "Bob")],
        [turn(1, LONG, 0.9, "Ann")],
        [turn(1, "wait", 0.1, "Ann"), turn(2, LONG, 0.9, "Bob")],
        [turn(1, LONG, 0.9, "Bob", thread="u")],
        [],
    ],
)
def test_what_is_short_elsewhere_or_by_the_same_speaker_answers_nothing(others):
    assert gains("answered_at_length", turn(0, "Explain tides", 0.1, "Ann"), *others)[0] == 0.0


def test_a_message_as_long_as_an_answer_is_not_one_that_asks():
    asked = turn(0, "x" * (dialogue.LONGEST_ANSWERED_CHARACTERS + 1), 0.1, "Ann")
    assert gains("answered_at_length", asked, turn(1, LONG, 0.9, "Bob"))[0] == 0.0


def test_the_places_before_the_best_long_messages_are_looked_up_if_they_are_not_known():
    best, other = turn(7, LONG, 0.9), turn(3, LONG, 0.1, thread="u")
    assert unseen_askers([best, other, turn(5, "known")], 1) == ["t#3", "t#4", "t#6"]
    assert unseen_askers([best, other], 2) == ["t#3", "t#4", "t#5", "t#6", "u#0", "u#1", "u#2"]
    assert unseen_askers([turn(7, "short"), turn(None, LONG, thread="v")], 5) == []


# ---- a conversation on the matter


def test_the_conversation_whose_turns_fit_best_lifts_all_its_short_turns():
    fits = [turn(0, "tides", 0.8), turn(5, "ebb", 0.6), turn(9, "aside", 0.0)]
    other = [turn(0, "rain", 0.7, thread="u"), turn(1, "aside", 0.0, thread="u")]
    found = gains("matching_conversation", *fits, *other, turn(20, LONG, 0.0), turn(None, "alone", 0.9, thread="v"))
    assert found[:3] == pytest.approx([dialogue.MATCHING_CONVERSATION] * 3)
    assert found[3] == found[4]
    assert 0.0 < found[3] < found[0]
    assert found[5:] == [0.0, 0.0]


def test_conversations_about_nothing_of_the_kind_lift_nothing():
    assert gains("matching_conversation", turn(0, "a", 0.0), turn(1, "b", 0.0)) == [0.0, 0.0]


# ---- properties

CONTENTS = st.sampled_from(["Where?", "Here.", LONG, f"{LONG}?", ""])
CANDIDATES = st.lists(
    st.builds(
        turn,
        st.one_of(st.none(), st.integers(0, 6)),
        CONTENTS,
        SHARES,
        st.sampled_from([None, "Ann", "Bob", "user"]),
        st.sampled_from("tu"),
    ),
    max_size=8,
    unique_by=lambda candidate: candidate.memory.id,
)
WORDS = st.lists(st.sampled_from(["ann", "bob", "user", "key"]), max_size=2)


@given(CANDIDATES, WORDS, st.sets(st.sampled_from(RULES)))
def test_whoever_speaks_the_gain_lies_between_nothing_and_the_sum_of_the_rules_that_hold(candidates, words, rules):
    found = conversation_component(candidates, words, rules)
    assert set(found) == {candidate.memory.id for candidate in candidates}
    most = sum(AMOUNTS[rule] for rule in rules)
    assert all(0.0 <= gain <= most + 1e-9 for gain in found.values())


@given(CANDIDATES, WORDS)
def test_each_rule_adds_its_own_part(candidates, words):
    together = conversation_component(candidates, words)
    apart = [conversation_component(candidates, words, (rule,)) for rule in RULES]
    for memory_id, gain in together.items():
        assert gain == pytest.approx(sum(part[memory_id] for part in apart))


@given(CANDIDATES, WORDS, st.randoms(use_true_random=False))
def test_the_gain_does_not_depend_on_what_comes_first(candidates, words, random):
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert conversation_component(shuffled, words) == conversation_component(candidates, words)


@given(CANDIDATES, st.integers(0, 5))
def test_only_places_that_are_not_known_are_looked_up_and_each_once(candidates, most):
    keys = unseen_askers(candidates, most)
    assert len(keys) <= most * dialogue.PARTS_OF_AN_ANSWER
    assert all(one < other for one, other in pairwise(keys))
    assert set(keys).isdisjoint(candidate.memory.turn_key for candidate in candidates)
