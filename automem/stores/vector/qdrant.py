"""The vector store in a Qdrant server, reached over REST; also runs on the client's in-memory mode, for tests."""

from __future__ import annotations

import json
import math
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from urllib.parse import urlsplit

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from automem.errors import AutomemError, IncompatibleIndex, VectorsRefused, VectorsUnavailable
from automem.stores.vector.base import MAX_POINTS_PER_WRITE, Hit, IndexEntry, Search
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

MAX_PAGE = 1_000
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def url_client_factory(
    url: str, api_key: str | None = None, timeout_seconds: float = 10.0
) -> Callable[[], QdrantClient]:
    """Return a function that makes a REST client of the server at `url`.

    Making it needs no server: the client's check of the server's version is off, because it runs in a thread of its
    own and only warns. `prepare` finds out whether the server can do what is needed.
    """
    loopback = urlsplit(url).hostname in _LOOPBACK

    def make() -> QdrantClient:
        with warnings.catch_warnings():
            if loopback:
                # A key sent in clear text to another machine deserves the warning; to this machine it is fine.
                warnings.filterwarnings("ignore", "Api key is used with an insecure connection", UserWarning)
            # The client rounds its timeout up to whole seconds.
            return QdrantClient(url=url, api_key=api_key, timeout=math.ceil(timeout_seconds), check_compatibility=False)

    return make


