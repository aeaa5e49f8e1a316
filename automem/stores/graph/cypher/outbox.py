"""The outbox: what the vector index still has to learn."""

from __future__ import annotations

from automem.stores.graph.cypher.conditions import memory_columns

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
