"""Walk from memories along edges, hop by hop, remembering every path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from automem.domain.paths import path_strength
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
        step = _by_target(reads.walk(frontier, seen, rules), paths)
        kept = sorted(step, key=lambda target: (-_best(step[target]), target))[: limit - len(reached)]
        for target in kept:
            reached[target] = step[target]
            paths[target] = max(step[target], key=path_strength)
        seen.extend(step)
        frontier = kept
        if not frontier or len(reached) >= limit:
            break
    return {target: tuple(links) for target, links in reached.items()}


def _by_target(walked: Iterable[Walked], paths: Mapping[str, Link | None]) -> dict[str, list[Link]]:
    found: dict[str, list[Link]] = {}
    for walk in walked:
        before = paths.get(walk.origin)
        link = link_of(walk)
        if before is not None:
            link = Link(before.seed, (*before.path, *link.path), link.properties)
        found.setdefault(walk.target, []).append(link)
    return found


def _best(links: Sequence[Link]) -> float:
    return max(path_strength(link) for link in links)


def link_of(walk: Walked) -> Link:
    """Return an edge that was walked as a link of one step."""
    kind, properties = shown_as(walk.edge.label, dict(walk.edge.properties))
    direction: Literal["out", "in"] = "out" if walk.edge.source == walk.origin else "in"
    step = Step(walk.origin, walk.target, kind, strength_of(properties), direction)
    return Link(walk.origin, (step,), properties)
