"""Bring the vector index up to date with the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from automem.domain.memory import IndexWork, Memory
from automem.domain.tags import canonical_tags, tag_prefixes
from automem.embedding.base import Embedder, Vectors
from automem.stores.graph.outbox import Outbox
from automem.stores.vector.base import IndexEntry, VectorStore


class Indexer:
    """Writes index entries and settles them in the outbox, in that order, so that a crash repeats work and loses none."""

    def __init__(self, vectors: VectorStore, embedder: Embedder, outbox: Outbox) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._outbox = outbox

    def index(self, work: Sequence[IndexWork], given: Mapping[str, Vectors] | None = None) -> None:
        """Embed the memories, write their entries and settle them.

        `given` holds vectors, shape (dimension,), that clients sent for some of these memories.

        Raises:
            EmbeddingUnavailable, EmbeddingRefused, VectorsUnavailable, VectorsRefused, GraphUnavailable: nothing is
                settled; the work stays in the outbox.
        """
        given = given or {}
        dense = {memory_id: vector.reshape(1, -1) for memory_id, vector in given.items()}
        dense.update(self._embed([item.memory for item in work if item.memory.id not in given]))
        self._vectors.put([entry(item.memory, dense[item.memory.id]) for item in work])
        gone = self._outbox.acknowledge([(item.memory.id, item.token) for item in work])
        if gone:
            self._vectors.delete(gone)

    def index_words(self, work: Sequence[IndexWork]) -> None:
        """Write entries that are found by words alone; the work stays in the outbox until it is embedded.

        Raises:
            VectorsUnavailable, VectorsRefused: nothing was written.
        """
        self._vectors.put([entry(item.memory, None) for item in work])

    def release(self, work: Sequence[IndexWork]) -> None:
        """Make unfinished work due at once for whoever claims it next."""
        self._outbox.release([(item.memory.id, item.token) for item in work])

    def remove(self, memory_ids: Sequence[str]) -> None:
        """Remove the entries of deleted memories and settle the removals.

        Raises:
            VectorsUnavailable, VectorsRefused, GraphUnavailable: the removals stay in the outbox.
        """
        if memory_ids:
            self._vectors.delete(memory_ids)
            self._outbox.forget_removals(memory_ids)

    def _embed(self, memories: Sequence[Memory]) -> dict[str, Vectors]:
        """Return per memory id the vectors of its chunks, shape (chunks, dimension)."""
        chunks = {memory.id: self._embedder.chunks(memory.content) for memory in memories}
        texts = [text for pieces in chunks.values() for text in pieces]
        if not texts:
            return {}
        vectors = self._embedder.embed(texts)
        ends = np.cumsum([len(pieces) for pieces in chunks.values()])
        return dict(zip(chunks, np.split(vectors, ends[:-1]), strict=True))


def entry(memory: Memory, dense: Vectors | None) -> IndexEntry:
    """Return the index entry of a memory; its tags are searchable words too."""
    return IndexEntry(
        memory_id=memory.id,
        words="\n".join((memory.content, *memory.tags)),
        dense=dense,
        tags=canonical_tags(memory.tags),
        tag_prefixes=tag_prefixes(memory.tags),
        type=memory.type,
        timestamp=memory.timestamp,
        archived=memory.archived,
    )
