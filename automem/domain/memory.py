"""A memory as the service knows it, and the values it is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Memory:
    """One stored memory.

    Timestamps are canonical (see `timestamps`). `importance`, `confidence` and `relevance_score` lie in 0..1.
    `t_valid` and `t_invalid` bound the time in which the memory is true; None leaves that end open. `turn_key` is its
    place in a conversation (see `conversation`), if it has one. `extra` keeps further properties of the node
    that automem itself does not use, as older stores and operators set them.
    """

    id: str
    content: str
    type: str
    confidence: float
    importance: float
    tags: tuple[str, ...]
    metadata: JsonObject
    timestamp: str
    updated_at: str
    last_accessed: str
    t_valid: str | None = None
    t_invalid: str | None = None
    summary: str | None = None
    archived: bool = False
    relevance_score: float | None = None
    turn_key: str | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Supersession:
    """The memory that a new one replaces, and by which relation (INVALIDATED_BY or EVOLVED_INTO)."""

    memory_id: str
    relation: str
    strength: float = 0.9


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """A request that was carried out under a key its client chose.

    `fingerprint` identifies the request's body; `answer` is the JSON text that was, and will be again, the answer.
    """

    key: str
    fingerprint: str
    answer: str
    created_at: str


@dataclass(frozen=True, slots=True)
class IndexWork:
    """A memory whose entry in the vector index is out of date; `token` names this state of it."""

    memory: Memory
    token: int


@dataclass(frozen=True, slots=True)
class Removal:
    """A deleted memory whose points may still be in the index, and its place in a conversation if it had one."""

    memory_id: str
    turn_key: str | None


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a stored memory: `embedded` says that it can already be recalled by meaning."""

    memory: Memory
    embedded: bool
    searchable: bool


def is_current(memory: Memory, at: str) -> bool:
    """Tell whether a memory is true at a time: not archived, already valid, not yet invalid."""
    return why_not_current(memory.archived, memory.t_valid, memory.t_invalid, at) is None


def why_not_current(archived: bool, t_valid: str | None, t_invalid: str | None, at: str) -> str | None:
    """Return why a memory is not current at a time: `archived`, `not_yet_valid`, `expired`; None when it is."""
    if archived:
        return "archived"
    if t_valid is not None and t_valid > at:
        return "not_yet_valid"
    if t_invalid is not None and t_invalid <= at:
        return "expired"
    return None
