"""The reads behind recall and traversal: each method is one round trip, however many memories it concerns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from automem.domain.memory import Memory, why_not_current
from automem.domain.recall import Candidate, Edge, MemoryFilter, Step
from automem.domain.relation import REGISTRY, labels_of, shown_as, strength_of
from automem.stores.graph.base import GraphRunner
from automem.stores.graph.cypher import recall as cypher
from automem.stores.graph.cypher.conditions import filter_parameters, tag_parameters
from automem.stores.graph.records import memory_from_columns, memory_from_summary, optional_text


@dataclass(frozen=True, slots=True)
class Walked:
    """A memory that was reached, and the edges that lead to it, each with the memory it was walked from."""

    candidate: Candidate
    edges: tuple[tuple[str, Edge], ...]


@dataclass(frozen=True, slots=True)
class WalkRules:
    """Which edges to walk: their types, how many from one memory, and what the far memory must be."""

    types: tuple[str, ...]
    per_memory: int
    where: MemoryFilter
    now: str
    min_strength: float = 0.0
    min_importance: float = 0.0
    current_only: bool = False


@dataclass(frozen=True, slots=True)
class Succession:
    """An edge that says that its target took the place of its source, and the target."""

    edge: Edge
    successor: Candidate


class GraphReads:
    """Reads memories and edges for recall and traversal.

    Every method raises GraphUnavailable and GraphRefused as its GraphRunner does.
    """

    def __init__(self, runner: GraphRunner) -> None:
        self._runner = runner

    def candidates(self, memory_ids: Sequence[str], where: MemoryFilter, now: str) -> dict[str, Candidate]:
        """Return, of these ids, the memories that exist and pass the filter."""
        if not memory_ids:
            return {}
        rows = self._runner.read(cypher.recall_candidates(where), {"ids": list(memory_ids), **filter_parameters(where)})
        return {row[0]: _candidate(row, now) for row in rows}

    def candidates_by_turn(self, turn_keys: Sequence[str], where: MemoryFilter, now: str) -> dict[str, Candidate]:
        """Return the memories at these places in conversations that pass the filter, by memory id."""
        if not turn_keys:
            return {}
        rows = self._runner.read(
            cypher.candidates_by_turn(where), {"keys": list(turn_keys), **filter_parameters(where)}
        )
        return {row[0]: _candidate(row, now) for row in rows}

    def listing(
        self,
        where: MemoryFilter,
        *,
        order: str,
        limit: int,
        now: str,
        current_only: bool,
        favoured: Sequence[str] = (),
    ) -> list[Candidate]:
        """Return memories without a search, in an order of `cypher.LIST_ORDERS`.

        With `favoured`, canonical tags, only those that also have a tag which begins with one of them.
        """
        rows = self._runner.read(
            cypher.list_memories(where, current_only=current_only, order=order, favoured=len(favoured)),
            {
                "now": now,
                "limit": limit,
                **filter_parameters(where),
                **tag_parameters("favoured", favoured),
            },
        )
        return [_candidate(row, now) for row in rows]

    def successions(self, memory_ids: Sequence[str], now: str) -> list[Succession]:
        """Return the edges from each memory to those that took its place."""
        if not memory_ids:
            return []
        rows = self._runner.read(cypher.SUCCESSIONS, {"ids": list(memory_ids)})
        found = []
        for origin, label, properties, *row in rows:
            successor = _candidate(row, now)
            found.append(Succession(Edge(origin, successor.memory.id, label, properties), successor))
        return found

    def neighbours(self, memory_ids: Sequence[str], types: Sequence[str], limit: int) -> list[tuple[Edge, Memory]]:
        """Return the outgoing edges of each memory with their far memory, authored types first, then the newest.

        The far memories hold SUMMARY_COLUMNS only.
        """
        if not memory_ids:
            return []
        rows = self._runner.read(
            cypher.NEIGHBOURS,
            {
                "ids": list(memory_ids),
                "types": list(labels_of(tuple(types))),
                "system_types": [name for name, relation in REGISTRY.items() if relation.system],
                "limit": limit,
            },
        )
        found = []
        for origin, label, properties, *columns in rows:
            memory = memory_from_summary(columns)
            found.append((Edge(origin, memory.id, label, properties), memory))
        return found

    def edges_among(self, memory_ids: Sequence[str], types: Sequence[str]) -> list[Edge]:
        """Return the edges of these types that join some of the memories to one another."""
        if len(memory_ids) < 2:
            return []
        rows = self._runner.read(cypher.EDGES_AMONG, {"ids": list(memory_ids), "types": list(labels_of(tuple(types)))})
        return [Edge(*row) for row in rows]

    def walk(self, origins: Mapping[str, float], seen: Sequence[str], rules: WalkRules, limit: int) -> list[Walked]:
        """Follow one edge, in both directions, from each memory to the `limit` nearest that are not in `seen`.

        `origins` maps memory ids to the strength of the way so far, 0..1, which weighs the edges that continue it.
        """
        if not origins:
            return []
        rows = self._runner.read(
            cypher.walk(rules.where, current_only=rules.current_only),
            {
                "origins": [[memory_id, float(strength)] for memory_id, strength in origins.items()],
                "seen": list(seen),
                "types": list(labels_of(rules.types)),
                "per_memory": rules.per_memory,
                "min_strength": rules.min_strength,
                "min_importance": rules.min_importance,
                "limit": limit,
                "now": rules.now,
                **filter_parameters(rules.where),
            },
        )
        return [_walked(row, rules.now) for row in rows]

    def steps(
        self, memory_ids: Sequence[str], types: Sequence[str], where: MemoryFilter, towards: str, limit: int
    ) -> list[Step]:
        """Return up to `limit` steps over edges of these types, either way, from these memories to others."""
        rows = self._runner.read(
            cypher.steps(where),
            {
                "ids": list(memory_ids),
                "types": list(labels_of(tuple(types))),
                "towards": towards,
                "limit": limit,
                **filter_parameters(where),
            },
        )
        return [
            Step(origin, target, shown_as(label, {})[0], strength_of(properties), "out" if outgoing else "in")
            for origin, target, label, properties, outgoing in rows
        ]

    def sharing(self, keys: Sequence[str], seen: Sequence[str], rules: WalkRules, most: int) -> dict[str, list[str]]:
        """Return, per tag or name, ids of further memories that share it; one shared by `most` or more brings none."""
        if not keys:
            return {}
        rows = self._runner.read(
            cypher.sharing_keys(rules.where, current_only=rules.current_only),
            {
                "keys": list(keys),
                "seen": list(seen),
                "most": most,
                "per_key": rules.per_memory,
                "min_importance": rules.min_importance,
                "now": rules.now,
                **filter_parameters(rules.where),
            },
        )
        return {key: list(ids) for key, ids in rows}


def _candidate(row: Sequence[Any], now: str) -> Candidate:
    *columns, superseders = row
    successors = [item for item in superseders if item[0] is not None]
    active = (
        target
        for target, archived, t_valid, t_invalid in successors
        if why_not_current(archived is True, optional_text(t_valid), optional_text(t_invalid), now) is None
    )
    return Candidate(memory_from_columns(columns), tuple(dict.fromkeys(active)), bool(successors))


def _walked(row: Sequence[Any], now: str) -> Walked:
    edges, *columns = row
    candidate = _candidate(columns, now)
    target = candidate.memory.id
    return Walked(
        candidate,
        tuple(
            (origin, Edge(origin, target, label, properties) if outgoing else Edge(target, origin, label, properties))
            for origin, outgoing, label, properties in edges
        ),
    )
