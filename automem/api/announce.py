"""Tell the event stream what a request did."""

from __future__ import annotations

import time
from collections.abc import Sequence

from automem.api.parsing import container
from automem.domain.memory import Memory
from automem.domain.recall import RecallAnswer, RecallQuery

PREVIEW_CHARACTERS = 100
QUERY_CHARACTERS = 50
TAGS_OF_A_MEMORY = 5
TAGS_OF_A_RECALL = 3


def stored(memories: Sequence[Memory], started: float) -> None:
    """Tell of each memory that a request stored; `started` is its `time.perf_counter()`."""
    elapsed = _since(started)
    for memory in memories:
        container().events.emit(
            "memory.store",
            {
                "id": memory.id,
                "content_preview": memory.content[:PREVIEW_CHARACTERS],
                "type": memory.type,
                "importance": memory.importance,
                "tags": list(memory.tags[:TAGS_OF_A_MEMORY]),
                "size_bytes": len(memory.content.encode()),
                "elapsed_ms": elapsed,
            },
        )


def changed(memory_id: str) -> None:
    """Tell that a memory was changed."""
    container().events.emit("memory.update", {"id": memory_id})


def deleted(memory_id: str) -> None:
    """Tell that a memory was deleted."""
    container().events.emit("memory.delete", {"id": memory_id})


def recalled(query: RecallQuery, answer: RecallAnswer, started: float) -> None:
    """Tell of a recall."""
    container().events.emit(
        "memory.recall",
        {
            "query": query.text[:QUERY_CHARACTERS],
            "limit": query.limit,
            "result_count": len(answer.results),
            "elapsed_ms": _since(started),
            "tags": list(query.where.tags[:TAGS_OF_A_RECALL]),
        },
    )


def associated(created: int) -> None:
    """Tell that associations were made or changed."""
    if created:
        container().events.emit("memory.associate", {"count": created})


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)
