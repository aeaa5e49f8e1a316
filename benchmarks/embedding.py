"""Local embedding, one query on a quiet and on a busy machine, and batches: `python -m benchmarks.embedding`.

"Busy" means that one other process computes without a pause. Run it on an otherwise quiet machine.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from automem.embedding.base import Embedder
from automem.embedding.export import exported_model
from automem.embedding.onnx import OnnxEmbedder
from automem.embedding.sentence_transformer import SentenceTransformerEmbedder
from automem.embedding.sources import DEFAULT_MODEL
from benchmarks.running import p50, p95, report

MODELS_DIR = Path(__file__).parents[1] / ".cache" / "models"
QUERY = "how do we rotate the database credentials?"
QUERIES = 200
MEMORIES = [
    f"Deployment {number} of the billing service failed because host {number * 7} had an expired certificate."
    for number in range(256)
]


def onnx(threads: int) -> Embedder:
    return OnnxEmbedder(exported_model(DEFAULT_MODEL, MODELS_DIR, print), threads=threads)


def torch(threads: int) -> Embedder:
    return SentenceTransformerEmbedder(DEFAULT_MODEL, threads=threads)


@contextlib.contextmanager
def busy_core() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.3)
        yield
    finally:
        process.kill()
        process.wait()


def query(embedder: Embedder) -> str:
    """Time one query after another, with a breath between them as a service has."""
    times = []
    for number in range(QUERIES + 5):
        started = time.perf_counter()
        embedder.embed_query(QUERY)
        if number >= 5:
            times.append((time.perf_counter() - started) * 1000)
        time.sleep(0.005)
    return f"{p50(times):.1f} / {p95(times):.1f}"


def batch(embedder: Embedder) -> str:
    started = time.perf_counter()
    embedder.embed(MEMORIES)
    return f"{len(MEMORIES) / (time.perf_counter() - started):.0f}"


def measured(build: Callable[[int], Embedder], threads: int) -> list[object]:
    started = time.perf_counter()
    embedder = build(threads)
    loaded = f"{time.perf_counter() - started:.1f}"
    quiet = [query(embedder), batch(embedder)]
    with busy_core():
        return [f"{build.__name__}, {threads}", loaded, *quiet, query(embedder), batch(embedder)]


def main() -> None:
    header = ["backend, threads", "load s", "query ms p50 / p95", "texts/s", "busy: query ms p50 / p95", "texts/s"]
    rows = [measured(build, threads) for build in (onnx, torch) for threads in (1, 2)]
    report("Local embedding", rows, header, "python -m benchmarks.embedding")


if __name__ == "__main__":
    main()
