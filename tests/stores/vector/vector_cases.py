"""Entries and vectors of the vector store's tests, and the engines that the contract runs on."""

import itertools
import threading

import numpy as np
from qdrant_client import QdrantClient

from automem.domain.recall import MemoryFilter
from automem.errors import VectorsUnavailable
from automem.stores.vector.base import IndexEntry, Search
from automem.stores.vector.edge import EdgeVectorStore
from automem.stores.vector.qdrant import QdrantVectorStore, url_client_factory

DIMENSION = 64
EVERYTHING = MemoryFilter(include_archived=True)
_collection_numbers = itertools.count(1)


def memory_id(number):
    return f"00000000-0000-4000-8000-{number:012d}"


def axis(number):
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[number] = 1.0
    return vector


def near(number, cosine, other=63):
    return np.float32(cosine) * axis(number) + np.float32(np.sqrt(1 - cosine**2)) * axis(other)


def rows(*vectors):
    return np.stack(vectors)


def prefixes(tags):
    return tuple(dict.fromkeys(":".join(tag.split(":")[: i + 1]) for tag in tags for i in range(tag.count(":") + 1)))


def entry(number, words="", dense=None, tags=(), **more):
    if dense is not None and dense.ndim == 1:
        dense = dense[None, :]
    fields = {"type": "Context", "timestamp": "2025-01-01T00:00:00+00:00", **more}
    return IndexEntry(memory_id(number), words, dense, tuple(tags), prefixes(tags), **fields)


def numbers(hits):
    return [int(hit.memory_id[-12:]) for hit in hits]


def by_words(store, words, limit=10, **where):
    return numbers(store.search([Search(limit=limit, words=words, where=MemoryFilter(**where))])[0])


def by_meaning(store, vector, limit=10, **where):
    return numbers(store.search([Search(limit=limit, dense=vector, where=MemoryFilter(**where))])[0])


def all_ids(store, page=1000):
    found, after = [], None
    while True:
        ids, after = store.memory_ids(after, page)
        found += ids
        if after is None:
            return found


class OneCallAtATime:
    """The in-memory client made safe for threads, which it is not, and outliving the store that closes it."""

    def __init__(self, client):
        self._client, self._lock = client, threading.Lock()

    def close(self):
        pass

    def __getattr__(self, name):
        call = getattr(self._client, name)

        def locked(*args, **kwargs):
            with self._lock:
                return call(*args, **kwargs)

        return locked


class EdgeEngine:
    def __init__(self, directory):
        self.directory = directory / "vectors"
        self.stores = []

    def store(self, dimension=DIMENSION):
        """Open the same data anew; the directory has one owner, so that the one before is closed."""
        self.close()
        self.stores.append(EdgeVectorStore(self.directory, dimension, lock_wait_seconds=0))
        return self.stores[-1]

    def emptied_store(self):
        """The store opened last without its data, or a new one when a test has closed it."""
        try:
            self.stores[-1].delete(sorted(set(all_ids(self.stores[-1]))))
        except (IndexError, VectorsUnavailable):
            self.store()
            return self.emptied_store()
        return self.stores[-1]

    def close(self):
        for store in self.stores:
            store.close()


class ServerEngine:
    """Any client of Qdrant: a factory for one, and a collection of its own."""

    def __init__(self, factory):
        self.factory = factory
        self.collection = f"contract-{next(_collection_numbers)}"
        self.stores = []

    def store(self, dimension=DIMENSION):
        self.stores.append(QdrantVectorStore(self.factory, self.collection, dimension))
        return self.stores[-1]

    def close(self):
        for store in self.stores:
            store.close()


def memory_engine():
    client = OneCallAtATime(QdrantClient(":memory:"))
    return ServerEngine(lambda: client)


def url_engine(url):
    return ServerEngine(url_client_factory(url))
