"""A bounded cache of query vectors in front of any provider."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from automem.embedding.base import Embedder, Vectors

DEFAULT_ENTRIES = 1024


class QueryCache:
    """An embedder that remembers the vectors of the `entries` last searched texts of another one.

    The same search often comes several times: paging, retries, an agent that asks again. Stored texts are
    embedded once each, so `embed` is passed on as it is. Texts are remembered by digest: a long query costs no
    more memory than a short one, and no query text stays in memory. An error is never remembered.
    """

    def __init__(self, embedder: Embedder, entries: int = DEFAULT_ENTRIES) -> None:
        self._embedder = embedder
        self._entries = entries
        self._vectors: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """Name of the model, as shown by /health."""
        return self._embedder.model

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._embedder.dimension

    @property
    def local(self) -> bool:
        """True when the model runs in this process."""
        return self._embedder.local

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed stored texts; see `Embedder.embed`."""
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of one search text, read-only, from the cache when it is there.

        The lock is not held while the model works: two threads that ask the same new text at once both
        compute it, and neither waits for another text's slow provider.
        """
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            known = self._vectors.get(key)
            if known is not None:
                self._vectors.move_to_end(key)
                return known
        vector = np.array(self._embedder.embed_query(text), dtype=np.float32)
        vector.setflags(write=False)
        with self._lock:
            self._vectors[key] = vector
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._entries:
                self._vectors.popitem(last=False)
        return vector

    def chunks(self, text: str) -> list[str]:
        """Cut a text into pieces that the model reads whole; see `Embedder.chunks`."""
        return self._embedder.chunks(text)
