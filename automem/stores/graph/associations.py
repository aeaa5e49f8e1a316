"""Associations as edges of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from automem.domain.recall import Edge
from automem.domain.relation import labels_of
from automem.stores.graph.base import GraphRunner
from automem.stores.graph.cypher import associations as cypher


class EdgeWrite(NamedTuple):
    """An edge to make or update, a row of the query: `number` identifies it, a property of None is removed."""

    number: int
    source: str
    target: str
    strength: float
    properties: Mapping[str, Any]


class GraphAssociations:
    """Reads and writes the edges between memories.

    Every method raises GraphUnavailable and GraphRefused as its GraphRunner does.
    """

    def __init__(self, runner: GraphRunner) -> None:
        self._runner = runner

    def merge(self, label: str, edges: Sequence[EdgeWrite], now: str) -> set[int]:
        """Make or update edges of one registry type, in one query, and one more for each own property that goes.

        No pair may occur twice. Properties of an edge that are not given stay; `updated_at` becomes `now`, and
        `created_at` with the edge's first write. Returns the numbers of the edges whose two memories exist.
        """
        with_properties = any(edge.properties for edge in edges)
        rows = [_row(edge) for edge in edges] if with_properties else [edge[:4] for edge in edges]
        statement = cypher.merge_edges(label, with_properties=with_properties)
        answer = self._runner.write(statement, {"rows": rows, "now": now})
        for name, ends in _cleared(edges).items():
            self._runner.write(cypher.remove_edge_property(label, name), {"rows": ends})
        return set(answer[0][0])

    def find(self, source: str, relation: str, target: str) -> Edge | None:
        """Return one edge by its ends and type."""
        rows = self._runner.read(cypher.find_edge(labels_of((relation,))), {"source": source, "target": target})
        return Edge(source, target, rows[0][0], rows[0][1]) if rows else None

    def delete(self, source: str, relations: Sequence[str], target: str) -> int:
        """Delete the edges of these types from one memory to another; return how many there were."""
        rows = self._runner.write(
            cypher.delete_edges(labels_of(tuple(relations))), {"source": source, "target": target}
        )
        return int(rows[0][0]) if rows else 0

    def list(
        self,
        memory_id: str | None,
        direction: Literal["out", "in", "both"],
        relations: Sequence[str],
        offset: int,
        limit: int,
    ) -> list[Edge]:
        """Return a page of edges of these types, of one memory or of the whole graph, in a stable order."""
        form = direction if memory_id is not None else "all"
        rows = self._runner.read(
            cypher.list_edges(labels_of(tuple(relations)), form), {"id": memory_id, "offset": offset, "limit": limit}
        )
        return [Edge(*row) for row in rows]


def _row(edge: EdgeWrite) -> tuple[Any, ...]:
    return (*edge[:4], {name: value for name, value in edge.properties.items() if value is not None})


def _cleared(edges: Sequence[EdgeWrite]) -> dict[str, list[list[str]]]:
    """Return, per own property that is to go, the ends of the edges that lose it."""
    ends: dict[str, list[list[str]]] = {}
    for edge in edges:
        for name, value in edge.properties.items():
            if value is None:
                ends.setdefault(name, []).append([edge.source, edge.target])
    return ends
