import pytest

from automem.domain.conversation import Turn, asks, nearby_texts, speaker_of, text_in_context, thread_of


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
    (question, weight), (after, less) = nearby_texts("Yes.", Turn("t", 1), texts)
    assert (question, after) == ("Do you ski?", "Where?")
    assert 1.0 >= weight > less > 0.0
    assert nearby_texts("x" * 401, Turn("t", 3), texts) == ()


def test_a_turn_further_away_counts_less():
    texts = {f"t#{number}": f"turn {number}" for number in range(8)}
    weights = dict(nearby_texts("turn 4", Turn("t", 4), texts))
    assert set(weights) == {"turn 2", "turn 3", "turn 5", "turn 6"}
    assert weights["turn 3"] == weights["turn 5"] > weights["turn 2"] == weights["turn 6"] > 0.0


@pytest.mark.parametrize(
    ("before", "content", "text"),
    [
        ("Do you ski?", "Yes.", "Do you ski?\nYes."),
        ("[2024-01-01 10:00] Do you ski?", "[10:01] Yes.", "Do you ski?\n[10:01] Yes."),
        ("[no stamp", "Yes.", "[no stamp\nYes."),
        ("x" * 401, "Yes.", None),
        ("Do you ski?", "x" * 401, None),
        (None, "Yes.", None),
    ],
)
def test_a_short_turn_is_read_after_the_short_one_before_it(before, content, text):
    texts = {"t#1": content, "t#2": "later", "u#0": "elsewhere"} | ({"t#0": before} if before is not None else {})
    assert text_in_context(content, Turn("t", 1), texts) == text
    assert text_in_context(content, Turn("t", 0), texts) is None


@pytest.mark.parametrize(("text", "does"), [("Why?", True), ("为什么？", True), ("Because.", False), ("", False)])  # noqa: RUF001
def test_a_question_mark_tells_a_question(text, does):
    assert asks(text) is does


@pytest.mark.parametrize(
    ("metadata", "speaker"),
    [({"speaker": " Ann "}, "ann"), ({"role": "user"}, "user"), ({"speaker": 5}, None), ({}, None)],
)
def test_who_speaks_is_told_by_metadata(metadata, speaker):
    assert speaker_of(metadata) == speaker
