"""Candidates and their evidence from the two stores, in a constant number of round trips."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from automem.domain.recall import MemoryFilter
from automem.embedding.base import Embedder, Vectors
from automem.errors import EmbeddingRefused, EmbeddingUnavailable
from automem.recall.fusion import relative
from automem.recall.scoring import Weights
from automem.stores.vector.base import Hit, Search, VectorStore

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """What the channels say of each memory: cosine by id, raw BM25 by id, and the vector of the query if there is one.

    `by_meaning` are the ids that the search by meaning itself returned. `more_by_meaning` and `more_by_words` say that
    the channel may hold more than it returned.
    """

    cosine: Mapping[str, float]
    bm25: Mapping[str, float]
    vector: Vectors | None
    by_meaning: frozenset[str]
    more_by_meaning: bool = False
    more_by_words: bool = False

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """Every memory found, by either channel."""
        return tuple(dict.fromkeys((*self.cosine, *self.bm25)))

    def ranks(self) -> dict[str, dict[str, int]]:
        """Return per memory its places, from 1, among what the search by meaning and the one by words found."""
        places: dict[str, dict[str, int]] = {}
        for channel, scores in (("meaning", self.cosine), ("words", self.bm25)):
            ordered = sorted(scores, key=lambda memory_id: (-scores[memory_id], memory_id))
            for place, memory_id in enumerate(ordered, start=1):
                places.setdefault(memory_id, {})[channel] = place
        return places

    def strengths(self, weights: Weights) -> dict[str, float]:
        """Return the weighted sum of both channels for every memory, BM25 divided by its greatest value here."""
        return self._sums(weights, 0.0, 0.0)

    def best(self, most: int, weights: Weights) -> list[str]:
        """Return the ids of the `most` memories that both channels together may speak for most.

        A memory that only one channel returned may have as much from the other as the last one that this returned.
        """
        last_cosine = max(0.0, min(self.cosine.values(), default=0.0)) if self.more_by_meaning else 0.0
        last_keyword = min(relative(self.bm25).values(), default=0.0) if self.more_by_words else 0.0
        strengths = self._sums(weights, last_cosine, last_keyword)
        return sorted(strengths, key=lambda memory_id: (-strengths[memory_id], memory_id))[:most]

    def _sums(self, weights: Weights, otherwise_cosine: float, otherwise_keyword: float) -> dict[str, float]:
        """Return the weighted sums, with these values where a channel says nothing."""
        keyword = relative(self.bm25)
        lacking = weights.vector * otherwise_cosine
        sums = {
            memory_id: weights.vector * max(0.0, value) + weights.keyword * keyword.get(memory_id, otherwise_keyword)
            for memory_id, value in self.cosine.items()
        }
        for memory_id, value in keyword.items():
            if memory_id not in sums:
                sums[memory_id] = lacking + weights.keyword * value
        return sums


class Channels:
    """Searches by meaning and by words. Both always run; each memory found gets the score of both."""

    def __init__(self, vectors: VectorStore, embedder: Embedder) -> None:
        self._vectors = vectors
        self._embedder = embedder

    def nothing_yet(self, text: str, given: Vectors | None = None) -> Found:
        """Return a search that has found nothing, for `complete` to fill; `given` stands for the text's meaning."""
        vector = self._embed(text) if given is None and text else given
        return Found({}, {}, vector, frozenset())

    def search(self, text: str, where: MemoryFilter, pool: int, given: Vectors | None = None) -> Found:
        """Return up to `pool` memories of each channel; `given`, shape (dimension,), stands for the text's meaning.

        Takes one embedding and one round trip to the vector store. What `complete` adds is still lacking. Without
        an answer from the embedding provider words alone decide.

        Raises:
            VectorsUnavailable, VectorsRefused: as the vector store answers.
        """
        vector = self._embed(text) if given is None else given
        # Conditions that nearly every memory passes are left to the graph, which checks them all again: in the index
        # each of them costs time for every point.
        where = replace(where, exclude_types=(), include_archived=True)
        searches = [Search(limit=pool, words=text, where=where)]  # Without a word, it finds nothing.
        if vector is not None:
            searches.append(Search(limit=pool, dense=vector, where=where))
        words, *meaning = self._vectors.search(searches)
        by_meaning = meaning[0] if meaning else []
        return Found(
            cosine=_scores(by_meaning),
            bm25=_scores(words),
            vector=vector,
            by_meaning=frozenset(hit.memory_id for hit in by_meaning),
            more_by_meaning=len(by_meaning) >= pool,
            more_by_words=len(words) >= pool,
        )

    def complete(self, found: Found, text: str, memory_ids: Sequence[str], *, in_scope: bool = False) -> Found:
        """Return what was found, with both scores for each of these memories, in one round trip.

        `in_scope` says that all of them are among what was searched, so that a channel which gave all it holds knows
        nothing more of them.
        """
        lacking_words: tuple[str, ...] = ()
        if found.more_by_words or not in_scope:
            lacking_words = tuple(memory_id for memory_id in memory_ids if memory_id not in found.bm25)
        lacking_meaning = tuple(memory_id for memory_id in memory_ids if memory_id not in found.cosine)
        searches = []
        if lacking_words and text:
            searches.append(_search_among(lacking_words, words=text))
        asks_meaning = bool(lacking_meaning) and found.vector is not None
        if asks_meaning:
            searches.append(_search_among(lacking_meaning, dense=found.vector))
        if not searches:
            return found
        answers = self._vectors.search(searches)
        meaning = _scores(answers.pop()) if asks_meaning else {}
        words = _scores(answers.pop()) if answers else {}
        return replace(found, cosine={**found.cosine, **meaning}, bm25={**found.bm25, **words})

    def _embed(self, text: str) -> Vectors | None:
        try:
            return self._embedder.embed_query(text)
        except (EmbeddingUnavailable, EmbeddingRefused) as error:
            logger.warning("searching by words alone: %s", error)
            return None


def _search_among(memory_ids: tuple[str, ...], *, words: str | None = None, dense: Vectors | None = None) -> Search:
    where = MemoryFilter(memory_ids=memory_ids, include_archived=True)
    return Search(limit=len(memory_ids), words=words, dense=dense, where=where)


def _scores(hits: Iterable[Hit]) -> dict[str, float]:
    return {hit.memory_id: hit.score for hit in hits}
