"""The points of a memory: ids, vectors and payload. Every writer of the index builds them here.

A payload holds what searches filter by and nothing else; the memory itself lives in the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID, uuid5

import numpy as np

from automem.stores.vector.base import IndexEntry, Vectors
from automem.stores.vector.sparse import TEXTS, TURNS, SparseTerms, document_terms

# Raise it when points written so far no longer fit: another payload, other point ids, other terms of a word.
INDEX_FORMAT = 1

DENSE_VECTOR = ""
WORDS_VECTOR = "bm25"

# `part` is "main" or "chunk". `archived` is "yes" or "no": the engine answers keywords from their index but reads the
# payload of every point for a truth value, 12 ms instead of 0.4 ms per 10,000 points.
KEYWORD_FIELDS = ("part", "tag_keys", "tag_prefixes", "type", "archived", "chunk_of")
DATETIME_FIELDS = ("timestamp",)

PayloadValue = str | int | list[str]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class IndexPoint:
    """One point, in the words of no engine; `dense` has shape (dimension,)."""

    id: str
    dense: Vectors | None
    words: SparseTerms | None
    payload: dict[str, PayloadValue]


def index_points(entries: Sequence[IndexEntry], dimension: int) -> list[IndexPoint]:
    """Build the points of all entries; of two entries for one memory the last counts.

    Raises:
        ValueError: a vector has the wrong size or a value that is not finite, or an id is not a UUID.
    """
    last = {entry.memory_id: entry for entry in entries}
    return [point for entry in last.values() for point in _entry_points(entry, dimension)]


def chunks_by_memory(points: Sequence[IndexPoint]) -> dict[str, list[str]]:
    """Return the ids of the chunk points of every memory among these points."""
    chunks: dict[str, list[str]] = {}
    for point in points:
        memory_id = point.payload.get("chunk_of")
        if memory_id is None:
            chunks.setdefault(point.id, [])
        else:
            chunks.setdefault(str(memory_id), []).append(point.id)
    return chunks


def chunk_point_id(memory_id: str, number: int) -> str:
    """Return the id of a memory's chunk point; the main point is chunk 0 and has the memory's own id."""
    return str(uuid5(UUID(memory_id), f"chunk:{number}"))


def unit_rows(vectors: Vectors, dimension: int) -> Vectors:
    """Check rows of shape (n, dimension) and scale each to length 1 (a row of zeros stays as it is).

    The engines accept NaN without a word, and a huge value would overflow to infinity inside them.

    Raises:
        ValueError: another shape, no row, or a value that is not finite.
    """
    if vectors.ndim != 2 or vectors.shape[0] == 0 or vectors.shape[1] != dimension:
        raise ValueError(f"expected vectors of shape (n, {dimension}), got {vectors.shape}")
    rows = np.asarray(vectors, dtype=np.float64)
    if not np.isfinite(rows).all():
        raise ValueError("a vector holds a value that is not finite")
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(largest > 0, largest, 1.0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def slices(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Cut a sequence into pieces of at most `size`."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _entry_points(entry: IndexEntry, dimension: int) -> Iterator[IndexPoint]:
    payload = _payload(entry)
    rows = [None] if entry.dense is None else list(unit_rows(entry.dense, dimension))
    main_id = str(UUID(entry.memory_id))
    yield IndexPoint(main_id, rows[0], entry_words(entry), {"part": "main", **payload})
    for number, row in enumerate(rows[1:], start=1):
        chunk: dict[str, PayloadValue] = {"part": "chunk", "chunk_of": main_id, "chunk": number}
        yield IndexPoint(chunk_point_id(main_id, number), row, None, {**chunk, **payload})


def entry_words(entry: IndexEntry) -> SparseTerms | None:
    """Return the words of an entry's main point, None when it has none."""
    return document_terms(entry.words, entry.nearby, TURNS if entry.is_turn else TEXTS) or None


def _payload(entry: IndexEntry) -> dict[str, PayloadValue]:
    return {
        "tag_keys": list(entry.tags),
        "tag_prefixes": list(entry.tag_prefixes),
        "type": entry.type,
        "timestamp": entry.timestamp,
        "archived": "yes" if entry.archived else "no",
    }
