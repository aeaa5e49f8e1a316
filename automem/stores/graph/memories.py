"""Memories as nodes of the graph: create, read, change, delete."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from automem.domain import timestamps
from automem.domain.memory import IdempotencyRecord, Memory, Removal, Supersession
from automem.stores.graph.base import GraphRunner
from automem.stores.graph.cypher import memories as cypher
from automem.stores.graph.cypher.conditions import tag_parameters
from automem.stores.graph.records import memory_from_columns, memory_from_properties, properties_of

WRITER_LEASE_SECONDS = 60.0
"""How long background work leaves a fresh index entry to the request that caused it."""


def pending(token: int, lease_seconds: float = WRITER_LEASE_SECONDS) -> dict[str, Any]:
    """Return the properties that record an index entry as out of date, leased to the caller."""
    return {
        "index_pending": token,
        "index_lease": time.time() + lease_seconds,
        "index_attempts": 0,
        "index_error": "",
    }


class GraphMemories:
    """Reads and writes Memory nodes. Every change that the vector index must learn is recorded in the same query.

    Every method raises GraphUnavailable and GraphRefused as its GraphRunner does.
    """

    def __init__(self, runner: GraphRunner) -> None:
        self._runner = runner

    def create(
        self,
        memories: Sequence[Memory],
        token: int,
        *,
        once: IdempotencyRecord | None = None,
        replaces: Supersession | None = None,
    ) -> bool:
        """Store memories, all or none, together with the key that makes the request repeatable.

        `replaces` (with exactly one memory) closes an older memory and joins it to the new one. Returns False when that
        older memory does not exist; nothing is written then.

        Raises:
            ConstraintViolated: the idempotency key was used meanwhile; nothing is written.
        """
        rows = [properties_of(memory, pending(token)) for memory in memories]
        key = asdict(once) if once is not None else {}
        if replaces is None:
            statement = cypher.CREATE_MEMORIES_ONCE if once is not None else cypher.CREATE_MEMORIES
            return len(self._runner.write(statement, {"rows": rows, **key})) == len(rows)
        (memory,) = memories
        now = timestamps.now()
        edge = {"strength": replaces.strength, "created_at": now, "updated_at": now}
        statement = cypher.create_superseding_memory(replaces.relation, once=once is not None)
        return bool(
            self._runner.write(
                statement,
                {
                    "old_id": replaces.memory_id,
                    "row": rows[0],
                    "edge": edge,
                    "closed_at": memory.t_valid or memory.timestamp,
                    "now": now,
                    **key,
                },
            )
        )

    def reserve_turns(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Reserve a number of turns in each conversation; return the first number reserved of each.

        A request that fails afterwards leaves a gap, which only means that the turns around it are not neighbours.
        """
        if not counts:
            return {}
        threads = [{"key": key, "count": count} for key, count in counts.items()]
        return {key: int(first) for key, first in self._runner.write(cypher.RESERVE_TURNS, {"threads": threads})}

    def find_idempotency_record(self, key: str) -> IdempotencyRecord | None:
        """Return what was answered under an idempotency key."""
        rows = self._runner.read(cypher.FIND_IDEMPOTENCY_KEY, {"key": key})
        return IdempotencyRecord(key, *rows[0]) if rows else None

    def forget_idempotency_records(self, before: str, limit: int = 500) -> int:
        """Delete up to `limit` idempotency keys older than a canonical timestamp; return how many."""
        return int(self._runner.write(cypher.FORGET_IDEMPOTENCY_KEYS, {"before": before, "limit": limit})[0][0])

    def get(self, memory_id: str) -> Memory | None:
        """Return one memory with every property of its node."""
        rows = self._runner.read(cypher.GET_MEMORY, {"id": memory_id})
        return memory_from_properties(rows[0][0]) if rows else None

    def get_many(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """Return the memories that exist among these ids."""
        rows = self._runner.read(cypher.MEMORIES_BY_ID, {"ids": list(memory_ids)}) if memory_ids else []
        return {row[0]: memory_from_columns(row) for row in rows}

    def update(self, memory_id: str, changes: Mapping[str, Any]) -> Memory | None:
        """Set node properties and return the memory as it is now; None when it does not exist.

        None removes one of `cypher.REMOVABLE`, in a query of its own, before the others are set.
        """
        for name in (name for name, value in changes.items() if value is None):
            self._runner.write(cypher.remove_property(name), {"id": memory_id})
        kept = {name: value for name, value in changes.items() if value is not None}
        rows = self._runner.write(cypher.UPDATE_MEMORY, {"id": memory_id, "changes": kept})
        return memory_from_properties(rows[0][0]) if rows else None

    def touch(self, memory_ids: Sequence[str], now: str) -> None:
        """Set `last_accessed` of these memories."""
        if memory_ids:
            self._runner.write(cypher.TOUCH_MEMORIES, {"ids": list(memory_ids), "now": now})

    def by_turn(self, turn_keys: Sequence[str]) -> list[Memory]:
        """Return the memories at these places in conversations."""
        rows = self._runner.read(cypher.MEMORIES_BY_TURN, {"keys": list(turn_keys)}) if turn_keys else []
        return [memory_from_columns(row) for row in rows]

    def given_vectors(self, memory_ids: Sequence[str]) -> dict[str, list[float]]:
        """Return the vectors that clients sent with these memories, as far as they did."""
        rows = self._runner.read(cypher.GIVEN_VECTORS, {"ids": list(memory_ids)}) if memory_ids else []
        return {memory_id: list(vector) for memory_id, vector in rows}

    def delete(self, memory_id: str) -> Removal | None:
        """Delete a memory and its edges, recording its index entry for removal; None when it does not exist."""
        rows = self._runner.write(cypher.DELETE_MEMORY, {"id": memory_id, "token": time.time_ns()})
        return Removal(*rows[0]) if rows else None

    def by_tag(self, tags: Sequence[str], offset: int, limit: int) -> list[Memory]:
        """Return a page of the memories having any of these canonical whole tags, the most important first."""
        rows = self._runner.read(
            cypher.memories_by_tag(len(tags)),
            {**tag_parameters("tag", tags), "offset": offset, "limit": limit},
        )
        return [memory_from_properties(row[0]) for row in rows]

    def delete_by_tag(self, tags: Sequence[str], limit: int) -> list[Removal]:
        """Delete up to `limit` memories having any of these canonical whole tags; return what to remove."""
        rows = self._runner.write(
            cypher.delete_memories_by_tag(len(tags)),
            {**tag_parameters("tag", tags), "limit": limit, "token": time.time_ns()},
        )
        return [Removal(*row) for row in rows]

    def count(self, without_types: Sequence[str] = ()) -> int:
        """Return the number of memories, leaving out those of some types."""
        total = int(self._runner.read(cypher.COUNT_MEMORIES)[0][0])
        if without_types:
            total -= int(self._runner.read(cypher.COUNT_MEMORIES_OF_TYPES, {"types": list(without_types)})[0][0])
        return total
