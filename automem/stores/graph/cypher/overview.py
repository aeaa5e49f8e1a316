"""The graph as a whole: what is drawn of it, and what it holds in numbers."""

from __future__ import annotations

from collections.abc import Sequence

from automem.domain.recall import MemoryFilter
from automem.stores.graph.cypher.conditions import filter_condition, memory_columns, tag_condition, valid

COUNT_EDGES = "MATCH ()-[r]->() RETURN count(r)"
TYPES = (
    "MATCH (m:Memory) RETURN m.type, count(m), avg(m.confidence), "
    "sum(CASE WHEN m.importance >= 0.8 THEN 1 ELSE 0 END), "
    "sum(CASE WHEN m.importance >= 0.5 AND m.importance < 0.8 THEN 1 ELSE 0 END), "
    "sum(CASE WHEN m.confidence < 0.4 THEN 1 ELSE 0 END), "
    "sum(CASE WHEN m.confidence >= 0.4 AND m.confidence < 0.7 THEN 1 ELSE 0 END)"
)
ACTIVITY = "MATCH (m:Memory) WHERE m.timestamp >= $since RETURN left(m.timestamp, 10) AS date, count(m) ORDER BY date"
HOURS = (
    "MATCH (m:Memory) WHERE m.timestamp >= $since "
    "RETURN substring(m.timestamp, 11, 2) AS hour, count(m), avg(m.importance) ORDER BY hour"
)
NAMES = (
    "MATCH (m:Memory) UNWIND m.name_keys AS name "
    "WITH name, count(m) AS times ORDER BY times DESC, name LIMIT $limit RETURN name, times"
)
PATTERNS = (
    "MATCH (p:Pattern) WHERE p.confidence > $above RETURN p.type, p.content, p.confidence, p.observations "
    "ORDER BY p.confidence DESC, p.content LIMIT $limit"
)
PREFERENCES = (
    "MATCH (a:Memory)-[r:PREFERS_OVER]->(b:Memory) RETURN a.content, b.content, r.context, r.strength "
    "ORDER BY r.strength DESC, a.id, b.id LIMIT $limit"
)


def count_edges_of(labels: Sequence[str]) -> str:
    """Return the query that counts the edges of each of these types; FalkorDB knows the numbers without looking."""
    return " UNION ALL ".join(
        f"MATCH ()-[r:{label}]->() RETURN '{label}' AS label, count(r) AS edges" for label in labels
    )


def snapshot(where: MemoryFilter, *, typed: bool) -> str:
    """Return the query for the most important memories, each with its outgoing edges to other memories."""
    types = " AND m.type IN $types" if typed else ""
    return (
        f"MATCH (m:Memory) WHERE m.importance >= $min_importance AND {filter_condition(where)}{types} "
        "WITH m ORDER BY m.importance DESC, m.timestamp DESC, m.id LIMIT $limit "
        "OPTIONAL MATCH (m)-[r]->(n:Memory) "
        f"RETURN collect(CASE WHEN n IS NULL THEN NULL ELSE [n.id, type(r), properties(r)] END), {memory_columns('m')}"
    )


def tagged(count: int) -> str:
    """Return the query for the most important true memories having any of `count` whole tags."""
    condition = tag_condition("m", "tag", count, name="tag_keys", joined_by="OR")
    return (
        f"MATCH (m:Memory) WHERE {condition} AND (m.archived IS NULL OR m.archived = false) AND {valid('m')} "
        "OPTIONAL MATCH (m)-[:INVALIDATED_BY|EVOLVED_INTO]->(n:Memory) WITH m, count(n) AS successors "
        "WHERE successors = 0 WITH m ORDER BY m.importance DESC, m.timestamp DESC, m.id LIMIT $limit "
        f"RETURN {memory_columns('m')}"
    )
