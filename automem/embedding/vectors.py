"""Arithmetic on the rows that a model returns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from automem.embedding.base import Vectors
from automem.errors import EmbeddingRefused


def unit_rows(rows: NDArray[Any]) -> Vectors:
    """Scale each row of an (n, dimension) array to length 1.

    Raises:
        EmbeddingRefused: a row is zero or not finite, so that it has no direction; `data["row"]` is its number.
    """
    wide = rows.astype(np.float64)
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    bad = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0.0))
    if bad.size:
        row = int(bad[0])
        raise EmbeddingRefused(f"the model gave text number {row} a vector without direction", row=row)
    units: Vectors = (wide / lengths[:, np.newaxis]).astype(np.float32)
    return units
