"""Looking around in a large graph, beside the bare engine: `python -m benchmarks.graph [MEMORIES]`.

Each memory is joined to three others, chosen at random.
"""

from __future__ import annotations

import random
import sys

import httpx

from automem.domain.recall import MemoryFilter
from automem.domain.relation import EXPANDED
from automem.stores.graph.embedded import attach
from automem.stores.graph.overview import GraphOverview
from automem.stores.graph.reads import GraphReads, WalkRules
from automem.stores.graph.traversal import follow_relations
from benchmarks.recall import DIMENSION, fill, texts
from benchmarks.running import interleaved, p50, p95, report, service

DRAWN = 2_000


def measure(size: int) -> list[list[object]]:
    environment = {"EMBEDDING_PROVIDER": "hashing", "VECTOR_SIZE": str(DIMENSION)}
    with service(**environment) as (client, directory):
        ids = random.Random(9).sample(fill(client, texts(size)), 400)
        graph = attach(directory / "falkordb", "memories")
        assert graph is not None
        reads, overview = GraphReads(graph), GraphOverview(graph)
        everything = MemoryFilter(include_archived=True)
        rules = WalkRules(EXPANDED, 100, everything, "2030-01-01T00:00:00+00:00")

        def related(number: int, depth: int) -> httpx.Response:
            path = f"/memories/{ids[number % len(ids)]}/related"
            return client.get(path, params={"depth": str(depth), "limit": "20"}).raise_for_status()

        def bare(number: int, depth: int) -> None:
            follow_relations(reads, [ids[number % len(ids)]], rules, depth=depth, limit=200)

        times = interleaved(
            {
                **{f"related, depth {depth}": lambda n, depth=depth: related(n, depth) for depth in (1, 2, 3)},
                **{
                    f"bare engine: the walks of depth {depth}": lambda n, depth=depth: bare(n, depth)
                    for depth in (2, 3)
                },
                "empty endpoint of the service (/health/live)": lambda _: client.get("/health/live"),
            },
            rounds=10,
            per_round=40,
        )
        times |= interleaved(
            {
                "path, up to 6 edges": lambda n: client.get(
                    "/graph/path", params={"from": ids[n % 400], "to": ids[(n + 200) % 400]}
                ),
                f"snapshot of {DRAWN:,}": lambda _: client.get("/graph/snapshot", params={"limit": str(DRAWN)}),
                "bare engine, queries of the snapshot": lambda _: overview.snapshot(everything, (), 0.0, DRAWN),
                "statistics": lambda _: client.get("/graph/stats"),
            },
            rounds=5,
            per_round=4,
        )
        graph.close()
    return [[f"{size:,}", name, f"{p50(values):.1f}", f"{p95(values):.1f}"] for name, values in times.items()]


def main() -> None:
    size = next((int(text) for text in sys.argv[1:] if text.isdigit()), 100_000)
    report("The graph", measure(size), ["memories", "", "p50 ms", "p95 ms"], f"python -m benchmarks.graph {size}")


if __name__ == "__main__":
    main()
