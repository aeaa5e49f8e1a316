"""Bring channels together: normalise, remove duplicates, order. Pure; every order is total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

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
    return replace(group[0], deduped_from=tuple(sorted(ids)) if len(ids) > 1 else ())


SHARPEST_DROP = 0.25
"""A fall between two neighbouring scores by more than this share of the best one ends what answers the question."""


def adaptive_floor(scores: Sequence[float]) -> float:
    """Return the score just below the greatest fall in the better half of an answer, 0 where there is none to speak of.

    `scores` are in descending order. More than three are needed, and at least half of them stay.
    """
    if len(scores) <= 3:
        return 0.0
    places = range(1, max(3, len(scores) // 2))
    drop, place = max((scores[place - 1] - scores[place], -place) for place in places)
    floor = scores[-place]
    if drop <= SHARPEST_DROP * scores[0] or 2 * sum(score >= floor for score in scores) < len(scores):
        return 0.0
    return floor


def with_recency(results: Sequence[Recalled], weight: float) -> list[Recalled]:
    """Return results with the component `temporal`: 1 for the newest of them, 0 for the oldest, linear between.

    A memory whose timestamp cannot be read counts as the oldest.
    """
    times = [_seconds(result.memory.timestamp) for result in results]
    known = [time for time in times if time is not None]
    oldest, newest = min(known, default=0.0), max(known, default=0.0)
    span = newest - oldest
    lifted = []
    for result, time in zip(results, times, strict=True):
        part = (time - oldest) / span if time is not None and span > 0 else 0.0
        gain = weight * part
        lifted.append(
            replace(
                result,
                components={**result.components, "temporal": part},
                score=result.score + gain,
                rank_score=result.rank_score + gain,
            )
        )
    return lifted


def _seconds(timestamp: str) -> float | None:
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()


def named_first(results: Sequence[Recalled], memory_ids: Sequence[str]) -> list[Recalled]:
    """Return results with those of `memory_ids` in front, in that order."""
    places = {memory_id: place for place, memory_id in enumerate(memory_ids)}
    return sorted(results, key=lambda result: places.get(result.memory.id, len(places)))
