"""Store, read, change and delete memories."""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from automem.domain import timestamps
from automem.domain.classify import STATED_CONFIDENCE, classify
from automem.domain.conversation import Turn, thread_of
from automem.domain.ids import new_id
from automem.domain.memory import IdempotencyRecord, IndexWork, Memory, Removal, Stored, Supersession
from automem.embedding.base import Embedder
from automem.errors import Conflict, ConstraintViolated, NotFound, Refused, Unavailable
from automem.services.access import AccessLog
from automem.services.indexing import Indexer
from automem.stores.graph.memories import GraphMemories, pending
from automem.stores.graph.records import json_text, tag_properties, text_properties

logger = logging.getLogger(__name__)

MEMORY_NOT_FOUND = "Memory not found"
DELETE_PAGE = 200
_INDEXED_FIELDS = frozenset({"content", "tags", "type", "timestamp", "metadata"})


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A validated memory to store; None lets the service choose."""

    content: str
    tags: tuple[str, ...] = ()
    importance: float = 0.5
    metadata: Mapping[str, Any] = field(default_factory=dict)
    type: str | None = None
    confidence: float | None = None
    timestamp: str | None = None
    updated_at: str | None = None
    last_accessed: str | None = None
    t_valid: str | None = None
    t_invalid: str | None = None
    embedding: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class OnceOnly:
    """An idempotency key and the fingerprint of the request sent with it."""

    key: str
    fingerprint: str


class MemoryService:
    """Stores memories in the graph, and in the vector index as soon as that can be done."""

    def __init__(
        self,
        memories: GraphMemories,
        indexer: Indexer,
        embedder: Embedder,
        access: AccessLog,
        wake_indexing: Callable[[], None],
    ) -> None:
        self._memories = memories
        self._indexer = indexer
        self._embedder = embedder
        self._access = access
        self._wake_indexing = wake_indexing

    def store(
        self, news: Sequence[NewMemory], *, once: OnceOnly | None = None, replaces: Supersession | None = None
    ) -> list[Stored]:
        """Store memories, all or none, and return them in order.

        With a local embedding model this returns when they can be recalled by meaning; otherwise at once, and they are
        found by words until background work has embedded them. `replaces` closes an older memory in the same step.

        Raises:
            NotFound: the memory to replace does not exist.
            Conflict: the idempotency key was used for another request.
            GraphUnavailable: whether they were stored is unknown; repeat the request with an idempotency key.
        """
        if once is not None and (answered := self._answered(once)) is not None:
            return answered
        now = timestamps.now()
        memories = self._with_turns([_memory(new, now) for new in news])
        token = time.time_ns()
        try:
            record = _record(once, memories, now) if once is not None else None
            if not self._memories.create(memories, token, once=record, replaces=replaces):
                raise NotFound("The memory in 'supersedes' does not exist", field="supersedes")
        except ConstraintViolated:
            if once is not None and (answered := self._answered(once)) is not None:
                return answered
            raise
        work = [IndexWork(memory, token) for memory in memories]
        given = {
            memory.id: np.asarray(new.embedding, dtype=np.float32)
            for memory, new in zip(memories, news, strict=True)
            if new.embedding is not None
        }
        embedded, searchable = self._index(work, given)
        return [Stored(memory, embedded, searchable) for memory in memories]

    def get(self, memory_id: str) -> Memory:
        """Return a memory, and note that it was read.

        Raises:
            NotFound: there is no such memory.
        """
        memory = self._existing(memory_id)
        self._access.note([memory_id])
        return memory

    def require(self, memory_id: str) -> None:
        """Return when a memory exists.

        Raises:
            NotFound: there is no such memory.
        """
        self._existing(memory_id)

    def update(self, memory_id: str, changes: Mapping[str, Any]) -> Memory:
        """Change the given fields of a memory (None clears a time), with all that is derived from them.

        Raises:
            NotFound: there is no such memory.
        """
        token = time.time_ns()
        properties = {"updated_at": timestamps.now(), **changes}
        if "last_accessed" in changes:
            self._access.forget(memory_id)
        if "content" in changes:
            # What was derived from the old text no longer holds; background work derives it anew.
            properties.update(text_properties(changes["content"]), summary="", processed=False, enriched=False)
            properties["given_embedding"] = []
        if "tags" in changes:
            properties.update(tag_properties(changes["tags"]))
        if "metadata" in changes:
            properties["metadata"] = json_text(changes["metadata"])
        stale = not _INDEXED_FIELDS.isdisjoint(changes)
        if stale:
            properties.update(pending(token))
        memory = self._memories.update(memory_id, properties)
        if memory is None:
            raise NotFound(MEMORY_NOT_FOUND)
        if stale:
            self._index([IndexWork(memory, token)], None)
        if "content" in changes and memory.turn_key is not None:
            self._indexer.text_changed(memory)
            self._wake_indexing()
        return memory

    def delete(self, memory_id: str) -> None:
        """Delete a memory with its edges and its index entry.

        Raises:
            NotFound: there is no such memory.
        """
        removal = self._memories.delete(memory_id)
        if removal is None:
            raise NotFound(MEMORY_NOT_FOUND)
        self._remove([removal])

    def by_tag(self, tags: Sequence[str], offset: int, limit: int) -> tuple[list[Memory], bool]:
        """Return a page of the memories having any of these canonical tags, and whether more follow."""
        page = self._memories.by_tag(tags, offset, limit + 1)
        kept = page[:limit]
        self._access.note(memory.id for memory in kept)
        return kept, len(page) > limit

    def delete_by_tag(self, tags: Sequence[str]) -> int:
        """Delete every memory having any of these canonical tags, in small steps; return how many."""
        deleted = 0
        while removals := self._memories.delete_by_tag(tags, DELETE_PAGE):
            self._remove(removals)
            deleted += len(removals)
        return deleted

    def _existing(self, memory_id: str) -> Memory:
        memory = self._memories.get(memory_id)
        if memory is None:
            raise NotFound(MEMORY_NOT_FOUND)
        return memory

    def _with_turns(self, memories: Sequence[Memory]) -> list[Memory]:
        """Give the turns of conversations their places, in the order given."""
        threads = [thread_of(memory.tags, memory.metadata) for memory in memories]
        next_number = self._memories.reserve_turns(Counter(thread for thread in threads if thread is not None))
        placed = []
        for memory, thread in zip(memories, threads, strict=True):
            if thread is None:
                placed.append(memory)
            else:
                placed.append(replace(memory, turn_key=Turn(thread, next_number[thread]).key))
                next_number[thread] += 1
        return placed

    def _index(self, work: Sequence[IndexWork], given: Mapping[str, Any] | None) -> tuple[bool, bool]:
        """Write index entries as far as that can be done now; return whether they are embedded, and searchable at all.

        `given` are the vectors that clients sent, None where the graph may hold them.

        What fails stays in the outbox, so nothing is raised: the memory itself is stored.
        """
        try:
            if self._embedder.local or (given is not None and len(given) == len(work)):
                self._indexer.index(work, given)
                return True, True
        except (Unavailable, Refused) as error:
            logger.warning("index entries of %d memories are left to background work: %s", len(work), error)
        try:
            self._indexer.index_words(work)
        except (Unavailable, Refused) as error:
            logger.warning("%d memories are stored but not searchable yet: %s", len(work), error)
            return False, False
        finally:
            self._release(work)
        return False, True

    def _release(self, work: Sequence[IndexWork]) -> None:
        """Hand unfinished work to the background at once instead of after this request's lease."""
        try:
            self._indexer.release(work)
        except (Unavailable, Refused) as error:
            logger.warning("index work becomes due when its lease ends: %s", error)
        self._wake_indexing()

    def _remove(self, removals: Sequence[Removal]) -> None:
        try:
            self._indexer.remove(removals)
        except (Unavailable, Refused) as error:
            logger.warning("index entries of %d deleted memories are left to background work: %s", len(removals), error)
            self._wake_indexing()

    def _answered(self, once: OnceOnly) -> list[Stored] | None:
        record = self._memories.find_idempotency_record(once.key)
        if record is None:
            return None
        if record.fingerprint != once.fingerprint:
            raise Conflict("This Idempotency-Key was used for another request; send a new key")
        return [Stored(_remembered(values), embedded=False, searchable=False) for values in json.loads(record.answer)]


