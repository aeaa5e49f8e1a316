"""What a memory gains from its place in a conversation. Pure.

Five things that hold for conversations between people and with assistants:

* a turn that follows a question is likely its answer, though it may repeat none of its words;
* who asks about a person by name wants what that person said;
* what states something is worth more than what asks it;
* a message that a long one answers is about what the answer is about;
* a conversation with several turns on the matter is likely to have another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from automem.domain.conversation import Turn, asks, is_short, speaker_of
from automem.domain.memory import Memory

RULES = ("answer_after_question", "named_speaker", "statement_first", "answered_at_length", "matching_conversation")
"""The names by which each of the five can be switched off."""
AFTER_QUESTION = 0.08
BY_NAMED_SPEAKER = 0.08
STATEMENT = 0.03
ANSWERED_AT_LENGTH = 0.60
MATCHING_CONVERSATION = 0.06

TURNS_OF_A_MATCH = 2
"""So many of its best turns tell how well a conversation matches."""

PARTS_OF_AN_ANSWER = 4
"""A long message may be stored in parts; so many turns after a message are looked at for its answer."""
LONGEST_ANSWERED_CHARACTERS = 1200
_ROLES = frozenset({"user", "assistant", "system", "human", "ai", "bot", "tool"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate with what both channels say of it (0..1) and its place in a conversation."""

    memory: Memory
    evidence: float
    turn: Turn | None
    short: bool
    speaker: str | None

    @classmethod
    def of(cls, memory: Memory, evidence: float) -> Placed:
        """Return a candidate, its place read from the memory."""
        turn = Turn.from_key(memory.turn_key)
        speaker = speaker_of(memory.metadata) if turn is not None else None
        return cls(memory, evidence, turn, is_short(memory.content), speaker)


def unseen_askers(candidates: Iterable[Placed], most: int) -> list[str]:
    """Return the turn keys just before the `most` best long messages, where what they answer may stand."""
    known = {candidate.memory.turn_key for candidate in candidates}
    long = [candidate for candidate in candidates if candidate.turn is not None and not candidate.short]
    best = sorted(long, key=lambda candidate: (-candidate.evidence, candidate.memory.id))[:most]
    keys = {
        near.key
        for candidate in best
        if candidate.turn is not None
        for near in candidate.turn.near(PARTS_OF_AN_ANSWER, 0)
    }
    return sorted(keys - known)


def conversation_component(
    candidates: Sequence[Placed], question_words: Sequence[str], rules: Collection[str] = RULES
) -> dict[str, float]:
    """Return, per memory id, what its place in a conversation adds: at most the sum of the amounts of `rules`."""
    by_key = {candidate.turn.key: candidate for candidate in candidates if candidate.turn is not None}
    if not by_key:  # Nothing but the third rule can hold, which saves most recalls a lot of calls.
        stated = "statement_first" in rules
        return {candidate.memory.id: _statement(candidate) if stated else 0.0 for candidate in candidates}
    words = frozenset(question_words)
    matches = _matches(candidates)
    gains: dict[str, Callable[[Placed], float]] = {
        "answer_after_question": lambda candidate: _after_question(candidate, by_key),
        "named_speaker": lambda candidate: _named(candidate, words),
        "statement_first": _statement,
        "answered_at_length": lambda candidate: _answered(candidate, by_key),
        "matching_conversation": lambda candidate: _in_match(candidate, matches),
    }
    return {
        candidate.memory.id: sum((gains[name](candidate) for name in RULES if name in rules), start=0.0)
        for candidate in candidates
    }


def _statement(candidate: Placed) -> float:
    return 0.0 if candidate.short and asks(candidate.memory.content) else STATEMENT


def _named(candidate: Placed, words: frozenset[str]) -> float:
    if candidate.turn is None or candidate.speaker is None:
        return 0.0
    return 0.0 if words.isdisjoint(set(candidate.speaker.split()) - _ROLES) else BY_NAMED_SPEAKER


def _after_question(candidate: Placed, by_key: Mapping[str, Placed]) -> float:
    if candidate.turn is None or not candidate.short:
        return 0.0
    before = by_key.get(Turn(candidate.turn.thread, candidate.turn.number - 1).key)
    if before is None or not before.short or not asks(before.memory.content):
        return 0.0
    return AFTER_QUESTION * before.evidence


def _answered(candidate: Placed, by_key: Mapping[str, Placed]) -> float:
    if candidate.turn is None or len(candidate.memory.content) > LONGEST_ANSWERED_CHARACTERS:
        return 0.0
    return ANSWERED_AT_LENGTH * _answer_evidence(candidate, candidate.turn, by_key)


def _matches(candidates: Sequence[Placed]) -> dict[str, float]:
    """Return how well each conversation matches, 0..1, by the mean of its best short turns; the best one is 1."""
    evidence: dict[str, list[float]] = {}
    for candidate in candidates:
        if candidate.turn is not None and candidate.short:
            evidence.setdefault(candidate.turn.thread, []).append(candidate.evidence)
    means = {
        thread: sum(sorted(values, reverse=True)[:TURNS_OF_A_MATCH]) / TURNS_OF_A_MATCH
        for thread, values in evidence.items()
    }
    best = max(means.values(), default=0.0)
    return {thread: mean / best for thread, mean in means.items()} if best > 0 else {}


def _in_match(candidate: Placed, matches: Mapping[str, float]) -> float:
    if candidate.turn is None or not candidate.short:
        return 0.0
    return MATCHING_CONVERSATION * matches.get(candidate.turn.thread, 0.0)


def _answer_evidence(candidate: Placed, turn: Turn, by_key: Mapping[str, Placed]) -> float:
    """Return the best evidence of the long message that follows, by somebody else, in one part or several."""
    best = 0.0
    for number in range(turn.number + 1, turn.number + 1 + PARTS_OF_AN_ANSWER):
        part = by_key.get(Turn(turn.thread, number).key)
        if part is not None and part.speaker is not None and part.speaker == candidate.speaker:
            break
        if part is not None and not part.short:
            best = max(best, part.evidence)
    return best
