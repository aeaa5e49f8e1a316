"""Join memories by typed edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from automem.domain import timestamps
from automem.domain.recall import Edge
from automem.domain.relation import REGISTRY
from automem.errors import GraphRefused, NotFound
from automem.stores.graph.associations import EdgeWrite, GraphAssociations

MISSING_MEMORIES = "One or both memories do not exist"
NO_ASSOCIATION = "Association not found"


class NewAssociation(NamedTuple):
    """A validated edge from memory1 to memory2; `properties` are the type's own, None removing one."""

    memory1_id: str
    memory2_id: str
    relation: str
    strength: float
    properties: Mapping[str, Any]


class AssociationService:
    """Creates, lists and removes associations. At most one edge of a type joins one memory to another."""

    def __init__(self, associations: GraphAssociations) -> None:
        self._associations = associations

    def create(self, new: NewAssociation) -> None:
        """Make an edge, or update the one that is there.

        Raises:
            NotFound: a memory does not exist.
            GraphUnavailable, GraphRefused: as the graph answers.
        """
        now = timestamps.now()
        if not self._associations.merge(new.relation, [_edge(0, new)], now):
            raise NotFound(MISSING_MEMORIES)

    def create_many(self, news: Mapping[int, NewAssociation]) -> dict[int, str]:
        """Make or update edges, one query per type; return the reason of each one that failed, by its number.

        Of items naming the same edge the last one's values hold, and all of them succeed.

        Raises:
            GraphUnavailable: some types may have been written; repeating the request is safe.
        """
        now = timestamps.now()
        winners: dict[str, dict[tuple[str, str], int]] = {}
        for number, new in news.items():
            winners.setdefault(new.relation, {})[new.memory1_id, new.memory2_id] = number
        failed: dict[int, str] = {}
        for relation, numbers in winners.items():
            failed.update(
                self._create_type(relation, [_edge(number, news[number]) for number in numbers.values()], now)
            )
        if not failed:
            return {}
        return {
            number: failed[winner]
            for number, new in news.items()
            if (winner := winners[new.relation][new.memory1_id, new.memory2_id]) in failed
        }

    def _create_type(self, relation: str, edges: Sequence[EdgeWrite], now: str) -> dict[int, str]:
        try:
            created = self._associations.merge(relation, edges, now)
        except GraphRefused:
            reason = f"Failed to create association batch for relation type {relation}"
            return {edge.number: reason for edge in edges}
        if len(created) == len(edges):
            return {}
        return {edge.number: MISSING_MEMORIES for edge in edges if edge.number not in created}

    def get(self, memory1_id: str, relation: str, memory2_id: str) -> Edge:
        """Return one edge.

        Raises:
            NotFound: there is no such edge.
        """
        edge = self._associations.find(memory1_id, relation, memory2_id)
        if edge is None:
            raise NotFound(NO_ASSOCIATION)
        return edge

    def delete(self, memory1_id: str, relation: str, memory2_id: str) -> None:
        """Remove one edge.

        Raises:
            NotFound: there is no such edge.
        """
        if not self._associations.delete(memory1_id, (relation,), memory2_id):
            raise NotFound(NO_ASSOCIATION)

    def disconnect(self, memory1_id: str, memory2_id: str) -> int:
        """Remove every edge from one memory to another, of whatever type; return how many there were.

        Raises:
            NotFound: there is none.
        """
        removed = self._associations.delete(memory1_id, tuple(REGISTRY), memory2_id)
        if not removed:
            raise NotFound(NO_ASSOCIATION)
        return removed

    def list(
        self,
        memory_id: str | None,
        direction: Literal["out", "in", "both"],
        relations: Sequence[str],
        offset: int,
        limit: int,
    ) -> tuple[list[Edge], bool]:
        """Return a page of edges in a stable order, and whether more follow."""
        page = self._associations.list(memory_id, direction, relations, offset, limit + 1)
        return page[:limit], len(page) > limit


def _edge(number: int, new: NewAssociation) -> EdgeWrite:
    return EdgeWrite(number, new.memory1_id, new.memory2_id, new.strength, dict(new.properties))
