"""The port of the vector store.

A memory owns one *main point*, whose id is the memory's id, and for a long text further *chunk points*. The main
point carries the words of the whole memory (a sparse BM25 vector) and the dense vector of the first chunk, when
that is known; a chunk point carries one dense vector. Hits are always reported by memory id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from automem.domain.recall import MemoryFilter

Vectors = NDArray[np.float32]
MAX_POINTS_PER_WRITE = 200


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """All that the index holds of one memory.

    `words` is the text whose terms are searchable; `nearby` are texts around it, as the turns of a conversation, whose
    terms count for it too, each with a weight from 0 to 1. `dense` has shape (chunks, dimension); None means that the
    text is not embedded yet, so that the memory is found by words alone. `tags` are canonical whole tags,
    `tag_prefixes` all their segment prefixes. `is_turn` says
    that the memory is a turn of a conversation. `timestamp` is canonical ISO 8601 in UTC.
    """

    memory_id: str
    words: str
    dense: Vectors | None
    tags: tuple[str, ...]
    tag_prefixes: tuple[str, ...]
    type: str
    timestamp: str
    archived: bool = False
    nearby: tuple[tuple[str, float], ...] = ()
    is_turn: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """One search by meaning (`dense`, shape (dimension,)) or by words (`words`); exactly one of them is given."""

    limit: int
    dense: Vectors | None = None
    words: str | None = None
    where: MemoryFilter = field(default_factory=MemoryFilter)


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory found, with its cosine similarity (dense) or its BM25 score (words, unbounded, greater than 0)."""

    memory_id: str
    score: float


class VectorStore(Protocol):
    """An index of memories. Safe to call from several threads.

    Every method raises VectorsUnavailable when the store does not answer and VectorsRefused when it answers with an
    error.
    """

    @property
    def round_trips(self) -> int:
        """Calls made to the engine since the start."""
        ...

    def prepare(self) -> None:
        """Create what is missing: collection, sparse vector, payload indexes. Idempotent.

        Raises:
            IncompatibleIndex: the existing collection has another vector size or no sparse vector; the message
                names the way out.
        """
        ...

    def ping(self) -> None:
        """Return when the store answers; raise VectorsUnavailable when it does not."""
        ...

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Write the entries, replacing what the index held of these memories, surplus chunk points included.

        Raises:
            ValueError: a vector has the wrong size or a value that is not finite; nothing is written.
        """
        ...

    def put_words(self, entries: Sequence[IndexEntry]) -> None:
        """Write only the words of entries, `nearby` included; a memory that the index does not hold is passed over."""
        ...

    def delete(self, memory_ids: Sequence[str]) -> None:
        """Remove every point of these memories; unknown ids are not an error."""
        ...

    def search(self, searches: Sequence[Search]) -> list[list[Hit]]:
        """Run all searches in one round trip; per search the hits in descending score, each memory once.

        A memory with several chunks counts with its best one. Words that carry no term find nothing.
        """
        ...

    def count(self) -> int:
        """Number of memories in the index."""
        ...

    def count_unembedded(self) -> int:
        """Number of memories that have no dense vector yet."""
        ...

    def memory_ids(self, after: str | None, limit: int) -> tuple[list[str], str | None]:
        """Page through all memory ids in the index (chunk points give their memory's id, so an id can repeat).

        Returns a page and the cursor of the next one, None at the end.
        """
        ...

    def close(self) -> None:
        """Flush and release the store; idempotent."""
        ...
