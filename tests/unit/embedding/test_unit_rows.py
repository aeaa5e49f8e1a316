from __future__ import annotations

import numpy as np
import pytest

from automem.embedding.vectors import unit_rows
from automem.errors import EmbeddingRefused


def test_rows_are_scaled_to_length_one():
    assert unit_rows(np.array([[3.0, 4.0], [0.0, 1e-30]])) == pytest.approx(np.array([[0.6, 0.8], [0.0, 1.0]]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 0.0, 1e300])
def test_a_row_without_direction_is_refused_by_number(bad: float):
    with pytest.raises(EmbeddingRefused) as refusal:
        unit_rows(np.array([[1.0, 0.0], [bad, 0.0]]))
    assert refusal.value.data == {"row": 1}
