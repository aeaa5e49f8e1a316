"""Bring the vector index up to date with the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from automem.domain.conversation import WINDOW, Turn, is_short, nearby_texts
from automem.domain.memory import IndexWork, Memory, Removal
from automem.domain.metadata import searched_values
from automem.domain.tags import canonical_tags, tag_prefixes
from automem.embedding.base import Embedder, Vectors
from automem.stores.graph.memories import GraphMemories
from automem.stores.graph.outbox import Outbox
from automem.stores.vector.base import IndexEntry, VectorStore

METADATA_WEIGHT = 0.5
"""Of a word in the metadata, beside one in the text."""


class Indexer:
    """Writes index entries and settles them in the outbox, in that order, so that a crash repeats work and loses none.

    The words of a turn of a conversation include, at a lower weight, those of the short turns around it.
    """

    def __init__(
        self,
        vectors: VectorStore,
        embedder: Embedder,
        outbox: Outbox,
        memories: GraphMemories,
        *,
        neighbouring_words: bool = True,
    ) -> None:
        self._neighbouring_words = neighbouring_words
        self._vectors = vectors
        self._embedder = embedder
        self._outbox = outbox
        self._memories = memories

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
        self._put([item.memory for item in work], dense)
        gone = self._outbox.acknowledge([(item.memory.id, item.token) for item in work])
        if gone:
            self._vectors.delete(gone)

    def index_words(self, work: Sequence[IndexWork]) -> None:
        """Write entries that are found by words alone; the work stays in the outbox until it is embedded.

        Raises:
            VectorsUnavailable, VectorsRefused, GraphUnavailable: as the stores answer.
        """
        self._put([item.memory for item in work], {})

    def release(self, work: Sequence[IndexWork]) -> None:
        """Make unfinished work due at once for whoever claims it next."""
        self._outbox.release([(item.memory.id, item.token) for item in work])

    def remove(self, removals: Sequence[Removal]) -> None:
        """Remove the entries of deleted memories, queue the turns that their words counted for, and settle both.

        Raises:
            VectorsUnavailable, VectorsRefused, GraphUnavailable: the removals stay in the outbox.
        """
        if removals:
            memory_ids = [removal.memory_id for removal in removals]
            self._vectors.delete(memory_ids)
            self._outbox.mark_turns(sorted(_around(Turn.from_key(removal.turn_key) for removal in removals)))
            self._outbox.forget_removals(memory_ids)

    def text_changed(self, memory: Memory) -> None:
        """Queue the turns that a memory's words count for.

        Raises:
            GraphUnavailable: they keep the old words.
        """
        self._outbox.mark_turns(sorted(_around([Turn.from_key(memory.turn_key)])))

    def _put(self, memories: Sequence[Memory], dense: Mapping[str, Vectors]) -> None:
        """Write entries, and the words of the turns around them, which have new neighbours."""
        turns = []
        if self._neighbouring_words:
            turns = [turn for memory in memories if (turn := Turn.from_key(memory.turn_key)) is not None]
        own = {turn.key for turn in turns}
        affected = {key for key in _around(turns) if key not in own}
        wider = _around(Turn.from_key(key) for key in affected) | affected
        others = self._memories.by_turn(sorted(wider - own))
        texts = {}
        if self._neighbouring_words:
            texts = {memory.turn_key: memory.content for memory in (*others, *memories) if memory.turn_key is not None}
        self._vectors.put([entry(memory, dense.get(memory.id), texts) for memory in memories])
        neighbours = [memory for memory in others if memory.turn_key in affected and is_short(memory.content)]
        if neighbours:
            self._vectors.put_words([entry(memory, None, texts) for memory in neighbours])

    def _embed(self, memories: Sequence[Memory]) -> dict[str, Vectors]:
        """Return per memory id the vectors of its chunks, shape (chunks, dimension)."""
        chunks = {memory.id: self._embedder.chunks(memory.content) for memory in memories}
        texts = [text for pieces in chunks.values() for text in pieces]
        if not texts:
            return {}
        vectors = self._embedder.embed(texts)
        ends = np.cumsum([len(pieces) for pieces in chunks.values()])
        return dict(zip(chunks, np.split(vectors, ends[:-1]), strict=True))


def _around(turns: Iterable[Turn | None]) -> set[str]:
    return {near.key for turn in turns if turn is not None for near in turn.near(WINDOW, WINDOW)}


def entry(memory: Memory, dense: Vectors | None, texts: Mapping[str, str]) -> IndexEntry:
    """Return the index entry of a memory; its tags, and values of its metadata at a lower weight, are searchable too.

    `texts` are contents by turn key.
    """
    turn = Turn.from_key(memory.turn_key)
    nearby = nearby_texts(memory.content, turn, texts) if turn is not None else ()
    if values := [text for _, text in searched_values(memory.metadata)]:
        nearby = (*nearby, ("\n".join(values), METADATA_WEIGHT))
    return IndexEntry(
        memory_id=memory.id,
        words="\n".join((memory.content, *memory.tags)),
        dense=dense,
        tags=canonical_tags(memory.tags),
        tag_prefixes=tag_prefixes(memory.tags),
        type=memory.type,
        timestamp=memory.timestamp,
        archived=memory.archived,
        nearby=nearby,
    )
