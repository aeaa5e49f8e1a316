"""The outbox: what the vector index still has to learn, recorded on the graph with the change that caused it.

A memory whose index entry is out of date carries `index_pending`, a token that names this state. Whoever brings the
entry up to date acknowledges with the token; when the memory changed meanwhile the tokens differ and the work stays.
A deleted memory leaves an `IndexRemoval` node until its points are gone.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from automem.domain.memory import IndexWork, Removal
from automem.stores.graph.base import GraphRunner
from automem.stores.graph.cypher import outbox as cypher
from automem.stores.graph.records import memory_from_columns


@dataclass(frozen=True, slots=True)
class Backlog:
    """How much waits: index entries, removals, and the age of the oldest entry in seconds (0 when there is none)."""

    entries: int
    removals: int
    oldest_seconds: float


@dataclass(frozen=True, slots=True)
class ClaimedWork:
    """Index work leased to the caller, and how often it failed before."""

    work: IndexWork
    attempts: int


class Outbox:
    """Hands out and settles pending index work. Any number of processes may share it."""

    def __init__(self, runner: GraphRunner) -> None:
        self._runner = runner

    def claim(self, limit: int, lease_seconds: float) -> list[ClaimedWork]:
        """Lease up to `limit` out-of-date entries, the oldest first, so that nobody else gets them meanwhile."""
        now = time.time()
        rows = self._runner.write(cypher.CLAIM_INDEX_WORK, {"now": now, "until": now + lease_seconds, "limit": limit})
        return [ClaimedWork(IndexWork(memory_from_columns(row[2:]), row[0]), int(row[1])) for row in rows]

    def acknowledge(self, done: Sequence[tuple[str, int]]) -> list[str]:
        """Settle (memory id, token) pairs whose entries were just written.

        A memory that changed since stays pending under a fresh token, because the entry written may be the older one.
        Returns the ids that no longer exist, whose entries the caller must remove again.
        """
        rows = self._runner.write(
            cypher.ACKNOWLEDGE_INDEXED,
            {"rows": [{"id": memory_id, "token": token} for memory_id, token in done], "fresh_token": time.time_ns()},
        )
        return [memory_id for memory_id, exists in rows if not exists]

    def release(self, work: Sequence[tuple[str, int]]) -> None:
        """Give up the lease of (memory id, token) entries that are not up to date yet."""
        rows = [{"id": memory_id, "token": token} for memory_id, token in work]
        self._runner.write(cypher.RELEASE_INDEX_WORK, {"rows": rows})

    def release_all(self) -> None:
        """End every lease; for a process that knows that no other one is at work on this graph."""
        self._runner.write(cypher.RELEASE_ALL_INDEX_WORK)

    def postpone(self, failed: Sequence[tuple[str, int, float]], reason: str) -> None:
        """Put back (memory id, token, seconds to wait) entries that could not be written."""
        now = time.time()
        rows = [{"id": memory_id, "token": token, "until": now + wait} for memory_id, token, wait in failed]
        self._runner.write(cypher.POSTPONE_INDEX_WORK, {"rows": rows, "reason": reason[:500]})

    def removals(self, limit: int) -> list[Removal]:
        """Return deleted memories whose points may still be in the index."""
        return [Removal(*row) for row in self._runner.read(cypher.INDEX_REMOVALS, {"limit": limit})]

    def forget_removals(self, memory_ids: Sequence[str]) -> None:
        """Settle removals whose points are gone."""
        if memory_ids:
            self._runner.write(cypher.FORGET_INDEX_REMOVALS, {"ids": list(memory_ids)})

    def unknown(self, memory_ids: Sequence[str]) -> list[str]:
        """Return those ids that are no memory of the graph."""
        return [row[0] for row in self._runner.read(cypher.UNKNOWN_IDS, {"ids": list(memory_ids)})]

    def settled_ids(self, after: str, limit: int) -> list[str]:
        """Page, in id order, through the memories whose entries the graph believes to be up to date."""
        return [row[0] for row in self._runner.read(cypher.INDEXED_IDS, {"after": after, "limit": limit})]

    def mark(self, memory_ids: Sequence[str]) -> None:
        """Record the entries of these memories as out of date."""
        if memory_ids:
            self._runner.write(cypher.MARK_FOR_INDEXING, {"ids": list(memory_ids), "token": time.time_ns()})

    def mark_turns(self, turn_keys: Sequence[str]) -> None:
        """Record the entries of the memories at these places in conversations as out of date."""
        if turn_keys:
            keys = list(turn_keys)
            self._runner.write(cypher.MARK_TURNS_FOR_INDEXING, {"keys": keys, "token": time.time_ns()})

    def backlog(self) -> Backlog:
        """Return how much waits."""
        entries, oldest = self._runner.read(cypher.COUNT_INDEX_WORK)[0]
        removals = self._runner.read(cypher.COUNT_INDEX_REMOVALS)[0][0]
        age = max(0.0, time.time() - oldest / 1e9) if oldest else 0.0
        return Backlog(int(entries), int(removals), age)
