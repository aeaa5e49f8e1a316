"""Reads of the graph as a whole; each method is one round trip unless it says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from automem.domain.memory import Memory
from automem.domain.recall import Edge, MemoryFilter
from automem.domain.relation import shown_as
from automem.stores.graph.base import GraphRunner, Row
from automem.stores.graph.cypher import overview as cypher
from automem.stores.graph.cypher.conditions import filter_parameters, tag_parameters
from automem.stores.graph.records import memory_from_columns, memory_from_properties

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class TypeCount:
    """The memories of one type: how many, their mean confidence, and how many reach which level.

    Importance is high from 0.8 and medium from 0.5, confidence low below 0.4 and medium below 0.7.
    """

    type: str
    memories: int
    mean_confidence: float
    important: int
    of_medium_importance: int
    of_low_confidence: int
    of_medium_confidence: int


class GraphOverview:
    """Reads what is drawn of the graph, and what it holds in numbers.

    Every method raises GraphUnavailable and GraphRefused as its GraphRunner does.
    """

    def __init__(self, runner: GraphRunner) -> None:
        self._runner = runner

    def snapshot(
        self, where: MemoryFilter, types: Sequence[str], min_importance: float, limit: int
    ) -> tuple[list[Memory], list[Edge]]:
        """Return the most important memories and the edges among them, in three round trips.

        The memories hold DRAWN_COLUMNS only.
        """
        asked = {"types": list(types), "least": min_importance, "limit": limit, **filter_parameters(where)}
        counts = self._runner.read(cypher.levels(where, typed=bool(types), least=min_importance > 0), asked)
        # Sorting a hundred thousand memories takes ten times as long as counting them first.
        least = asked["least"] = max(min_importance, _least_importance(counts, limit))
        rows = self._runner.read(cypher.snapshot(where, typed=bool(types), least=least > 0), asked)
        memories = [memory_from_properties(dict(zip(cypher.DRAWN_COLUMNS, row, strict=True))) for row in rows]
        if not memories:
            return [], []
        ids = [memory.id for memory in memories]
        least = min(memory.importance for memory in memories)
        rows = self._runner.read(cypher.edges_among_drawn(least=least > 0), {"ids": ids, "least": least})
        drawn = set(ids)
        return memories, [Edge(source, target, *edge) for source, target, *edge in rows if str(target) in drawn]

    def totals(self) -> tuple[int, dict[str, int]]:
        """Return how many memories there are, and how many edges of each type that has any, by the name it is shown."""
        ((labels, relations),) = self._runner.read(cypher.TOTALS)
        edges: dict[str, int] = {}
        for label, count in relations.items():
            kind, _ = shown_as(label, {})
            if count:
                edges[kind] = edges.get(kind, 0) + int(count)
        return int(labels.get("Memory", 0)), edges

    def types(self) -> list[TypeCount]:
        """Return the numbers of every type of memory, by name."""
        return sorted((_type_count(row) for row in self._runner.read(cypher.TYPES)), key=lambda found: found.type)

    def activity(self, since: str, until: str) -> dict[str, int]:
        """Return how many memories there are of each date, YYYY-MM-DD, from one timestamp to before another."""
        rows = self._runner.read(cypher.ACTIVITY, {"since": since, "until": until})
        return {str(date): int(count) for date, count in rows}

    def hours(self, since: str, until: str) -> dict[str, tuple[int, float]]:
        """Return, per hour of the day in UTC ("00" to "23"), how many memories there are and their mean importance."""
        rows = self._runner.read(cypher.HOURS, {"since": since, "until": until})
        return {str(hour): (int(count), float(importance or 0.0)) for hour, count, importance in rows}

    def names(self, limit: int) -> dict[str, int]:
        """Return the names that most memories speak of, and how many do."""
        return {str(name): int(times) for name, times in self._runner.read(cypher.NAMES, {"limit": limit})}

    def patterns(self, above: float, limit: int) -> list[Row]:
        """Return type, description, confidence and observations of the patterns above a confidence."""
        return self._runner.read(cypher.PATTERNS, {"above": above, "limit": limit})

    def preferences(self, limit: int) -> list[Row]:
        """Return the texts preferred and passed over, with context and strength of the edge, the strongest first."""
        return self._runner.read(cypher.PREFERENCES, {"limit": limit})

    def tagged(self, tags: Sequence[str], now: str, limit: int) -> list[Memory]:
        """Return the most important memories that are true now and have any of these canonical whole tags."""
        rows = self._runner.read(cypher.tagged(len(tags)), {**tag_parameters("tag", tags), "limit": limit, "now": now})
        return [memory_from_columns(row) for row in rows]


def _least_importance(counts: list[Row], limit: int) -> float:
    """Return an importance that at least `limit` of the counted memories reach, 0 where there are not so many."""
    reached = 0
    for level, count in sorted((row for row in counts if isinstance(row[0], int | float)), reverse=True):
        reached += int(count)
        if reached >= limit:
            return max(0.0, float(level) / cypher.LEVELS - _ROUNDING)
    return 0.0


def _type_count(row: Row) -> TypeCount:
    name, memories, confidence, *levels = row
    return TypeCount(str(name), int(memories), float(confidence or 0.0), *(int(level or 0) for level in levels))
