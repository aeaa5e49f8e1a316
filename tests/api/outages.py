"""A real graph, a real index and an embedder that can be made to fail, for failures that are hard to cause."""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from automem.background.indexing import IndexTask
from automem.container import Container
from automem.embedding.hashing import HashingEmbedder
from automem.errors import EmbeddingUnavailable, GraphUnavailable, VectorsUnavailable
from automem.services.indexing import Indexer
from automem.stores.graph.memories import GraphMemories
from automem.stores.graph.outbox import Outbox


def _every(query):
    return True


def _none(query):
    return False


class FragileGraph:
    """A GraphRunner around another one."""

    def __init__(self, runner):
        self._runner = runner
        self._refused = self._unanswered = _none
        self._error = GraphUnavailable()

    def __getattr__(self, name):
        return getattr(self._runner, name)

    def read(self, query, params=None):
        self._refuse(query)
        return self._runner.read(query, params)

    def write(self, query, params=None):
        self._refuse(query)
        rows = self._runner.write(query, params)
        if self._unanswered(query):
            raise GraphUnavailable("FalkorDB did not answer in time")
        return rows

    def ping(self):
        self._refuse("")
        self._runner.ping()

    def channel(self, name):
        return FragileChannel(self._runner.channel(name), self._refuse)

    def _refuse(self, query):
        if self._refused(query):
            raise self._error

    @contextmanager
    def failing(self, when=_every, error=None):
        """Raise instead of running the queries for which `when` holds."""
        self._refused, self._error = when, error or GraphUnavailable()
        try:
            yield
        finally:
            self._refused = _none

    @contextmanager
    def losing_answers(self, when=_every):
        """Run writes, and then raise as if no answer had come."""
        self._unanswered = when
        try:
            yield
        finally:
            self._unanswered = _none


class FragileChannel:
    """An EventChannel that fails with its graph."""

    def __init__(self, channel, refuse):
        self._channel = channel
        self._refuse = refuse

    def publish(self, messages):
        self._refuse("")
        self._channel.publish(messages)

    def listen(self):
        self._refuse("")
        return FragileListener(self._channel.listen(), self._refuse)

    def listeners(self):
        self._refuse("")
        return self._channel.listeners()

    def close(self):
        self._channel.close()


class FragileListener:
    """An EventListener that fails with its graph."""

    def __init__(self, listener, refuse):
        self._listener = listener
        self._refuse = refuse

    def next(self, wait_seconds):
        self._refuse("")
        return self._listener.next(wait_seconds)

    def close(self):
        self._listener.close()


class FragileVectors:
    """A VectorStore around another one."""

    def __init__(self, vectors):
        self._vectors = vectors
        self._down = False

    def __getattr__(self, name):
        return self._fail if self._down else getattr(self._vectors, name)

    def close(self):
        self._vectors.close()

    def _fail(self, *_):
        raise VectorsUnavailable

    @contextmanager
    def failing(self):
        """Raise from every call."""
        self._down = True
        try:
            yield
        finally:
            self._down = False


class FragileEmbedder(HashingEmbedder):
    """Raises `error` while it is set; `texts` counts what it embedded."""

    def __init__(self, dimension):
        super().__init__(dimension)
        self.local = True
        self.texts = 0
        self._error = None

    def embed(self, texts):
        if self._error is not None:
            raise self._error
        self.texts += len(texts)
        return super().embed(texts)

    @contextmanager
    def failing(self, error=None):
        """Raise from every call."""
        self._error = error or EmbeddingUnavailable("the embedding endpoint does not answer")
        try:
            yield
        finally:
            self._error = None

    @contextmanager
    def remote(self):
        """Count as a model that does not run in this process."""
        self.local = False
        try:
            yield
        finally:
            self.local = True


@dataclass(frozen=True)
class Fragile:
    """A service of which every part can fail."""

    graph: FragileGraph
    vectors: FragileVectors
    embedder: FragileEmbedder
    service: Container
    client: Any

    @property
    def outbox(self):
        return Outbox(self.graph)

    @property
    def indexer(self):
        return indexer(self.service, self.embedder)

    def catch_up(self):
        """Do the index work that is due."""
        catch_up(self.service, self.embedder)


def indexer(service, embedder):
    """Return what brings a service's index up to date."""
    return Indexer(service.vectors, embedder, Outbox(service.runner), GraphMemories(service.runner))


def catch_up(service, embedder):
    """Do the index work that is due, as background work does."""
    task = IndexTask(Outbox(service.runner), indexer(service, embedder))
    while task.run_once():
        pass


def indexed_ids(service):
    """Return the ids of all memories that the index holds."""
    ids, cursor = service.vectors.memory_ids(None, 1000)
    while cursor is not None:
        more, cursor = service.vectors.memory_ids(cursor, 1000)
        ids += more
    return set(ids)
