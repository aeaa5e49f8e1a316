"""When memories were last read: noted during requests, written in bulk beside them."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from automem.domain import timestamps
from automem.stores.graph.memories import GraphMemories

MOST_NOTED = 10_000


class AccessLog:
    """Collects the ids of memories that were read; `flush` writes them. A crash may lose the last few notes."""

    def __init__(self, memories: GraphMemories) -> None:
        self._memories = memories
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._noted: set[str] = set()

    def note(self, memory_ids: Iterable[str]) -> None:
        """Remember that these memories were read; beyond MOST_NOTED unwritten ids further ones are dropped."""
        with self._lock:
            if len(self._noted) < MOST_NOTED:
                self._noted.update(memory_ids)

    def forget(self, memory_id: str) -> None:
        """Drop the note of a memory whose `last_accessed` is about to be set; waits for a `flush` under way."""
        with self._writing, self._lock:
            self._noted.discard(memory_id)

    def flush(self) -> bool:
        """Write what was noted; return whether there was anything.

        Raises:
            GraphUnavailable: the notes are kept.
        """
        with self._writing:
            with self._lock:
                noted, self._noted = self._noted, set()
            try:
                self._memories.touch(sorted(noted), timestamps.now())
            except BaseException:
                self.note(noted)
                raise
        return bool(noted)
