"""The vector store in this process: Qdrant's engine on a directory of its own.

No call of the engine releases the interpreter lock. So writes go in slices, pages are small, and its `optimize` is
never called: up to some hundred thousand points the exact scan of Turbo8 vectors answers in milliseconds without it.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import qdrant_edge as engine

from automem.errors import AutomemError, DataDirectoryInUse, VectorsRefused, VectorsUnavailable
from automem.stores.vector.base import MAX_POINTS_PER_WRITE, Hit, IndexEntry, Search
from automem.stores.vector.directory import IndexDirectory, damaged, in_use, other_dimension
from automem.stores.vector.payload import (
    DATETIME_FIELDS,
    DENSE_VECTOR,
    KEYWORD_FIELDS,
    WORDS_VECTOR,
    IndexPoint,
    chunks_by_memory,
    entry_words,
    index_points,
    slices,
)
from automem.stores.vector.queries import (
    MAIN_POINTS,
    UNEMBEDDED,
    AnyOf,
    Clauses,
    Condition,
    HasDense,
    HasId,
    OneOf,
    Probe,
    Within,
    collect,
    points_of,
    probes,
    surplus_chunks,
)
from automem.stores.vector.sparse import SparseTerms

# A flush is not needed against the death of the process, which the write-ahead log survives. It bounds that log and the
# time to replay it at the next start, and costs about 50 ms after so many points.
POINTS_BETWEEN_FLUSHES = 5_000
MAX_PAGE = 1_000
RETRY_SECONDS = 0.1


class EdgeVectorStore:
    """Owns `directory`, which one process can open at a time; opened at the first use, after any fork."""

    def __init__(self, directory: Path, dimension: int, lock_wait_seconds: float = 10.0) -> None:
        """Keep the settings; a directory still held by a dying process is waited for `lock_wait_seconds`."""
        self._directory = IndexDirectory(directory)
        self._dimension = dimension
        self._lock_wait_seconds = lock_wait_seconds
        self._opening = threading.Lock()
        self._writing = threading.Lock()
        self._counting = threading.Lock()
        self._round_trips = 0
        self._unflushed_points = 0
        self._shard: engine.EdgeShard | None = None
        self._process_id = 0
        self._closed = False

    @property
    def round_trips(self) -> int:
        """Calls made to the engine since the start."""
        return self._round_trips

    def prepare(self) -> None:
        """Open the directory and create what is missing in it.

        Raises:
            DataDirectoryInUse: another process, or another store of this one, has it open.
            IncompatibleIndex: it was made for another vector size, by a newer engine or in another format.
        """
        with self._engine():
            pass

    def ping(self) -> None:
        """Return when the engine answers."""
        with self._engine() as shard:
            shard.info()

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Write the entries in place of what the index held of these memories."""
        points = index_points(entries, self._dimension)
        # One writer at a time: else the surplus of one writer could be a chunk that another has just written.
        with self._writing:
            for piece in slices(points, MAX_POINTS_PER_WRITE):
                with self._engine() as shard:
                    shard.update(engine.UpdateOperation.upsert_points([_point(point) for point in piece]))
            for written in slices(list(chunks_by_memory(points).items()), MAX_POINTS_PER_WRITE):
                self._delete_where(surplus_chunks(dict(written)))
            self._flush_now_and_then(len(points))

    def put_words(self, entries: Sequence[IndexEntry]) -> None:
        """Write the words of main points that exist."""
        with self._writing:
            for piece in slices(entries, MAX_POINTS_PER_WRITE):
                with self._engine() as shard:
                    known = {
                        str(record.id)
                        for record in shard.retrieve(
                            [entry.memory_id for entry in piece], with_payload=False, with_vector=False
                        )
                    }
                    words = [
                        engine.PointVectors(entry.memory_id, {WORDS_VECTOR: _sparse(terms)})
                        for entry in piece
                        if entry.memory_id in known and (terms := entry_words(entry)) is not None
                    ]
                    if words:
                        shard.update(engine.UpdateOperation.update_vectors(words))

    def delete(self, memory_ids: Sequence[str]) -> None:
        """Remove every point of these memories."""
        with self._writing:
            for piece in slices(memory_ids, MAX_POINTS_PER_WRITE):
                # A deleted point would count in the rarity of its words until the next start; a blank one does not.
                blank = [engine.Point(memory_id, {}, {}) for memory_id in piece]
                with self._engine() as shard:
                    shard.update(engine.UpdateOperation.upsert_points(blank, update_mode=engine.UpdateMode.UpdateOnly))
                self._delete_where(points_of(piece))
            self._flush_now_and_then(len(memory_ids))

    def search(self, searches: Sequence[Search]) -> list[list[Hit]]:
        """Run all searches in one batch of the engine."""
        planned = probes(searches, self._dimension)
        answers: list[list[tuple[str, float]]] = []
        if planned:
            with self._engine() as shard:
                found = shard.query_batch(engine.QueryBatchRequest([_query(probe) for probe in planned]))
            answers = [
                [(_memory_id(point) if probe.of_chunks else str(point.id), point.score) for point in points]
                for probe, points in zip(planned, found, strict=True)
            ]
        return collect(searches, planned, answers)

    def count(self) -> int:
        """Number of memories in the index."""
        return self._count_where(MAIN_POINTS)

    def count_unembedded(self) -> int:
        """Number of memories that have no dense vector yet."""
        return self._count_where(UNEMBEDDED)

    def memory_ids(self, after: str | None, limit: int) -> tuple[list[str], str | None]:
        """Page through all memory ids, at most 1,000 at a time."""
        request = engine.ScrollRequest(offset=after, limit=max(1, min(limit, MAX_PAGE)), with_payload=_WITH_CHUNK_OF)
        with self._engine() as shard:
            points, following = shard.scroll(request)
        return [_memory_id(point) for point in points], None if following is None else str(following)

    def flush(self) -> None:
        """Write everything to its place on disk, so that the next start replays nothing."""
        with self._writing, self._engine() as shard:
            shard.flush()
            self._unflushed_points = 0

    def close(self) -> None:
        """Flush, close the engine and let go of the directory; idempotent."""
        with self._writing, self._opening:
            self._closed = True
            shard, self._shard = self._shard, None
            if shard is None:
                return
            try:
                with _translated_errors(self._directory.path):
                    shard.flush()
                    shard.close()
            finally:
                self._directory.unlock()

    @contextmanager
    def _engine(self) -> Iterator[engine.EdgeShard]:
        """Give the open engine for one call, counted and with its errors translated."""
        shard = self._shard or self._open()
        if self._process_id != os.getpid():
            # A search in a forked child would hang for ever.
            raise VectorsUnavailable("the vector directory was opened before this process was forked")
        with self._counting:
            self._round_trips += 1
        with _translated_errors(self._directory.path):
            yield shard

    def _open(self) -> engine.EdgeShard:
        with self._opening:
            if self._closed:
                raise VectorsUnavailable("the vector store is closed")
            deadline = time.monotonic() + self._lock_wait_seconds
            while self._shard is None:
                try:
                    self._shard = _open_shard(self._directory, self._dimension)
                    self._process_id = os.getpid()
                except DataDirectoryInUse:
                    if time.monotonic() >= deadline:
                        raise
                    time.sleep(RETRY_SECONDS)
            return self._shard

    def _count_where(self, where: Clauses) -> int:
        with self._engine() as shard:
            return shard.count(engine.CountRequest(exact=True, filter=_filter(where)))

    def _delete_where(self, where: Clauses) -> None:
        with self._engine() as shard:
            shard.update(engine.UpdateOperation.delete_points_by_filter(_filter(where)))

    def _flush_now_and_then(self, points: int) -> None:
        self._unflushed_points += points
        if self._unflushed_points >= POINTS_BETWEEN_FLUSHES:
            with self._engine() as shard:
                shard.flush()
            self._unflushed_points = 0


