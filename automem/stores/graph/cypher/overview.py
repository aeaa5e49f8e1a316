"""The graph as a whole: what is drawn of it, and what it holds in numbers."""

from __future__ import annotations

from automem.domain.recall import MemoryFilter
from automem.stores.graph.cypher.conditions import filter_condition, memory_columns, tag_condition, valid

TOTALS = "CALL db.meta.stats() YIELD labels, relTypes RETURN labels, relTypes"  # Kept by FalkorDB, not counted.


def _number(value: str, otherwise: str = "NULL") -> str:
    """Return a value where it is a number: other writers store what they like, and arithmetic refuses the rest.

    Comparing anything else with a number gives NULL, and takes less time than asking for its type.
    """
    return f"CASE WHEN {value} > -1e308 THEN {value} ELSE {otherwise} END"


TYPES = (
    "MATCH (m:Memory) WITH m, toStringOrNull(m.type) AS type "
    f"RETURN CASE WHEN type <> '' THEN type ELSE 'Memory' END, count(m), avg({_number('m.confidence')}), "
    "sum(CASE WHEN m.importance >= 0.8 THEN 1 ELSE 0 END), "
    "sum(CASE WHEN m.importance >= 0.5 AND m.importance < 0.8 THEN 1 ELSE 0 END), "
    "sum(CASE WHEN m.confidence < 0.4 THEN 1 ELSE 0 END), "
    "sum(CASE WHEN m.confidence >= 0.4 AND m.confidence < 0.7 THEN 1 ELSE 0 END)"
)
# Without coalesce the range index answers, and it ignores an upper bound of text.
_RECENT = "MATCH (m:Memory) WHERE m.timestamp >= $since AND coalesce(m.timestamp, '') < $until "
ACTIVITY = f"{_RECENT}RETURN left(m.timestamp, 10) AS date, count(m) ORDER BY date"
HOURS = f"{_RECENT}RETURN substring(m.timestamp, 11, 2) AS hour, count(m), avg({_number('m.importance')}) ORDER BY hour"
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
    f"ORDER BY {_number('r.strength', '0.0')} DESC, a.id, b.id LIMIT $limit"
)


DRAWN_COLUMNS = (
    "id", "content", "type", "confidence", "importance", "tags", "timestamp", "updated_at", "metadata",
)  # fmt: skip
"""What is drawn of a memory."""
LEVELS = 50


def _drawn(where: MemoryFilter, *, typed: bool, least: bool) -> str:
    types = " AND m.type IN $types" if typed else ""
    # Where it excludes nothing, the condition would only lead to the slower index.
    importance = "m.importance >= $least AND " if least else ""
    return f"MATCH (m:Memory) WHERE {importance}{filter_condition(where)}{types} "


def levels(where: MemoryFilter, *, typed: bool, least: bool) -> str:
    """Return the query that counts the memories to draw by importance, in LEVELS equal steps from 0."""
    importance = _number("m.importance", "0.0")
    return f"{_drawn(where, typed=typed, least=least)} RETURN floor(({importance}) * {LEVELS}), count(m)"


def snapshot(where: MemoryFilter, *, typed: bool, least: bool) -> str:
    """Return the query for the most important memories to draw."""
    return (
        f"{_drawn(where, typed=typed, least=least)}"
        "WITH m ORDER BY coalesce(m.importance, 0.0) DESC, m.timestamp DESC, m.id LIMIT $limit "
        f"RETURN {memory_columns('m', DRAWN_COLUMNS)}"
    )


def edges_among_drawn(*, least: bool) -> str:
    """Return the query for the edges that lead from $ids to memories, with `least` only to those of that importance."""
    importance = "WHERE b.importance >= $least " if least else ""
    return (
        "UNWIND $ids AS id MATCH (a:Memory {id: id}) WITH a MATCH (a)-[r]->(b:Memory) "
        f"{importance}RETURN a.id, b.id, type(r), properties(r)"
    )


def tagged(count: int) -> str:
    """Return the query for the most important true memories having any of `count` whole tags."""
    condition = tag_condition("m", "tag", count, name="tag_keys", joined_by="OR")
    return (
        f"MATCH (m:Memory) WHERE {condition} AND {_true('m')} "
        f"OPTIONAL MATCH (m)-[:INVALIDATED_BY|EVOLVED_INTO]->(n:Memory) WHERE {_true('n')} "
        "WITH m, count(n) AS successors WHERE successors = 0 "
        "WITH m ORDER BY m.importance DESC, m.timestamp DESC, m.id LIMIT $limit "
        f"RETURN {memory_columns('m')}"
    )


def _true(variable: str) -> str:
    return f"({variable}.archived IS NULL OR {variable}.archived = false) AND {valid(variable)}"
