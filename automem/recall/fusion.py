"""Bring channels together: normalise, remove duplicates, order. Pure; every order is total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from automem.domain.memory import Memory
from automem.domain.recall import Recalled, Sort
from automem.recall.keywords import normalised


def relative(scores: Mapping[str, float]) -> dict[str, float]:
    """Divide by the greatest score, so that unbounded scores such as BM25 lie in 0..1; the best one is 1."""
    top = max(scores.values(), default=0.0)
    return {memory_id: score / top for memory_id, score in scores.items()} if top > 0 else {}


def ranked(results: Iterable[Recalled]) -> list[Recalled]:
    """Order by rank score, then score, importance, the newer timestamp, and id."""
    by_id = sorted(results, key=lambda result: result.memory.id)
    by_time = sorted(by_id, key=lambda result: result.memory.timestamp, reverse=True)
    return sorted(by_time, key=lambda result: (-result.rank_score, -result.score, -result.memory.importance))


def sorted_by(results: Sequence[Recalled], sort: Sort) -> list[Recalled]:
    """Order results as a request asks; equal times keep the order of their scores."""
    if sort == "score":
        return ranked(results)
    newest_first = sort.endswith("desc")
    key = _updated if sort.startswith("updated") else _timestamp
    return sorted(ranked(results), key=lambda result: key(result.memory), reverse=newest_first)


def _timestamp(memory: Memory) -> str:
    return memory.timestamp


def _updated(memory: Memory) -> str:
    return memory.updated_at or memory.timestamp


def without_duplicates(results: Sequence[Recalled]) -> tuple[list[Recalled], int]:
    """Keep, of memories whose whole normalised text is equal, the first; return the kept ones and how many went.

    The kept one names all ids it stands for, its own included, in `deduped_from`.
    """
    kept: dict[str, list[Recalled]] = {}
    for result in results:
        kept.setdefault(normalised(result.memory.content) or result.memory.id, []).append(result)
    removed = len(results) - len(kept)
    return [_standing_for(group) for group in kept.values()], removed


def _standing_for(group: list[Recalled]) -> Recalled:
    if len(group) == 1:
        return group[0]
    ids = {copy for result in group for copy in (result.memory.id, *result.deduped_from)}
    return replace(group[0], deduped_from=tuple(sorted(ids)))