def _open_shard(directory: IndexDirectory, dimension: int) -> engine.EdgeShard:
    engine_version = version("qdrant-edge-py")
    config = engine.EdgeConfig(
        vectors=engine.EdgeVectorParams(
            size=dimension, distance=engine.Distance.Cosine, datatype=engine.VectorStorageDatatype.Turbo8
        ),
        sparse_vectors={WORDS_VECTOR: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf)},
    )
    directory.lock()
    try:
        directory.check(dimension, engine_version)
        with _translated_errors(directory.path, dimension):
            if not directory.shard.exists():
                shutil.rmtree(directory.unfinished_shard, ignore_errors=True)
                engine.EdgeShard.create(str(directory.unfinished_shard), config).close()
                directory.unfinished_shard.rename(directory.shard)
            with _translated_errors(directory.path, dimension, loading=True):
                shard = engine.EdgeShard.load(str(directory.shard), config)
            _create_field_indexes(shard)
        # Before anything else is written: from here on an older engine would not see all of it.
        directory.mark(dimension, engine_version)
    except BaseException:
        directory.unlock()
        raise
    return shard


def _create_field_indexes(shard: engine.EdgeShard) -> None:
    indexed = shard.info().payload_schema
    wanted: dict[str, engine.PayloadSchemaParams] = {
        **{field: engine.KeywordIndexParams(enable_hnsw=False) for field in KEYWORD_FIELDS},
        **{field: engine.DatetimeIndexParams(enable_hnsw=False) for field in DATETIME_FIELDS},
    }
    for field, params in wanted.items():
        if field not in indexed:
            shard.update(engine.UpdateOperation.create_field_index(field, params))


