"""Find what the outbox cannot know of: entries without a memory, memories without an entry, keys past their time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from automem.domain import timestamps
from automem.stores.graph.memories import GraphMemories
from automem.stores.graph.outbox import Outbox
from automem.stores.vector.base import VectorStore

logger = logging.getLogger(__name__)

PAGE = 500


class SweepTask:
    """Compares index and graph at the start and then once per interval."""

    name = "sweep"

    def __init__(
        self,
        memories: GraphMemories,
        outbox: Outbox,
        vectors: VectorStore,
        *,
        interval_seconds: float,
        idempotency_hours: float,
        wake_indexing: Callable[[], None],
    ) -> None:
        self._memories = memories
        self._outbox = outbox
        self._vectors = vectors
        self._interval_seconds = interval_seconds
        self._idempotency_hours = idempotency_hours
        self._wake_indexing = wake_indexing
        self.idle_seconds = interval_seconds
        self._next = 0.0

    def run_once(self) -> bool:
        """Sweep when the interval is over; a wake-up in between does nothing."""
        if time.monotonic() < self._next:
            return False
        self.sweep()
        self._next = time.monotonic() + self._interval_seconds * 0.9
        return False

    def sweep(self) -> None:
        """Remove entries without a memory, queue memories without an entry, forget old idempotency keys."""
        if self._memories.count() == 0 and (entries := self._vectors.count()) > 0:
            # What was deleted is removed by its own record. A graph that is empty beside an index is the wrong graph,
            # or a backup half restored.
            logger.warning("the graph is empty, but the index holds %d memories; nothing is removed", entries)
            return
        indexed = self._remove_ghosts()
        queued = self._queue_missing(indexed)
        if queued:
            logger.warning("%d memories had no index entry and are queued", queued)
            self._wake_indexing()
        oldest = timestamps.canonical(datetime.now(UTC) - timedelta(hours=self._idempotency_hours))
        while self._memories.forget_idempotency_records(oldest, PAGE) == PAGE:
            pass

    def _remove_ghosts(self) -> set[str]:
        indexed: set[str] = set()
        ghosts = 0
        cursor: str | None = None
        while True:
            ids, cursor = self._vectors.memory_ids(cursor, PAGE)
            unknown = self._outbox.unknown(ids)
            if unknown:
                self._vectors.delete(unknown)
                ghosts += len(unknown)
            indexed.update(ids)
            if cursor is None:
                break
        if ghosts:
            logger.warning("removed %d index entries without a memory", ghosts)
        return indexed

    def _queue_missing(self, indexed: set[str]) -> int:
        queued, after = 0, ""
        while ids := self._outbox.settled_ids(after, PAGE):
            missing = [memory_id for memory_id in ids if memory_id not in indexed]
            self._outbox.mark(missing)
            queued += len(missing)
            after = ids[-1]
        return queued
