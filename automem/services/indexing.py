"""Bring the vector index up to date with the graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from automem.domain.conversation import (
    MEANING_IN_CONTEXT,
    NEIGHBOURING_WORDS,
    WINDOW,
    Turn,
    is_short,
    nearby_texts,
    text_in_context,
)
from automem.domain.memory import IndexWork, Memory, Removal
from automem.domain.metadata import searched_values
from automem.domain.tags import canonical_tags, tag_prefixes
from automem.embedding.base import Embedder, Vectors
from automem.stores.graph.memories import GraphMemories
from automem.stores.graph.outbox import Outbox
from automem.stores.vector.base import IndexEntry, VectorStore

METADATA_WEIGHT = 0.5
"""Of a word in the metadata, beside one in the text."""


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The contents, by turn key, of memories and of the turns around them, and those turns whose words they change."""

    texts: Mapping[str, str]
    neighbours: Sequence[Memory]


class Indexer:
    """Writes index entries and settles them in the outbox, in that order, so that a crash repeats work and loses none.

    By the rules NEIGHBOURING_WORDS and MEANING_IN_CONTEXT, the words of a turn of a conversation include, at a lower
    weight, those of the short turns around it, and its vector is the mean of itself alone and after the turn before it.
    """

    def __init__(
        self,
        vectors: VectorStore,
        embedder: Embedder,
        outbox: Outbox,
        memories: GraphMemories,
        rules: Collection[str] = (NEIGHBOURING_WORDS, MEANING_IN_CONTEXT),
    ) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._outbox = outbox
        self._memories = memories
        self._rules = frozenset(rules) & {NEIGHBOURING_WORDS, MEANING_IN_CONTEXT}

    def index(self, work: Sequence[IndexWork], given: Mapping[str, Vectors] | None = None) -> None:
        """Embed the memories, write their entries and settle them.

        `given` holds vectors, shape (dimension,), that clients sent for some of these memories; None looks them up.

        Raises:
            EmbeddingUnavailable, EmbeddingRefused, VectorsUnavailable, VectorsRefused, GraphUnavailable: nothing is
                settled; the work stays in the outbox.
        """
        memories = [item.memory for item in work]
        if given is None:
            given = self._given([memory.id for memory in memories])
        around = self._surroundings(memories)
        dense = {memory_id: vector.reshape(1, -1) for memory_id, vector in given.items()}
        dense.update(self._embed([memory for memory in memories if memory.id not in given], around.texts))
        self._put(memories, dense, around)
        gone = self._outbox.acknowledge([(item.memory.id, item.token) for item in work])
        if gone:
            self._vectors.delete(gone)

    def index_words(self, work: Sequence[IndexWork]) -> None:
        """Write entries that are found by words alone; the work stays in the outbox until it is embedded.

        Raises:
            VectorsUnavailable, VectorsRefused, GraphUnavailable: as the stores answer.
        """
        memories = [item.memory for item in work]
        self._put(memories, {}, self._surroundings(memories))

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

    def _given(self, memory_ids: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors that clients sent with memories, but those of another model's size."""
        stored = self._memories.given_vectors(memory_ids)
        size = self._embedder.dimension
        return {
            memory_id: np.asarray(vector, dtype=np.float32)
            for memory_id, vector in stored.items()
            if len(vector) == size
        }

    def _surroundings(self, memories: Sequence[Memory]) -> _Surroundings:
        """Read the turns around memories that are turns, in one round trip, when a rule asks for them."""
        turns = [turn for memory in memories if self._rules and (turn := Turn.from_key(memory.turn_key)) is not None]
        own = {turn.key for turn in turns}
        affected = _around(turns) - own
        wider = _around(Turn.from_key(key) for key in affected) | affected
        others = self._memories.by_turn(sorted(wider - own))
        known = (*others, *memories) if turns else ()
        return _Surroundings(
            {memory.turn_key: memory.content for memory in known if memory.turn_key is not None},
            [memory for memory in others if memory.turn_key in affected and is_short(memory.content)],
        )

    def _put(self, memories: Sequence[Memory], dense: Mapping[str, Vectors], around: _Surroundings) -> None:
        """Write entries, and the words of the turns around them, which have new neighbours."""
        words = around.texts if NEIGHBOURING_WORDS in self._rules else {}
        self._vectors.put([entry(memory, dense.get(memory.id), words) for memory in memories])
        if around.neighbours and words:
            self._vectors.put_words([entry(memory, None, words) for memory in around.neighbours])

    def _embed(self, memories: Sequence[Memory], texts: Mapping[str, str]) -> dict[str, Vectors]:
        """Return per memory id the vectors of its chunks, shape (chunks, dimension)."""
        pieces = {memory.id: list(self._embedder.chunks(memory.content)) for memory in memories}
        in_context = self._in_context(memories, pieces, texts)
        for memory_id, text in in_context.items():
            pieces[memory_id].append(text)
        flat = [text for of_one in pieces.values() for text in of_one]
        if not flat:
            return {}
        ends = np.cumsum([len(of_one) for of_one in pieces.values()])
        vectors = dict(zip(pieces, np.split(self._embedder.embed(flat), ends[:-1]), strict=True))
        return {
            memory_id: _mean_direction(rows) if memory_id in in_context else rows for memory_id, rows in vectors.items()
        }

    def _in_context(
        self, memories: Sequence[Memory], pieces: Mapping[str, Sequence[str]], texts: Mapping[str, str]
    ) -> dict[str, str]:
        """Return, per memory id, the text that also says what a turn means; for those that one chunk holds."""
        if MEANING_IN_CONTEXT not in self._rules:
            return {}
        found = {}
        for memory in memories:
            turn = Turn.from_key(memory.turn_key)
            text = text_in_context(memory.content, turn, texts) if turn is not None else None
            if text is not None and len(pieces[memory.id]) == 1:
                found[memory.id] = text
        return found


def _mean_direction(rows: Vectors) -> Vectors:
    """Return the direction between vectors, shape (1, dimension)."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    mean: Vectors = (rows / np.where(lengths > 0, lengths, 1.0)).mean(axis=0, keepdims=True)
    return mean


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
        is_turn=turn is not None,
    )
