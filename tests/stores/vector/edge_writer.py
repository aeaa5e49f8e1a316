"""Run as a process of its own and killed by a test: writes memories and prints the number of each once it is in."""

import itertools
import sys
from pathlib import Path

from vector_cases import DIMENSION, axis, entry, memory_id, rows

from automem.stores.vector import edge

edge.POINTS_BETWEEN_FLUSHES = 100  # So that some of the kills fall into a flush.
store = edge.EdgeVectorStore(Path(sys.argv[1]), DIMENSION)
for number in itertools.count(1):
    store.put([entry(number, f"old{number}", rows(axis(0), axis(1), axis(2)))])
    store.put([entry(number, f"word{number}", rows(axis(number % DIMENSION), axis(0)))])
    store.put([entry(number + 1_000_000, f"gone{number}", axis(3))])
    store.delete([memory_id(number + 1_000_000)])
    print(number, flush=True)
