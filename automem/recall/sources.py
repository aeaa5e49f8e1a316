"""Candidates and their evidence from the two stores, in a constant number of round trips."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from automem.domain.recall import MemoryFilter
from automem.embedding.base import Embedder, Vectors
from automem.errors import EmbeddingRefused, EmbeddingUnavailable
from automem.recall.fusion import relative
from automem.recall.scoring import Evidence
from automem.stores.vector.base import Hit, Search, VectorStore

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """What the channels say of each memory: cosine by id, raw BM25 by id, and the vector of the query if there is one.

    `by_meaning` are the ids that the search by meaning itself returned; `full` says that a channel may have more.
    """

    cosine: Mapping[str, float]
    bm25: Mapping[str, float]
    vector: Vectors | None
    by_meaning: frozenset[str]
    full: bool = False

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

    def evidence(self) -> dict[str, Evidence]:
        """Return both channels' evidence for every memory, BM25 divided by its greatest value here."""
        keyword = relative(self.bm25)
        return {
            memory_id: Evidence(vector=self.cosine.get(memory_id, 0.0), keyword=keyword.get(memory_id, 0.0))
            for memory_id in self.memory_ids
        }


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

        Takes one embedding and two round trips to the vector store. Without an answer from the embedding provider
        words alone decide.

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
        found = Found(
            cosine=_scores(by_meaning),
            bm25=_scores(words),
            vector=vector,
            by_meaning=frozenset(hit.memory_id for hit in by_meaning),
            full=max(len(by_meaning), len(words)) >= pool,
        )
        return self.complete(found, text, found.memory_ids)

    def complete(self, found: Found, text: str, memory_ids: Sequence[str]) -> Found:
        """Return what was found, with both scores for each of these memories, in one round trip."""
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
