"""Walk from memories along edges, hop by hop, remembering every path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from automem.domain.paths import HOP_DAMPING, path_strength
from automem.domain.recall import Candidate, Edge, Link, Step
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


def _link(origin: str, edge: Edge, found: Mapping[str, Reached]) -> Link:
    """Return the way over an edge, which continues the strongest way to the memory it was walked from."""
    kind, properties = shown_as(edge.label, dict(edge.properties))
    direction: Literal["out", "in"] = "out" if edge.source == origin else "in"
    target = edge.target if direction == "out" else edge.source
    step = Step(origin, target, kind, strength_of(properties), direction)
    before = found.get(origin)
    if before is None:
        return Link(origin, (step,), properties)
    way = max(before.links, key=path_strength)
    return Link(way.seed, (*way.path, step), properties)
