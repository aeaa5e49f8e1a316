"""Memories: create, read, change, delete."""

from __future__ import annotations

from automem.stores.graph.cypher.conditions import memory_columns, tag_condition

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


def delete_memories_by_tag(count: int) -> str:
    """Return the statement that deletes up to $limit memories having any of `count` whole tags."""
    condition = tag_condition("m", "tag", count, name="tag_keys", joined_by="OR")
    return f"MATCH (m:Memory) WHERE {condition} WITH m LIMIT $limit {_DELETE}"


def memories_by_tag(count: int) -> str:
    """Return the query for a page of memories having any of `count` whole tags, the most important first."""
    condition = tag_condition("m", "tag", count, name="tag_keys", joined_by="OR")
    return (
        f"MATCH (m:Memory) WHERE {condition} WITH m ORDER BY m.importance DESC, m.timestamp DESC, m.id "
        "SKIP $offset LIMIT $limit RETURN properties(m)"
    )