class QdrantVectorStore:
    """One collection of a Qdrant server.

    The client is made, and the collection prepared, at the first use and again after the server was away. So the
    service starts without its server, and finds an emptied or upgraded one in order when it is back.
    """

    def __init__(self, client_factory: Callable[[], QdrantClient], collection: str, dimension: int) -> None:
        """Keep the settings; nothing is connected yet."""
        self._client_factory = client_factory
        self._collection = collection
        self._dimension = dimension
        self._lock = threading.Lock()
        self._round_trips = 0
        self._client: QdrantClient | None = None
        self._prepared = False
        self._closed = False

    @property
    def round_trips(self) -> int:
        """Calls made to the server since the start."""
        return self._round_trips

    def prepare(self) -> None:
        """Create what is missing: the collection, its sparse vector, the payload indexes.

        Raises:
            IncompatibleIndex: the collection exists and does not fit; it is never changed or adopted.
        """
        # Not under the lock: against a server that hangs, threads would wait for the timeouts of one another. Two
        # preparations at a time do no harm.
        if not self._exists():
            self._create()
        with self._call() as client:
            info = client.get_collection(self._collection)
        self._check_fit(info.config.params)
        for field, schema in _FIELD_SCHEMAS.items():
            if field not in info.payload_schema:
                with self._call() as client:
                    client.create_payload_index(self._collection, field, field_schema=schema, wait=True)
        self._prepared = True

    def ping(self) -> None:
        """Return when the server answers."""
        self._exists()

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Write the entries in place of what the index held of these memories."""
        points = index_points(entries, self._dimension)
        written = slices(list(chunks_by_memory(points).items()), MAX_POINTS_PER_WRITE)
        upserts = [
            models.UpsertOperation(upsert=models.PointsList(points=[_point(point) for point in piece]))
            for piece in slices(points, MAX_POINTS_PER_WRITE)
        ]
        surplus = [_deletion(surplus_chunks(dict(piece))) for piece in written]
        if not upserts:
            return
        for upsert in upserts[:-1]:
            self._update([upsert])
        # The surplus goes only after everything new is there; the operations of one request are done in their order.
        self._update([upserts[-1], *surplus])

    def put_words(self, entries: Sequence[IndexEntry]) -> None:
        """Write the words of main points that exist."""
        for piece in slices(entries, MAX_POINTS_PER_WRITE):
            with self._prepared_call() as client:
                records = client.retrieve(
                    self._collection, [entry.memory_id for entry in piece], with_payload=False, with_vectors=False
                )
            known = {str(record.id) for record in records}
            words = [
                models.PointVectors(id=entry.memory_id, vector={WORDS_VECTOR: _sparse(terms)})
                for entry in piece
                if entry.memory_id in known and (terms := entry_words(entry)) is not None
            ]
            if words:
                self._update([models.UpdateVectorsOperation(update_vectors=models.UpdateVectors(points=words))])

    def delete(self, memory_ids: Sequence[str]) -> None:
        """Remove every point of these memories."""
        for piece in slices(memory_ids, MAX_POINTS_PER_WRITE):
            self._update([_deletion(points_of(piece))])

    def search(self, searches: Sequence[Search]) -> list[list[Hit]]:
        """Run all searches in one request."""
        planned = probes(searches, self._dimension)
        answers: list[list[tuple[str, float]]] = []
        if planned:
            with self._prepared_call() as client:
                found = client.query_batch_points(self._collection, [_query(probe) for probe in planned])
            answers = [[(_memory_id(point), point.score) for point in answer.points] for answer in found]
        return collect(searches, planned, answers)

    def count(self) -> int:
        """Number of memories in the index."""
        return self._count_where(MAIN_POINTS)

    def count_unembedded(self) -> int:
        """Number of memories that have no dense vector yet."""
        return self._count_where(UNEMBEDDED)

    def memory_ids(self, after: str | None, limit: int) -> tuple[list[str], str | None]:
        """Page through all memory ids, at most 1,000 at a time."""
        with self._prepared_call() as client:
            points, following = client.scroll(
                self._collection,
                offset=after,
                limit=max(1, min(limit, MAX_PAGE)),
                with_payload=["chunk_of"],
                with_vectors=False,
            )
        return [_memory_id(point) for point in points], None if following is None else str(following)

    def close(self) -> None:
        """Close the connections; idempotent."""
        with self._lock:
            self._closed = True
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _update(self, operations: list[models.UpdateOperation]) -> None:
        with self._prepared_call() as client:
            client.batch_update_points(self._collection, operations, wait=True)

    def _count_where(self, where: Clauses) -> int:
        with self._prepared_call() as client:
            return client.count(self._collection, count_filter=_filter(where), exact=True).count

    def _exists(self) -> bool:
        with self._call() as client:
            return client.collection_exists(self._collection)

    def _create(self) -> None:
        try:
            with self._call() as client:
                client.create_collection(
                    self._collection,
                    vectors_config=models.VectorParams(size=self._dimension, distance=models.Distance.COSINE),
                    sparse_vectors_config={WORDS_VECTOR: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                )
        except VectorsRefused as error:
            # Another process made it in the meantime, which is as good.
            if error.data.get("status") != 409:
                raise

    def _check_fit(self, params: models.CollectionParams) -> None:
        wanted = f"one unnamed cosine vector of size {self._dimension} and the sparse vector {WORDS_VECTOR!r} with IDF"
        found = _described(params)
        if found == wanted:
            return
        way_back = ""
        if isinstance(params.vectors, models.VectorParams) and params.vectors.size != self._dimension:
            way_back = f", or set EMBEDDING_MODEL (or VECTOR_SIZE) back to a model of size {params.vectors.size}"
        raise IncompatibleIndex(
            f"the Qdrant collection {self._collection!r} has {found}, but automem needs {wanted}; "
            f"set QDRANT_COLLECTION to a new name, and the index is rebuilt there from the graph{way_back}",
            collection=self._collection,
            found=found,
            wanted=wanted,
        )

    @contextmanager
    def _prepared_call(self) -> Iterator[QdrantClient]:
        if not self._prepared:
            self.prepare()
        with self._call() as client:
            yield client

    @contextmanager
    def _call(self) -> Iterator[QdrantClient]:
        """Give the client for one request, counted and with its errors translated."""
        try:
            client = self._connected()
            yield client
        except (UnexpectedResponse, ResponseHandlingException, QdrantException, httpx.HTTPError, OSError) as error:
            translated = _translation(error)
            if isinstance(translated, VectorsUnavailable):
                # The server may come back empty, or as another one.
                self._prepared = False
            raise translated from error

    def _connected(self) -> QdrantClient:
        with self._lock:
            if self._closed:
                raise VectorsUnavailable("the vector store is closed")
            if self._client is None:
                self._client = self._client_factory()
            self._round_trips += 1
            return self._client


_FIELD_SCHEMAS = {
    **dict.fromkeys(KEYWORD_FIELDS, models.PayloadSchemaType.KEYWORD),
    **dict.fromkeys(DATETIME_FIELDS, models.PayloadSchemaType.DATETIME),
}


def _translation(error: Exception) -> AutomemError:
    """Turn an error of the client into ours."""
    if isinstance(error, UnexpectedResponse):
        status, text = error.status_code or 0, _answer_text(error)
        if status in (401, 403):
            return VectorsRefused(f"Qdrant answered {status} ({text}); check QDRANT_API_KEY", status=status)
        if status == 404:
            # The collection was removed while we ran; the next call makes it anew.
            return VectorsUnavailable(f"Qdrant answered 404: {text}", status=status)
        if status == 429 or status >= 500:
            return VectorsUnavailable(f"Qdrant answered {status}: {text}", status=status)
        return VectorsRefused(f"Qdrant answered {status}: {text}", status=status)
    cause = error.source if isinstance(error, ResponseHandlingException) else error
    return VectorsUnavailable(f"Qdrant does not answer: {type(cause).__name__}: {cause}")


def _answer_text(error: UnexpectedResponse) -> str:
    try:
        text = str(json.loads(error.content)["status"]["error"])
    except (ValueError, KeyError, TypeError):
        text = error.content.decode(errors="replace") or error.reason_phrase
    return text[:300]


def _described(params: models.CollectionParams) -> str:
    match params.vectors:
        case models.VectorParams(size=size, distance=distance):
            dense = f"one unnamed {distance.value.lower()} vector of size {size}"
        case dict(named) if named:
            dense = f"the named vectors {', '.join(sorted(named))}"
        case _:
            dense = "no dense vector"
    words = (params.sparse_vectors or {}).get(WORDS_VECTOR)
    if words is None:
        return f"{dense} and no sparse vector {WORDS_VECTOR!r}"
    idf = "with IDF" if words.modifier == models.Modifier.IDF else "without IDF"
    return f"{dense} and the sparse vector {WORDS_VECTOR!r} {idf}"


def _deletion(where: Clauses) -> models.DeleteOperation:
    return models.DeleteOperation(delete=models.FilterSelector(filter=_filter(where)))


def _point(point: IndexPoint) -> models.PointStruct:
    vectors: dict[str, models.Vector] = {}
    if point.dense is not None:
        vectors[DENSE_VECTOR] = point.dense.tolist()
    if point.words is not None:
        vectors[WORDS_VECTOR] = _sparse(point.words)
    return models.PointStruct(id=point.id, vector=vectors, payload=dict(point.payload))


def _sparse(terms: SparseTerms) -> models.SparseVector:
    return models.SparseVector(indices=list(terms.indices), values=list(terms.values))


def _query(probe: Probe) -> models.QueryRequest:
    by_words = isinstance(probe.vector, SparseTerms)
    return models.QueryRequest(
        query=_sparse(probe.vector) if isinstance(probe.vector, SparseTerms) else probe.vector.tolist(),
        using=WORDS_VECTOR if by_words else None,
        filter=_filter(probe.where),
        limit=probe.limit,
        with_payload=["chunk_of"] if probe.of_chunks else False,
    )


def _memory_id(point: models.ScoredPoint | models.Record) -> str:
    return str((point.payload or {}).get("chunk_of", point.id))


def _filter(where: Clauses) -> models.Filter:
    return models.Filter(
        must=[_condition(condition) for condition in where.must],
        must_not=[_condition(condition) for condition in where.must_not],
    )


def _condition(condition: Condition) -> models.Condition:
    match condition:
        case AnyOf(key, (value,)):
            return models.FieldCondition(key=key, match=models.MatchValue(value=value))
        case AnyOf(key, values):
            return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))
        case Within(key, start, end):
            moments = models.DatetimeRange(gte=_moment(start), lte=_moment(end))
            return models.FieldCondition(key=key, range=moments)
        case HasId(ids):
            return models.HasIdCondition(has_id=list(ids))
        case HasDense():
            return models.HasVectorCondition(has_vector=DENSE_VECTOR)
        case OneOf(conditions):
            return models.Filter(should=[_condition(each) for each in conditions])


def _moment(timestamp: str | None) -> datetime | None:
    return None if timestamp is None else datetime.fromisoformat(timestamp)
