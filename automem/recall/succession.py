"""From a memory that is no longer true to the one that took its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from automem.domain.memory import is_current
from automem.domain.recall import Candidate, Replacement, Step
from automem.domain.relation import strength_of
from automem.stores.graph.reads import GraphReads, Succession

LONGEST_CHAIN = 5
MOST_FOLLOWED = 100
"""Memories whose successors are looked for in one recall."""


@dataclass(frozen=True, slots=True)
class Head:
    """The memory at the end of a chain, which is true, and what it replaces."""

    candidate: Candidate
    replacement: Replacement


def heads(reads: GraphReads, memory_ids: Iterable[str], now: str) -> dict[str, Head]:
    """Return, per memory id, the true memory at the end of its chain of successors, where there is one.

    Of several successors the newest edge counts whose memory is true, else the newest that leads on. Takes one round
    trip per link of the longest chain, at most LONGEST_CHAIN. Of a circle, the target of its newest edge is the end, if
    it is true but for being replaced.
    """
    paths: dict[str, list[Succession]] = {memory_id: [] for memory_id in list(memory_ids)[:MOST_FOLLOWED]}
    found: dict[str, Head] = {}
    for _ in range(LONGEST_CHAIN):
        ends = {origin: path[-1].successor.memory.id if path else origin for origin, path in paths.items()}
        following = _by_origin(reads.successions(sorted(set(ends.values())), now))
        for origin, end in ends.items():
            path = paths.pop(origin)
            passed = {origin, *(step.successor.memory.id for step in path)}
            step = _chosen(following.get(end, ()), passed, now)
            if step is None:
                if (
                    origin not in found
                    and (last := _end_of_circle(path, following.get(end, ()), origin, now)) is not None
                ):
                    found[origin] = Head(last, _replacement(origin, path[0]))
                continue
            path.append(step)
            true = is_current(step.successor.memory, now) and not step.successor.superseded_by
            if true:
                found[origin] = Head(step.successor, _replacement(origin, path[0]))
            # Behind a successor that is not true itself there may be one that is.
            if not true or step.successor.has_successor:
                paths[origin] = path
        if not paths:
            break
    return found


def _by_origin(steps: Iterable[Succession]) -> Mapping[str, list[Succession]]:
    following: dict[str, list[Succession]] = {}
    for step in steps:
        following.setdefault(step.edge.source, []).append(step)
    return following


def _chosen(steps: Iterable[Succession], passed: set[str], now: str) -> Succession | None:
    """Return the step to take: to a true memory if there is one, then by the newer edge."""
    new = [step for step in steps if step.successor.memory.id not in passed]
    return max(new, key=lambda step: (is_current(step.successor.memory, now), *_age(step)), default=None)


def _end_of_circle(
    path: Sequence[Succession], closing: Iterable[Succession], origin: str, now: str
) -> Candidate | None:
    """Return the memory that the newest edge of a circle leads to; None where a chain merely ends."""
    back = [step for step in closing if path and step.successor.memory.id == origin]
    if not back:
        return None
    newest = max((*path, max(back, key=_age)), key=_age)
    return newest.successor if is_current(newest.successor.memory, now) else None


def _age(step: Succession) -> tuple[str, str]:
    drawn = step.edge.properties.get("updated_at") or step.successor.memory.timestamp
    return str(drawn), step.successor.memory.id


def _replacement(origin: str, first: Succession) -> Replacement:
    properties = dict(first.edge.properties)
    target = first.successor.memory.id
    step = Step(origin, target, first.edge.label, strength_of(properties), "out")
    return Replacement(origin, step, properties)
