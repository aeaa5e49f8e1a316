import pytest

from automem.domain.conversation import Turn, nearby_texts, speaker_of, thread_of


@pytest.mark.parametrize(
    ("tags", "metadata", "thread"),
    [
        (["project:x", "session-3"], {}, "project:x|session-3"),
        (["session-3", "project:x"], {}, "project:x|session-3"),
        (["project:x"], {"session_id": "abc"}, "project:x|abc"),
        ([], {"conversation_id": 7}, "|7"),
        (["x", "session-1"], {"session": 1}, "x|1"),
        (["x", "sessions"], {}, None),
        (["x"], {"session_id": ["a"]}, None),
        ([], {}, None),
    ],
)
def test_a_conversation_is_named_by_metadata_or_a_tag_and_scoped_by_the_first_other_tag(tags, metadata, thread):
    assert thread_of(tags, metadata) == thread


def test_a_turn_survives_its_key_even_when_the_thread_holds_the_separator():
    turn = Turn("room #5|a", 12)
    assert Turn.from_key(turn.key) == turn
    assert Turn.from_key(None) is None
    assert Turn.from_key("no number") is None


def test_the_turns_around_the_first_one_lie_after_it():
    assert [turn.number for turn in Turn("t", 0).near(2, 2)] == [1, 2]
    assert [turn.number for turn in Turn("t", 5).near(2, 2)] == [3, 4, 6, 7]


def test_short_turns_count_for_each_other_and_a_question_counts_most_for_its_answer():
    texts = {"t#0": "Do you ski?", "t#1": "Yes.", "t#2": "Where?", "t#3": "x" * 401}
    assert nearby_texts("Yes.", Turn("t", 1), texts) == (("Do you ski?", 0.7), ("Where?", 0.3))
    assert nearby_texts("x" * 401, Turn("t", 3), texts) == ()


@pytest.mark.parametrize(
    ("metadata", "speaker"),
    [({"speaker": " Ann "}, "ann"), ({"role": "user"}, "user"), ({"speaker": 5}, None), ({}, None)],
)
def test_who_speaks_is_told_by_metadata(metadata, speaker):
    assert speaker_of(metadata) == speaker
