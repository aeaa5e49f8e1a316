"""Which memories are true now. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from automem.domain.memory import why_not_current
from automem.domain.recall import Candidate


def current(candidates: Iterable[Candidate], now: str) -> tuple[list[Candidate], dict[str, str]]:
    """Split candidates into those that are true now and, by id, the reason why each other one is not.

    Reasons: `archived`, `not_yet_valid`, `expired`, `superseded` (a memory that is itself true replaces it).
    """
    kept: list[Candidate] = []
    dropped: dict[str, str] = {}
    for candidate in candidates:
        memory = candidate.memory
        reason = why_not_current(memory.archived, memory.t_valid, memory.t_invalid, now)
        if reason is None and candidate.superseded_by:
            reason = "superseded"
        if reason is None:
            kept.append(candidate)
        else:
            dropped[memory.id] = reason
    return kept, dropped
