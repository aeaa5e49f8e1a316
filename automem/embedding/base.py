"""The port of every embedding provider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors of one fixed dimension. Safe to call from several threads."""

    @property
    def model(self) -> str:
        """Name of the model, as shown by /health."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    @property
    def local(self) -> bool:
        """True when the model runs in this process, so that a store can wait for it."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (len(texts), dimension), rows of length 1, all finite.

        Raises:
            EmbeddingUnavailable: the provider cannot be reached now; try again later.
            EmbeddingRefused: the provider will never embed one of these texts.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of one search text, shape (dimension,), from a bounded cache when it is there.

        Raises: as `embed`.
        """
        ...

    def chunks(self, text: str) -> list[str]:
        """Cut a text into pieces that the model reads whole; a short text is its own only piece.

        Pieces overlap a little, cover the whole text and keep its order; there is always at least one.
        """
        ...
