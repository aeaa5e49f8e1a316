"""Recall and traversal."""

from __future__ import annotations

from automem.domain.recall import MemoryFilter
from automem.domain.relation import STRENGTH_SOURCES
from automem.stores.graph.cypher.conditions import (
    SUMMARY_COLUMNS,
    filter_condition,
    memory_columns,
    replaced,
    tag_condition,
    true_or_replaced,
    valid,
)

_STRENGTH = "coalesce(" + ", ".join(f"r.{name}" for name in STRENGTH_SOURCES) + ", 0.0)"


_SUCCESSORS = "OPTIONAL MATCH (%s)-[:INVALIDATED_BY|EVOLVED_INTO]->(n:Memory)"
_SUCCESSOR_STATES = (
    "collect(CASE WHEN n IS NULL THEN NULL ELSE [n.id, n.archived, n.t_valid, n.t_invalid] END)"  # Leaves out nulls.
)


def recall_candidates(where: MemoryFilter) -> str:
    """Return the query that reads those of $ids that pass the filter, with the memories superseding each."""
    return (
        f"UNWIND $ids AS id MATCH (m:Memory {{id: id}}) WHERE {filter_condition(where)} "
        f"{_SUCCESSORS % 'm'} RETURN {memory_columns('m')}, {_SUCCESSOR_STATES}"
    )


def candidates_by_turn(where: MemoryFilter) -> str:
    """Return the same query for memories by their place in a conversation, given as $keys."""
    return recall_candidates(where).replace(
        "UNWIND $ids AS id MATCH (m:Memory {id: id})", "UNWIND $keys AS key MATCH (m:Memory {turn_key: key})"
    )


SUCCESSIONS = (
    "UNWIND $ids AS id MATCH (m:Memory {id: id})-[r:INVALIDATED_BY|EVOLVED_INTO]->(s:Memory) "
    f"{_SUCCESSORS % 's'} RETURN id, type(r), properties(r), {memory_columns('s')}, {_SUCCESSOR_STATES}"
)


def list_memories(where: MemoryFilter, *, current_only: bool, order: str, favoured: int = 0) -> str:
    """Return the query for memories without a search, in the given order (a key of LIST_ORDERS).

    With `favoured`, only those that also have one of so many tags or tag prefixes.
    """
    state = f" AND {valid('m')}" if current_only else ""
    if favoured:
        state += f" AND {tag_condition('m', 'favoured', favoured, name='tag_prefixes', joined_by='OR')}"
    return (
        f"MATCH (m:Memory) WHERE {filter_condition(where)}{state} "
        f"WITH m ORDER BY {LIST_ORDERS[order]} LIMIT $limit "
        f"{_SUCCESSORS % 'm'} RETURN {memory_columns('m')}, {_SUCCESSOR_STATES}"
    )


LIST_ORDERS = {
    "score": "m.importance DESC, m.timestamp DESC, m.id",
    "time_desc": "m.timestamp DESC, m.id",
    "time_asc": "m.timestamp, m.id",
    "updated_desc": "coalesce(m.updated_at, m.timestamp) DESC, m.id",
    "updated_asc": "coalesce(m.updated_at, m.timestamp), m.id",
}

NEIGHBOURS = (
    "UNWIND $ids AS id MATCH (s:Memory {id: id}) WITH id, s MATCH (s)-[r]->(n:Memory) WHERE type(r) IN $types "
    "WITH id, r, n ORDER BY type(r) IN $system_types, r.updated_at DESC, n.id "
    "WITH id, collect([r, n])[0..$limit] AS found UNWIND found AS one WITH id, one[0] AS r, one[1] AS n "
    f"RETURN id, type(r), properties(r), {memory_columns('n', SUMMARY_COLUMNS)}"
)


EDGES_AMONG = (
    # The WITH keeps the index on the ids from being read for b too, which takes five times as long.
    "UNWIND $ids AS id MATCH (a:Memory {id: id}) WITH a MATCH (a)-[r]->(b:Memory) "
    "WHERE b.id IN $ids AND type(r) IN $types "
    "RETURN a.id, b.id, type(r), properties(r)"
)


def walk(where: MemoryFilter, *, current_only: bool) -> str:
    """Return the query for the $limit memories, not in $seen, to which the strongest edges of $types lead, both ways.

    $origins lists pairs of a memory and the strength of the way to it, which weighs its edges; the strongest
    $per_memory of each are followed. Filter and state of the far memory come before that limit, and what was replaced
    comes last, so that it takes no place from what is true. Types are compared as values, which FalkorDB does faster
    than a pattern of a dozen labels.
    """
    state, old = (f"AND {true_or_replaced('m')} ", replaced("m")) if current_only else ("", "false")
    return (
        "UNWIND $origins AS origin MATCH (s:Memory {id: origin[0]}) WITH origin, s MATCH (s)-[r]-(m:Memory) "
        f"WHERE type(r) IN $types AND NOT m.id IN $seen AND {_STRENGTH} >= $min_strength "
        f"AND coalesce(m.importance, 0.0) >= $min_importance AND {filter_condition(where)} {state}"
        f"WITH origin, r, m, {_STRENGTH} AS strength ORDER BY {old}, strength DESC, m.importance DESC, m.id "
        # A slice of what was collected takes two thirds of the time of a subquery for each memory.
        "WITH origin, collect([r, m, strength])[0..$per_memory] AS found UNWIND found AS one "
        "WITH origin, one[0] AS r, one[1] AS m, one[2] AS strength "
        "WITH m, origin[1] * CASE WHEN strength < 1.0 THEN strength ELSE 1.0 END AS nearness, "
        "[origin[0], startNode(r).id = origin[0], type(r), properties(r)] AS edge "
        "WITH m, max(nearness) AS nearness, collect(edge) AS edges ORDER BY nearness DESC, m.id LIMIT $limit "
        f"{_SUCCESSORS % 'm'} RETURN edges, {memory_columns('m')}, {_SUCCESSOR_STATES}"
    )


def steps(where: MemoryFilter) -> str:
    """Return the query for up to $limit edges of $types, both ways, that lead from $ids to other memories."""
    return (
        # The WITH keeps the planner from beginning at every memory there is.
        "UNWIND $ids AS id MATCH (s:Memory {id: id}) WITH id, s MATCH (s)-[r]-(m:Memory) "
        f"WHERE type(r) IN $types AND (m.id = $towards OR {filter_condition(where)}) "
        "RETURN id, m.id, type(r), properties(r), startNode(r).id = id LIMIT $limit"
    )


def sharing_keys(where: MemoryFilter, *, current_only: bool) -> str:
    """Return the query for memories that share one of $keys as a tag or a name, a few per key, the important first.

    A key shared by $most memories or more, whichever of them the filter lets pass, says little and brings none.
    """
    state, old = (f"AND {true_or_replaced('m')} ", replaced("m")) if current_only else ("", "false")
    return (
        "UNWIND $keys AS key CALL { WITH key MATCH (m:Memory) WHERE key IN m.tag_keys RETURN m LIMIT $most "
        "UNION WITH key MATCH (m:Memory) WHERE key IN m.name_keys RETURN m LIMIT $most } "
        "WITH key, collect(m) AS members WHERE size(members) < $most UNWIND members AS m "
        f"WITH key, m WHERE NOT m.id IN $seen AND coalesce(m.importance, 0.0) >= $min_importance "
        f"AND {filter_condition(where)} {state}"
        f"WITH key, m, {old} AS replaced ORDER BY replaced, m.importance DESC, m.timestamp DESC, m.id "
        "WITH key, collect(m.id) AS ids RETURN key, ids[0..$per_key]"
    )