@contextmanager
def _translated_errors(directory: Path, dimension: int = 0, *, loading: bool = False) -> Iterator[None]:
    """Turn the engine's errors into ours. All of them are bare `Exception`s, told apart by their text alone."""
    try:
        yield
    except Exception as error:
        if type(error) is not Exception:
            raise
        translated = _translation(str(error), directory, dimension)
        if loading and not any(sign in str(error) for sign in (*_KNOWN_SIGNS, *_PASSING_SIGNS)):
            # What the engine cannot read today it cannot read tomorrow.
            translated = damaged(directory, str(error))
        raise translated from error


_KNOWN_SIGNS = ("WouldBlock", "config is incompatible")
_PASSING_SIGNS = ("Out of memory", "Operation cancelled", "Timeout", "No space left", "Too many open files")


def _translation(text: str, directory: Path, dimension: int) -> AutomemError:
    if "WouldBlock" in text:
        return in_use(directory)
    if "config is incompatible" in text:
        return other_dimension(directory, text.rpartition(" ")[2], dimension)
    if any(sign in text for sign in ("Service runtime error", *_PASSING_SIGNS)):
        return VectorsUnavailable(f"the vector engine failed: {text}")
    return VectorsRefused(f"the vector engine refused: {text}")


def _point(point: IndexPoint) -> engine.Point:
    vectors: dict[str, list[float] | engine.SparseVector | list[list[float]]] = {}
    if point.dense is not None:
        vectors[DENSE_VECTOR] = point.dense.tolist()
    if point.words is not None:
        vectors[WORDS_VECTOR] = _sparse(point.words)
    return engine.Point(point.id, vectors, dict(point.payload))


def _sparse(terms: SparseTerms) -> engine.SparseVector:
    return engine.SparseVector(list(terms.indices), list(terms.values))


def _query(probe: Probe) -> engine.QueryRequest:
    if isinstance(probe.vector, SparseTerms):
        nearest = engine.Query.Nearest(_sparse(probe.vector), using=WORDS_VECTOR)
    else:
        nearest = engine.Query.Nearest(probe.vector.tolist())
    return engine.QueryRequest(
        limit=probe.limit,
        query=nearest,
        filter=_filter(probe.where),
        with_payload=_WITH_CHUNK_OF if probe.of_chunks else None,
    )


_WITH_CHUNK_OF = engine.PayloadSelector.Include(["chunk_of"])


def _memory_id(point: engine.ScoredPoint | engine.Record) -> str:
    return str((point.payload or {}).get("chunk_of", point.id))


def _filter(where: Clauses) -> engine.Filter:
    return engine.Filter(
        must=[_condition(condition) for condition in where.must],
        must_not=[_condition(condition) for condition in where.must_not],
    )


def _condition(condition: Condition) -> engine.ConditionType:
    match condition:
        case AnyOf(key, (value,)):
            return engine.FieldCondition(key, match=engine.MatchValue(value))
        case AnyOf(key, values):
            return engine.FieldCondition(key, match=engine.MatchAny(list(values)))
        case Within(key, start, end):
            return engine.FieldCondition(key, range=engine.RangeDateTime(gte=start, lte=end))
        case HasId(ids):
            return engine.HasIdCondition(set(ids))
        case HasDense():
            return engine.HasVectorCondition(DENSE_VECTOR)
        case OneOf(conditions):
            return engine.Filter(should=[_condition(each) for each in conditions])
