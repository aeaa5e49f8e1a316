"""All Cypher of the project. Values travel as parameters; only labels of the relation registry enter query text.

No query removes two properties of a node or an edge: FalkorDB 4.18 then removes the first and, for the second,
whichever took its place. What is over is set to 0 or "" instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from automem.domain.recall import MemoryFilter
from automem.domain.relation import EDGE_PROPERTIES, STRENGTH_SOURCES

# ---- schema

INDEXED_PROPERTIES = "CALL db.indexes() YIELD label, properties RETURN label, properties"
INDEX_STATES = (
    "CALL db.indexes() YIELD status RETURN CASE WHEN status CONTAINS 'OPERATIONAL' THEN 'OPERATIONAL' ELSE status END"
)
CONSTRAINED_PROPERTIES = "CALL db.constraints() YIELD label, properties RETURN label, properties"
CONSTRAINT_STATES = "CALL db.constraints() YIELD status RETURN status"
EDGE_TYPES = "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType"
MEMORIES_WITHOUT_KEYS = "MATCH (m:Memory) WHERE m.tag_keys IS NULL RETURN m.id, m.tags, m.content LIMIT $limit"
SET_KEYS = (
    "UNWIND $rows AS row MATCH (m:Memory {id: row.id}) "
    "SET m.tag_keys = row.tag_keys, m.name_keys = row.name_keys, m.index_pending = $token"
)


def create_index(label: str, name: str) -> str:
    """Return the statement that indexes a property for equality and ranges."""
    return f"CREATE INDEX FOR (n:{label}) ON (n.{name})"


def make_edge_type_exist(name: str) -> str:
    """Return a statement that makes the graph know an edge type and leaves nothing behind."""
    return f"CREATE (a:_Schema)-[r:{name}]->(b:_Schema) DELETE r, a, b"


# ---- memories

MEMORY_COLUMNS = (
    "id", "content", "type", "confidence", "importance", "tags", "metadata", "timestamp", "updated_at", "last_accessed",
    "t_valid", "t_invalid", "summary", "archived", "relevance_score", "turn_key",
)  # fmt: skip


SUMMARY_COLUMNS = ("id", "content", "type", "confidence", "importance", "tags", "timestamp", "summary")
"""What is shown of a memory beside another."""


def memory_columns(variable: str, names: Sequence[str] = MEMORY_COLUMNS) -> str:
    """Return the columns from which a memory is made, for a node bound to `variable`."""
    return ", ".join(f"{variable}.{name}" for name in names)


_IDEMPOTENCY_NODE = (
    "CREATE (:IdempotencyKey {key: $key, fingerprint: $fingerprint, answer: $answer, created_at: $created_at})"
)

CREATE_MEMORIES = "UNWIND $rows AS row CREATE (m:Memory) SET m = row RETURN m.id"
CREATE_MEMORIES_ONCE = (
    f"{_IDEMPOTENCY_NODE} WITH 1 AS once UNWIND $rows AS row CREATE (m:Memory) SET m = row RETURN m.id"
)
FIND_IDEMPOTENCY_KEY = "MATCH (k:IdempotencyKey {key: $key}) RETURN k.fingerprint, k.answer, k.created_at"
FORGET_IDEMPOTENCY_KEYS = (
    # Without coalesce the range index answers, and it ignores an upper bound of text.
    "MATCH (k:IdempotencyKey) WHERE coalesce(k.created_at, '') < $before WITH k LIMIT $limit DELETE k RETURN count(k)"
)


def create_superseding_memory(relation: str, *, once: bool) -> str:
    """Return the statement that stores a memory, closes the one it replaces and joins the two, or does nothing."""
    return (
        "MATCH (old:Memory {id: $old_id}) "
        f"CREATE (m:Memory) SET m = $row CREATE (old)-[r:{relation}]->(m) SET r = $edge "
        "SET old.t_invalid = CASE WHEN old.t_invalid IS NULL OR old.t_invalid > $closed_at THEN $closed_at "
        "ELSE old.t_invalid END, "
        f"old.updated_at = $now {_IDEMPOTENCY_NODE if once else ''} RETURN m.id"
    )


RESERVE_TURNS = (
    "UNWIND $threads AS thread MERGE (t:Thread {key: thread.key}) "
    "SET t.turns = coalesce(t.turns, 0) + thread.count RETURN thread.key, t.turns - thread.count"
)
GET_MEMORY = "MATCH (m:Memory {id: $id}) RETURN properties(m)"
MEMORIES_BY_TURN = f"UNWIND $keys AS key MATCH (m:Memory {{turn_key: key}}) RETURN {memory_columns('m')}"
MEMORIES_BY_ID = f"UNWIND $ids AS id MATCH (m:Memory {{id: id}}) RETURN {memory_columns('m')}"
GIVEN_VECTORS = (
    "UNWIND $ids AS id MATCH (m:Memory {id: id}) WHERE m.given_embedding IS NOT NULL RETURN id, m.given_embedding"
)
UPDATE_MEMORY = "MATCH (m:Memory {id: $id}) SET m += $changes RETURN properties(m)"
REMOVABLE = ("t_valid", "t_invalid")


def remove_property(name: str) -> str:
    """Return the statement that removes one property of REMOVABLE from a memory."""
    return f"MATCH (m:Memory {{id: $id}}) SET m.{REMOVABLE[REMOVABLE.index(name)]} = NULL"


TOUCH_MEMORIES = "UNWIND $ids AS id MATCH (m:Memory {id: id}) SET m.last_accessed = $now"
COUNT_MEMORIES = "MATCH (m:Memory) RETURN count(m)"
COUNT_MEMORIES_OF_TYPES = "MATCH (m:Memory) WHERE m.type IN $types RETURN count(m)"
_DELETE = (
    "CREATE (t:IndexRemoval {memory_id: m.id, turn_key: m.turn_key, token: $token}) DETACH DELETE m "
    "RETURN t.memory_id, t.turn_key"
)
DELETE_MEMORY = f"MATCH (m:Memory {{id: $id}}) {_DELETE}"


def _tag_condition(variable: str, parameter: str, count: int, *, name: str, joined_by: str) -> str:
    """Compare element by element: FalkorDB uses the index for `$x IN list`, not for any()."""
    return "(" + f" {joined_by} ".join(f"${parameter}{i} IN {variable}.{name}" for i in range(count)) + ")"


def tag_parameters(parameter: str, tags: Sequence[str]) -> dict[str, str]:
    """Return the parameters that tag conditions name: `tag0`, `tag1` and so on."""
    return {f"{parameter}{i}": tag for i, tag in enumerate(tags)}


def delete_memories_by_tag(count: int) -> str:
    """Return the statement that deletes up to $limit memories having any of `count` whole tags."""
    condition = _tag_condition("m", "tag", count, name="tag_keys", joined_by="OR")
    return f"MATCH (m:Memory) WHERE {condition} WITH m LIMIT $limit {_DELETE}"


def memories_by_tag(count: int) -> str:
    """Return the query for a page of memories having any of `count` whole tags, the most important first."""
    condition = _tag_condition("m", "tag", count, name="tag_keys", joined_by="OR")
    return (
        f"MATCH (m:Memory) WHERE {condition} WITH m ORDER BY m.importance DESC, m.timestamp DESC, m.id "
        "SKIP $offset LIMIT $limit RETURN properties(m)"
    )


def filter_condition(where: MemoryFilter, variable: str = "m") -> str:
    """Return the condition of a MemoryFilter on a node; its parameters come from `filter_parameters`."""
    parts = []
    if where.tags:
        name = "tag_keys" if where.tag_match == "exact" else "tag_prefixes"
        joined_by = "OR" if where.tag_mode == "any" else "AND"
        parts.append(_tag_condition(variable, "tag", len(where.tags), name=name, joined_by=joined_by))
    if where.exclude_tags:
        names = _tag_condition(variable, "not_tag", len(where.exclude_tags), name="tag_prefixes", joined_by="OR")
        parts.append(f"({variable}.tag_prefixes IS NULL OR NOT {names})")
    if where.exclude_types:
        parts.append(f"({variable}.type IS NULL OR NOT {variable}.type IN $not_types)")
    if where.start is not None:
        parts.append(f"{variable}.timestamp >= $start")
    if where.end is not None:
        # Without coalesce the range index answers, and it ignores an upper bound of text.
        parts.append(f"coalesce({variable}.timestamp, '') <= $end")
    if not where.include_archived:
        parts.append(f"({variable}.archived IS NULL OR {variable}.archived = false)")
    if where.memory_ids is not None:
        parts.append(f"{variable}.id IN $only_ids")
    return " AND ".join(parts) or "true"


def filter_parameters(where: MemoryFilter) -> dict[str, object]:
    """Return the parameters that `filter_condition` names."""
    return {
        **tag_parameters("tag", where.tags),
        **tag_parameters("not_tag", where.exclude_tags),
        "not_types": list(where.exclude_types),
        "start": where.start,
        "end": where.end,
        "only_ids": list(where.memory_ids or ()),
    }


# ---- the outbox: what the vector index still has to learn

CLAIM_INDEX_WORK = (
    "MATCH (m:Memory) WHERE m.index_pending > 0 AND (m.index_lease IS NULL OR m.index_lease < $now) "
    "WITH m ORDER BY m.index_pending LIMIT $limit SET m.index_lease = $until "
    f"RETURN m.index_pending, coalesce(m.index_attempts, 0), {memory_columns('m')}"
)
ACKNOWLEDGE_INDEXED = (
    "UNWIND $rows AS row OPTIONAL MATCH (m:Memory {id: row.id}) "
    "WITH row, m, m.index_pending = row.token AS same "
    "FOREACH (x IN CASE WHEN m IS NOT NULL AND same THEN [m] ELSE [] END | "
    "SET x.index_pending = 0, x.index_lease = 0, x.index_attempts = 0, x.index_error = '') "
    "FOREACH (x IN CASE WHEN m IS NOT NULL AND (same IS NULL OR NOT same) THEN [m] ELSE [] END | "
    "SET x.index_pending = $fresh_token, x.index_lease = 0) "
    "RETURN row.id, m IS NOT NULL"
)
RELEASE_INDEX_WORK = (
    "UNWIND $rows AS row MATCH (m:Memory {id: row.id}) WHERE m.index_pending = row.token SET m.index_lease = 0"
)
RELEASE_ALL_INDEX_WORK = "MATCH (m:Memory) WHERE m.index_pending > 0 SET m.index_lease = 0"
POSTPONE_INDEX_WORK = (
    "UNWIND $rows AS row MATCH (m:Memory {id: row.id}) WHERE m.index_pending = row.token "
    "SET m.index_lease = row.until, m.index_attempts = coalesce(m.index_attempts, 0) + 1, m.index_error = $reason"
)
COUNT_INDEX_WORK = "MATCH (m:Memory) WHERE m.index_pending > 0 RETURN count(m), min(m.index_pending)"
COUNT_INDEX_REMOVALS = "MATCH (t:IndexRemoval) RETURN count(t)"
INDEX_REMOVALS = "MATCH (t:IndexRemoval) RETURN t.memory_id, t.turn_key LIMIT $limit"
FORGET_INDEX_REMOVALS = "UNWIND $ids AS id MATCH (t:IndexRemoval {memory_id: id}) DELETE t"
UNKNOWN_IDS = "UNWIND $ids AS id OPTIONAL MATCH (m:Memory {id: id}) WITH id, m WHERE m IS NULL RETURN id"
INDEXED_IDS = (
    "MATCH (m:Memory) WHERE m.id > $after AND coalesce(m.index_pending, 0) = 0 "
    "WITH m ORDER BY m.id LIMIT $limit RETURN m.id"
)
MARK_TURNS_FOR_INDEXING = (
    "UNWIND $keys AS key MATCH (m:Memory {turn_key: key}) SET m.index_pending = $token, m.index_lease = 0"
)
MARK_FOR_INDEXING = "UNWIND $ids AS id MATCH (m:Memory {id: id}) SET m.index_pending = $token, m.index_lease = 0"

# ---- associations


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


def delete_edge(labels: Sequence[str]) -> str:
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


# ---- recall and traversal

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
    state = f" AND {_valid('m')}" if current_only else ""
    if favoured:
        state += f" AND {_tag_condition('m', 'favoured', favoured, name='tag_prefixes', joined_by='OR')}"
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
    "UNWIND $ids AS id MATCH (s:Memory {id: id}) CALL { WITH s MATCH (s)-[r]->(n:Memory) WHERE type(r) IN $types "
    "RETURN r, n ORDER BY type(r) IN $system_types, r.updated_at DESC, n.id LIMIT $limit } "
    f"RETURN id, type(r), properties(r), {memory_columns('n', SUMMARY_COLUMNS)}"
)


EDGES_AMONG = (
    # The WITH keeps the index on the ids from being read for b too, which takes five times as long.
    "UNWIND $ids AS id MATCH (a:Memory {id: id}) WITH a MATCH (a)-[r]->(b:Memory) "
    "WHERE b.id IN $ids AND type(r) IN $types "
    "RETURN a.id, b.id, type(r), properties(r)"
)


def _valid(variable: str) -> str:
    """Return the condition that a memory is within its time of validity."""
    return (
        f"({variable}.t_valid IS NULL OR {variable}.t_valid <= $now) "
        f"AND ({variable}.t_invalid IS NULL OR {variable}.t_invalid > $now)"
    )


def _replaced(variable: str) -> str:
    """Return the condition that another memory is said to have taken the place of one."""
    return f"outdegree({variable}, 'INVALIDATED_BY', 'EVOLVED_INTO') > 0"


def _true_or_replaced(variable: str) -> str:
    """Return the condition that a memory is within its validity, or that another one may stand in its place."""
    return f"(({_valid(variable)}) OR {_replaced(variable)})"


def walk(where: MemoryFilter, *, current_only: bool) -> str:
    """Return the query for the $limit memories, not in $seen, to which the strongest edges of $types lead, both ways.

    $origins lists pairs of a memory and the strength of the way to it, which weighs its edges; the strongest
    $per_memory of each are followed. Filter and state of the far memory come before that limit, and what was replaced
    comes last, so that it takes no place from what is true. Types are compared as values, which FalkorDB does faster
    than a pattern of a dozen labels.
    """
    state, replaced = (f"AND {_true_or_replaced('m')} ", _replaced("m")) if current_only else ("", "false")
    return (
        "UNWIND $origins AS origin MATCH (s:Memory {id: origin[0]}) CALL { WITH s MATCH (s)-[r]-(m:Memory) "
        f"WHERE type(r) IN $types AND NOT m.id IN $seen AND {_STRENGTH} >= $min_strength "
        f"AND coalesce(m.importance, 0.0) >= $min_importance AND {filter_condition(where)} {state}"
        f"RETURN r, m, {_STRENGTH} AS strength "
        f"ORDER BY {replaced}, strength DESC, m.importance DESC, m.id LIMIT $per_memory }} "
        "WITH m, origin[1] * CASE WHEN strength < 1.0 THEN strength ELSE 1.0 END AS nearness, "
        "[origin[0], startNode(r).id = origin[0], type(r), properties(r)] AS edge "
        "WITH m, max(nearness) AS nearness, collect(edge) AS edges ORDER BY nearness DESC, m.id LIMIT $limit "
        f"{_SUCCESSORS % 'm'} RETURN edges, {memory_columns('m')}, {_SUCCESSOR_STATES}"
    )


def sharing_keys(where: MemoryFilter, *, current_only: bool) -> str:
    """Return the query for memories that share one of $keys as a tag or a name, a few per key, the important first.

    A key shared by $most memories or more, whichever of them the filter lets pass, says little and brings none.
    """
    state, replaced = (f"AND {_true_or_replaced('m')} ", _replaced("m")) if current_only else ("", "false")
    return (
        "UNWIND $keys AS key CALL { WITH key MATCH (m:Memory) WHERE key IN m.tag_keys RETURN m LIMIT $most "
        "UNION WITH key MATCH (m:Memory) WHERE key IN m.name_keys RETURN m LIMIT $most } "
        "WITH key, collect(m) AS members WHERE size(members) < $most UNWIND members AS m "
        f"WITH key, m WHERE NOT m.id IN $seen AND coalesce(m.importance, 0.0) >= $min_importance "
        f"AND {filter_condition(where)} {state}"
        f"WITH key, m, {replaced} AS replaced ORDER BY replaced, m.importance DESC, m.timestamp DESC, m.id "
        "WITH key, collect(m.id) AS ids RETURN key, ids[0..$per_key]"
    )
