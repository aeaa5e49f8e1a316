"""Walk from memories along edges, hop by hop, remembering every path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from automem.domain.paths import HOP_DAMPING, path_strength
from automem.domain.recall import Link, Step
from automem.domain.relation import shown_as, strength_of
from automem.stores.graph.reads import GraphReads, Walked, WalkRules


def follow_relations(
    reads: GraphReads, seeds: Sequence[str], rules: WalkRules, *, depth: int, limit: int
) -> dict[str, tuple[Link, ...]]:
    """Return up to `limit` memories reached over edges within `depth` hops, each with every link that reaches it.

    Takes one round trip per hop. Stronger paths come first; a memory keeps the links of its nearest hop.
    """
    reached: dict[str, list[Link]] = {}
    paths: dict[str, Link | None] = dict.fromkeys(seeds)
    frontier: list[str] = list(seeds)
    seen: list[str] = list(seeds)
    for _ in range(depth):
        step: dict[str, list[Walked]] = {}
        for walk in reads.walk(frontier, seen, rules):
            step.setdefault(walk.target, []).append(walk)
        nearness = {target: max(_strength(walk, paths) for walk in walks) for target, walks in step.items()}
        kept = sorted(step, key=lambda target: (-nearness[target], target))[: limit - len(reached)]
        for target in kept:
            reached[target] = [_continued(walk, paths) for walk in step[target]]
            paths[target] = max(reached[target], key=path_strength)
        seen.extend(step)
        frontier = kept
        if not frontier or len(reached) >= limit:
            break
    return {target: tuple(links) for target, links in reached.items()}


def _strength(walk: Walked, paths: Mapping[str, Link | None]) -> float:
    """Return the strength of the path that an edge continues, which most edges are only measured by."""
    before = paths.get(walk.origin)
    strength = min(1.0, max(0.0, strength_of(walk.edge.properties)))
    return strength if before is None else strength * path_strength(before) * HOP_DAMPING


def _continued(walk: Walked, paths: Mapping[str, Link | None]) -> Link:
    before = paths.get(walk.origin)
    link = link_of(walk)
    return link if before is None else Link(before.seed, (*before.path, *link.path), link.properties)


def link_of(walk: Walked) -> Link:
    """Return an edge that was walked as a link of one step."""
    kind, properties = shown_as(walk.edge.label, dict(walk.edge.properties))
    direction: Literal["out", "in"] = "out" if walk.edge.source == walk.origin else "in"
    step = Step(walk.origin, walk.target, kind, strength_of(properties), direction)
    return Link(walk.origin, (step,), properties)
