"""A model without weights for tests: the words of a text, hashed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from automem.embedding.base import Vectors
from automem.embedding.chunking import Chunker, approximate_spans
from automem.embedding.vectors import unit_rows

# A Chinese or Japanese character, or a Korean syllable, counts as a word, for no space parts them.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_]+")


class HashingEmbedder:
    """Gives texts that share words vectors that share a direction; the same everywhere and always.

    Every word stands for one pseudo-random corner of the hypercube and a text for the sum of its words, so that
    unrelated texts are nearly orthogonal. It knows nothing of meaning.
    """

    local = True

    def __init__(self, dimension: int = 64, window: int = 256) -> None:
        self.model = f"hashing-{dimension}"
        self.dimension = dimension
        self._chunker = Chunker(approximate_spans, window)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed stored texts; see `Embedder.embed`."""
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            rows[row] = self._sum_of_words(text)
        return unit_rows(rows)

    def embed_query(self, text: str) -> Vectors:
        """Embed one search text; see `Embedder.embed_query`."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def chunks(self, text: str) -> list[str]:
        """Cut a text into pieces as if the model read a fixed number of tokens; see `Embedder.chunks`."""
        return self._chunker.chunks(text)

    def _sum_of_words(self, text: str) -> Vectors:
        total = np.zeros(self.dimension, dtype=np.float32)
        for word in _WORD.findall(text.casefold()):
            total += self._corner(word)
        return total if total.any() else self._corner("")

    def _corner(self, word: str) -> Vectors:
        digest = hashlib.shake_128(word.encode("utf-8", "surrogatepass")).digest((self.dimension + 7) // 8)
        bits = np.unpackbits(np.frombuffer(digest, dtype=np.uint8))[: self.dimension]
        return bits.astype(np.float32) * 2 - 1