def _memory(new: NewMemory, now: str) -> Memory:
    kind, confidence = (new.type, new.confidence) if new.type else classify(new.content)
    timestamp = new.timestamp or now
    updated_at = new.updated_at or timestamp
    return Memory(
        id=new_id(),
        content=new.content,
        type=kind or "",
        confidence=STATED_CONFIDENCE if confidence is None else confidence,
        importance=new.importance,
        tags=new.tags,
        metadata=new.metadata,
        timestamp=timestamp,
        updated_at=updated_at,
        last_accessed=new.last_accessed or updated_at,
        t_valid=new.t_valid or timestamp,
        t_invalid=new.t_invalid,
        # The graph is the record: the index, and what is indexed anew, take the vector from there.
        extra={"given_embedding": list(new.embedding)} if new.embedding is not None else {},
    )


_REMEMBERED = ("id", "type", "confidence", "importance", "timestamp", "updated_at", "last_accessed")


def _record(once: OnceOnly, memories: Sequence[Memory], now: str) -> IdempotencyRecord:
    answer = [
        {**{name: getattr(memory, name) for name in _REMEMBERED}, "metadata": dict(memory.metadata)}
        for memory in memories
    ]
    return IdempotencyRecord(once.key, once.fingerprint, json.dumps(answer, default=str), now)


def _remembered(values: Mapping[str, Any]) -> Memory:
    return Memory(content="", tags=(), **values)
