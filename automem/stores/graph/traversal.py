"""Walk from memories along edges, hop by hop, remembering every path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from automem.domain.paths import HOP_DAMPING, path_strength
from automem.domain.recall import Candidate, Edge, Link, MemoryFilter, Step
from automem.domain.relation import shown_as, strength_of
from automem.stores.graph.reads import GraphReads, WalkRules


@dataclass(frozen=True, slots=True)
class Reached:
    """A memory that a walk reached, with every link of its nearest hop, and how near the strongest makes it, 0..1."""

    candidate: Candidate
    links: tuple[Link, ...]
    nearness: float


def follow_relations(
    reads: GraphReads, seeds: Iterable[str], rules: WalkRules, *, depth: int, limit: int
) -> dict[str, Reached]:
    """Return up to `limit` memories reached over edges within `depth` hops, by id, the nearest of each hop first.

    Takes one round trip per hop.
    """
    found: dict[str, Reached] = {}
    origins = dict.fromkeys(seeds, 1.0)
    seen = list(origins)
    for _ in range(depth):
        step: dict[str, Reached] = {}
        for walked in reads.walk(origins, seen, rules, limit - len(found)):
            links = tuple(_link(origin, edge, found) for origin, edge in walked.edges)
            reached = Reached(walked.candidate, links, max(map(path_strength, links)))
            step[reached.candidate.memory.id] = reached
        nearest = sorted(step, key=lambda target: (-step[target].nearness, target))
        found.update((target, step[target]) for target in nearest)
        if not step or len(found) >= limit:
            break
        seen += nearest
        origins = {target: HOP_DAMPING * step[target].nearness for target in nearest}
    return found


MOST_STEPS = 20_000
"""Edges looked at in one hop of the search for a path."""


@dataclass(frozen=True, slots=True)
class Path:
    """A shortest path, None where there is none; not `complete` when the search saw but a part of what is near."""

    steps: tuple[Step, ...] | None
    complete: bool


def shortest_path(
    reads: GraphReads, start: str, end: str, types: Sequence[str], where: MemoryFilter, *, max_depth: int
) -> Path:
    """Return a shortest path over edges of these types, in both directions, of at most `max_depth` of them.

    Both ends search towards each other, the smaller side first, one round trip per hop. Of the memories where they
    meet, the one with the strongest steps to both sides counts.
    """
    if start == end:
        return Path((), complete=True)
    sides: tuple[dict[str, Step | None], dict[str, Step | None]] = ({start: None}, {end: None})
    frontiers: list[list[str]] = [[start], [end]]
    complete = True
    for _ in range(max_depth):
        side = 0 if len(frontiers[0]) <= len(frontiers[1]) else 1
        seen = sides[side]
        steps = reads.steps(frontiers[side], types, where, (end, start)[side], MOST_STEPS)
        complete = complete and len(steps) < MOST_STEPS
        steps.sort(key=lambda step: (step.strength, step.origin, step.type))
        found = {step.target: step for step in steps if step.target not in seen}  # Of several edges the strongest.
        seen.update(found)
        frontiers[side] = list(found)
        meeting = [target for target in found if target in sides[1 - side]]
        if meeting:
            ways = [_joined(sides, target) for target in sorted(meeting)]
            return Path(max(ways, key=lambda way: prod(step.strength for step in way)), complete)
        if not found:
            break
    return Path(None, complete)


def _joined(sides: tuple[Mapping[str, Step | None], Mapping[str, Step | None]], meeting: str) -> tuple[Step, ...]:
    """Return the steps from the start to a memory that both sides reached, and on to the end."""
    before: list[Step] = []
    at = meeting
    while (step := sides[0][at]) is not None:
        before.append(step)
        at = step.origin
    after: list[Step] = []
    at = meeting
    while (step := sides[1][at]) is not None:
        after.append(_reversed(step))
        at = step.origin
    return (*reversed(before), *after)


def _reversed(step: Step) -> Step:
    direction: Literal["out", "in"] = "in" if step.direction == "out" else "out"
    return Step(step.target, step.origin, step.type, step.strength, direction)


def _step(origin: str, edge: Edge) -> Step:
    kind, properties = shown_as(edge.label, dict(edge.properties))
    direction: Literal["out", "in"] = "out" if edge.source == origin else "in"
    target = edge.target if direction == "out" else edge.source
    return Step(origin, target, kind, strength_of(properties), direction)


def _link(origin: str, edge: Edge, found: Mapping[str, Reached]) -> Link:
    """Return the way over an edge, which continues the strongest way to the memory it was walked from."""
    _, properties = shown_as(edge.label, dict(edge.properties))
    step = _step(origin, edge)
    before = found.get(origin)
    if before is None:
        return Link(origin, (step,), properties)
    way = max(before.links, key=path_strength)
    return Link(way.seed, (*way.path, step), properties)
