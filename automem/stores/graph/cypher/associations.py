"""Associations: edges between two memories."""

from __future__ import annotations

from collections.abc import Sequence

from automem.domain.relation import EDGE_PROPERTIES


def _labels(labels: Sequence[str]) -> str:
    return "|".join(labels)


def merge_edges(label: str, *, with_properties: bool) -> str:
    """Return the statement that makes or updates edges of one type; it lists the rows whose memories exist.

    A row is a list of number, source, target, strength and, with properties, a map of them: FalkorDB reads a list
    faster than a map, and a plain value faster than either.
    """
    return (
        "UNWIND $rows AS row MATCH (a:Memory {id: row[1]}) MATCH (b:Memory {id: row[2]}) "
        f"MERGE (a)-[r:{label}]->(b) SET {'r += row[4], ' if with_properties else ''}r.strength = row[3], "
        "r.updated_at = $now, r.created_at = coalesce(r.created_at, $now) RETURN collect(row[0])"
    )


def remove_edge_property(label: str, name: str) -> str:
    """Return the statement that removes one own property, of EDGE_PROPERTIES, from edges given by their ends."""
    return (
        "UNWIND $rows AS row MATCH (a:Memory {id: row[0]}) MATCH (b:Memory {id: row[1]}) "
        f"MATCH (a)-[r:{label}]->(b) SET r.{EDGE_PROPERTIES[EDGE_PROPERTIES.index(name)]} = NULL"
    )


def find_edge(labels: Sequence[str]) -> str:
    """Return the query for the edges of these types from one memory to another."""
    return (
        f"MATCH (a:Memory {{id: $source}})-[r:{_labels(labels)}]->(b:Memory {{id: $target}}) "
        "RETURN type(r), properties(r)"
    )


def delete_edges(labels: Sequence[str]) -> str:
    """Return the statement that removes them."""
    return (
        f"MATCH (a:Memory {{id: $source}})-[r:{_labels(labels)}]->(b:Memory {{id: $target}}) DELETE r RETURN count(r)"
    )


_EDGES_OF = {
    "out": "MATCH (a:Memory {id: $id})-[r:%s]->(b:Memory)",
    "in": "MATCH (a:Memory)-[r:%s]->(b:Memory {id: $id})",
    "both": "MATCH (s:Memory {id: $id})-[r:%s]-(n:Memory) WITH r, startNode(r) AS a, endNode(r) AS b",
    "all": "MATCH (a:Memory)-[r:%s]->(b:Memory)",
}


def list_edges(labels: Sequence[str], direction: str) -> str:
    """Return the query for a page of edges; `direction` is `out`, `in` or `both` (of memory $id), or `all`."""
    return (
        f"{_EDGES_OF[direction] % _labels(labels)} RETURN a.id, b.id, type(r), properties(r) "
        "ORDER BY a.id, b.id, type(r) SKIP $offset LIMIT $limit"
    )
