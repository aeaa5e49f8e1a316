"""What a search asks of an engine and how its answers become hits, in the words of no engine.

Each store only spells `Condition`s in its engine's classes. So that `limit` memories come back wherever so many match,
and one long text cannot fill the whole answer with its chunks, a search by meaning is two probes of the same batch:
`limit` main points, one per memory, and apart from them the nearest chunk points, which can only add or raise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from automem.domain.recall import MemoryFilter
from automem.stores.vector.base import Hit, Search, Vectors
from automem.stores.vector.payload import unit_rows
from automem.stores.vector.sparse import SparseTerms, query_terms


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The payload field `key` holds one of the values."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """The timestamp lies between both ends, which belong to it; None leaves that side open."""

    key: str
    start: str | None
    end: str | None


@dataclass(frozen=True, slots=True)
class HasId:
    """The point has one of the ids."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HasDense:
    """The point has a dense vector."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """At least one of the conditions holds."""

    conditions: tuple[Condition, ...]


Condition = AnyOf | Within | HasId | HasDense | OneOf


@dataclass(frozen=True, slots=True)
class Clauses:
    """Every condition of `must` and none of `must_not` holds."""

    must: tuple[Condition, ...]
    must_not: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """One query of a batch for the search at `position`, by a dense vector of length 1 or by words.

    Its answers are main points, whose ids are those of memories, or with `of_chunks` chunks, which name their memory.
    """

    position: int
    vector: Vectors | SparseTerms
    limit: int
    where: Clauses
    of_chunks: bool = False


_MAIN = AnyOf("part", ("main",))
_CHUNK = AnyOf("part", ("chunk",))
MAIN_POINTS = Clauses((_MAIN,))
UNEMBEDDED = Clauses((_MAIN,), (HasDense(),))


def points_of(memory_ids: Sequence[str]) -> Clauses:
    """Select every point of these memories."""
    ids = tuple(memory_ids)
    return Clauses((OneOf((HasId(ids), AnyOf("chunk_of", ids))),))


def surplus_chunks(written: Mapping[str, Sequence[str]]) -> Clauses:
    """Select the chunk points of these memories except those just written, memory id to chunk point ids."""
    kept = tuple(chunk for chunks in written.values() for chunk in chunks)
    return Clauses((AnyOf("chunk_of", tuple(written)),), (HasId(kept),) if kept else ())


def clauses(where: MemoryFilter, *, of_chunks: bool = False) -> Clauses:
    """Translate the filter of a search for main points or chunks; `memory_ids` must not be empty."""
    must: list[Condition] = []
    must_not: list[Condition] = []
    if where.tags:
        key = "tag_prefixes" if where.tag_match == "prefix" else "tag_keys"
        groups = [where.tags] if where.tag_mode == "any" else [(tag,) for tag in where.tags]
        must.extend(AnyOf(key, group) for group in groups)
    if where.memory_ids is not None:
        must.append(AnyOf("chunk_of", where.memory_ids) if of_chunks else HasId(where.memory_ids))
    if where.start is not None or where.end is not None:
        must.append(Within("timestamp", where.start, where.end))
    if not where.include_archived:
        # The live ones, rather than all but the archived ones: three times faster on a scan of all points.
        must.append(AnyOf("archived", ("no",)))
    if where.exclude_tags:
        must_not.append(AnyOf("tag_prefixes", where.exclude_tags))
    if where.exclude_types:
        must_not.append(AnyOf("type", where.exclude_types))
    return Clauses(tuple(must), tuple(must_not))


def probes(searches: Sequence[Search], dimension: int) -> list[Probe]:
    """Plan one batch for all searches; a search that can find nothing has no probe in it.

    The chunk probe is bounded to `2 * limit + 10` points: a memory whose best chunk lies beyond them counts with its
    first chunk, or with its best one within them.

    Raises:
        ValueError: a search has not exactly one of `dense` and `words`, or its vector does not fit.
    """
    planned: list[Probe] = []
    for position, search in enumerate(searches):
        if (search.dense is None) == (search.words is None):
            raise ValueError("a search needs exactly one of dense and words")
        vector = _search_vector(search, dimension)
        if vector is None or search.limit < 1 or search.where.memory_ids == ():
            continue
        where = clauses(search.where)
        if isinstance(vector, SparseTerms):
            # Only main points carry words, so that no condition has to say so.
            planned.append(Probe(position, vector, search.limit, where))
            continue
        planned.append(Probe(position, vector, search.limit, Clauses((_MAIN, *where.must), where.must_not)))
        where = clauses(search.where, of_chunks=True)
        chunks = Clauses((_CHUNK, *where.must), where.must_not)
        planned.append(Probe(position, vector, 2 * search.limit + 10, chunks, of_chunks=True))
    return planned


def collect(
    searches: Sequence[Search], planned: Sequence[Probe], answers: Sequence[Sequence[tuple[str, float]]]
) -> list[list[Hit]]:
    """Join the answers, (memory id, score) per point found, to the hits of every search."""
    best: list[dict[str, float]] = [{} for _ in searches]
    for probe, answer in zip(planned, answers, strict=True):
        scores = best[probe.position]
        by_words = isinstance(probe.vector, SparseTerms)
        for memory_id, raw in answer:
            # Rounding and quantisation in the engine give cosines a little above 1.
            score = raw if by_words else min(raw, 1.0)
            if (score > 0 or not by_words) and score > scores.get(memory_id, float("-inf")):
                scores[memory_id] = score
    return [
        [Hit(memory_id, score) for memory_id, score in sorted(scores.items(), key=_best_first)][: search.limit]
        for search, scores in zip(searches, best, strict=True)
    ]


def _best_first(scored: tuple[str, float]) -> tuple[float, str]:
    memory_id, score = scored
    return (-score, memory_id)


def _search_vector(search: Search, dimension: int) -> Vectors | SparseTerms | None:
    if search.dense is None:
        return query_terms(search.words or "") or None
    if search.dense.ndim != 1:
        raise ValueError(f"expected a search vector of shape ({dimension},), got {search.dense.shape}")
    row: Vectors = unit_rows(search.dense[None, :], dimension)[0]
    return row
