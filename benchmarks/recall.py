"""GET /recall with expansion, embedding excluded, beside the bare engines: `python -m benchmarks.recall [SIZE …]`.

Each query was asked before, so that its vector comes from the query cache.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import httpx

from automem.domain.recall import MemoryFilter
from automem.domain.relation import EXPANDED
from automem.embedding.hashing import HashingEmbedder
from automem.stores.graph.embedded import attach
from automem.stores.graph.reads import GraphReads, WalkRules
from automem.stores.vector.base import IndexEntry, Search
from automem.stores.vector.edge import EdgeVectorStore
from benchmarks.running import interleaved, p50, p95, report, service

DIMENSION = 384
WORDS = 6_000
BATCH = 500
EDGES_PER_MEMORY = 3


def texts(count: int) -> list[str]:
    """Return made-up texts of 20 words whose frequencies fall as those of natural language do."""
    choose = random.Random(7)
    words = [f"w{number}" for number in range(WORDS)]
    weights = [1 / (rank + 1) for rank in range(WORDS)]
    return [" ".join(choose.choices(words, weights, k=20)) for _ in range(count)]


def fill(client: httpx.Client, contents: list[str]) -> list[str]:
    """Store the texts and join each to three others; return the ids."""
    choose = random.Random(8)
    ids: list[str] = []
    for start in range(0, len(contents), BATCH):
        items = [
            {"content": text, "tags": [f"group:{choose.randrange(200)}"], "importance": round(choose.random(), 2)}
            for text in contents[start : start + BATCH]
        ]
        ids += client.post("/memory/batch", json={"memories": items}).raise_for_status().json()["memory_ids"]
    pairs = [(first, second) for first in ids for second in choose.sample(ids, EDGES_PER_MEMORY) if first != second]
    for start in range(0, len(pairs), BATCH):
        items = [
            {"memory1_id": first, "memory2_id": second, "strength": round(choose.random(), 2)}
            for first, second in pairs[start : start + BATCH]
        ]
        client.post("/associate", json={"associations": items}).raise_for_status()
    return ids


def measure(size: int) -> list[list[object]]:
    contents = texts(size)
    embedder = HashingEmbedder(DIMENSION)
    queries = [" ".join(random.Random(number).sample(contents[number].split(), 5)) for number in range(200)]
    environment = {"EMBEDDING_PROVIDER": "hashing", "VECTOR_SIZE": str(DIMENSION)}
    with service(**environment) as (client, directory), tempfile.TemporaryDirectory() as own:
        ids = fill(client, contents)
        vectors = EdgeVectorStore(Path(own) / "index", DIMENSION)
        vectors.prepare()
        for start in range(0, size, BATCH):
            entries = [
                IndexEntry(
                    ids[n], contents[n], embedder.embed([contents[n]]), (), (), "Memory", "2026-01-01T00:00:00+00:00"
                )
                for n in range(start, min(size, start + BATCH))
            ]
            vectors.put(entries)
        graph = attach(directory / "falkordb", "memories")
        assert graph is not None
        reads = GraphReads(graph)
        rules = WalkRules(EXPANDED, 5, MemoryFilter(), "2030-01-01T00:00:00+00:00")

        def ask(number: int, **more: str) -> None:
            query = queries[number % len(queries)]
            answer = client.get("/recall", params={"query": query, "limit": "20", **more})
            assert answer.status_code == 200, answer.text
            assert b'"results":[{' in answer.content, answer.text  # Its reader takes no part in the time measured.

        def bare(number: int) -> None:
            text = queries[number % len(queries)]
            searches = [Search(20, dense=embedder.embed([text])[0]), Search(20, words=text)]
            hits = [hit.memory_id for found in vectors.search(searches) for hit in found][:20]
            reads.candidates(hits, MemoryFilter(), rules.now)
            reads.walk(dict.fromkeys(hits, 1.0), hits, rules, 25)

        for number in range(len(queries)):
            ask(number)
        times = interleaved(
            {
                "recall, limit=20, expand_relations=true": lambda n: ask(n, expand_relations="true"),
                "recall, limit=20": ask,
                "empty endpoint of the service (/health/live)": lambda _: client.get("/health/live"),
                "bare engines: 2 searches, read 20, 1 hop": bare,
            },
            rounds=10,
            per_round=40,
        )
        graph.close()
        vectors.close()
    return [[f"{size:,}", name, f"{p50(values):.1f}", f"{p95(values):.1f}"] for name, values in times.items()]


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:] if text.isdigit()] or [10_000]
    rows = [row for size in sizes for row in measure(size)]
    command = " ".join(["python -m benchmarks.recall", *map(str, sizes)])
    report("GET /recall, embedding excluded", rows, ["memories", "", "p50 ms", "p95 ms"], command)


if __name__ == "__main__":
    main()
