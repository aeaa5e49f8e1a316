"""Which memories are turns of one conversation, as clients tell it by metadata and tags."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from automem.domain.tags import canonical_tags

_NAMING_KEYS = ("session_id", "conversation_id", "thread_id", "chat_id", "session", "conversation", "thread", "chat")
_NAMING_TAG = re.compile(r"(?:session|conversation|thread|chat)(?:[-_:][\w:-]+|\d+)", re.ASCII)
_SPEAKER_KEYS = ("speaker", "role", "author", "sender", "from")
_SHORT_CHARACTERS = 400
_LEADING_STAMP = re.compile(r"\A\[[^\]\n]{1,40}\] ")
NEIGHBOURING_WORDS = "neighbouring_words"
"""The name by which counting the words of neighbouring turns can be switched off."""
WINDOW = 2
"""Turns on either side whose words count for a turn too."""
MEANING_IN_CONTEXT = "meaning_in_context"
"""The name by which embedding a turn after the one before it can be switched off."""
_WEIGHTS = {-2: 0.2, -1: 0.5, 1: 0.5, 2: 0.2}
_WEIGHT_OF_QUESTION = 0.8
"""Of the question that a turn follows: an answer often repeats none of its words."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A memory's place in a conversation: `number` counts from 0 in the order in which its turns were stored."""

    thread: str
    number: int

    @property
    def key(self) -> str:
        """The one text that stands for this place."""
        return f"{self.thread}#{self.number}"

    @classmethod
    def from_key(cls, key: str | None) -> Turn | None:
        """Return the turn of a key, None for anything else."""
        if key is None:
            return None
        thread, separator, number = key.rpartition("#")
        return cls(thread, int(number)) if separator and number.isdigit() else None

    def near(self, before: int, after: int) -> list[Turn]:
        """Return the places up to `before` turns earlier and `after` turns later, itself left out."""
        numbers = range(max(0, self.number - before), self.number + after + 1)
        return [Turn(self.thread, number) for number in numbers if number != self.number]


def thread_of(tags: Sequence[str], metadata: Mapping[str, Any]) -> str | None:
    """Return a name for the conversation that a memory is a turn of; None when the client names none.

    A conversation is named by metadata (`session_id`, `conversation_id`, `thread_id`, `chat_id`, or these without
    `_id`) or by a tag such as `session-3`. The first other tag tells apart conversations of the same name.
    """
    named = next((str(metadata[key]) for key in _NAMING_KEYS if isinstance(metadata.get(key), str | int)), "")
    scope = ""
    for tag in canonical_tags(tags):
        if _NAMING_TAG.fullmatch(tag):
            named = named or tag
        elif not scope:
            scope = tag
    named = named.replace("\x00", "")[:200]  # Metadata may hold this character, a key in the graph may not.
    return f"{scope}|{named}" if named else None


def speaker_of(metadata: Mapping[str, Any]) -> str | None:
    """Return who said a turn, lower-case, as metadata tells; None when it does not."""
    for key in _SPEAKER_KEYS:
        value = metadata.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip().casefold()
    return None


def is_short(content: str) -> bool:
    """Tell whether a text is a short turn of dialogue, up to about 80 tokens, rather than a long message."""
    return len(content) <= _SHORT_CHARACTERS


def nearby_texts(content: str, turn: Turn, texts: Mapping[str, str]) -> tuple[tuple[str, float], ...]:
    """Return the texts around a turn that count for it, each with its weight; `texts` are contents by turn key.

    Only short turns count for each other: a long message says by itself what it is about.
    """
    if not is_short(content):
        return ()
    found = []
    for offset, weight in _WEIGHTS.items():
        text = texts.get(Turn(turn.thread, turn.number + offset).key)
        if text is not None and is_short(text):
            found.append((text, _WEIGHT_OF_QUESTION if offset == -1 and asks(text) else weight))
    return tuple(found)


def text_in_context(content: str, turn: Turn, texts: Mapping[str, str]) -> str | None:
    """Return a short turn after the short one before it, without that one's leading stamp; None where there is none."""
    before = texts.get(Turn(turn.thread, turn.number - 1).key)
    if before is None or not is_short(before) or not is_short(content):
        return None
    return f"{_LEADING_STAMP.sub('', before)}\n{content}"


def asks(content: str) -> bool:
    """Tell whether a turn asks something."""
    return "?" in content or "？" in content  # noqa: RUF001
