"""POST /associate beside an empty endpoint and beside the bare query: `python -m benchmarks.associate`."""

from __future__ import annotations

import random
import uuid
from typing import Any

import httpx

from automem.stores.graph.base import GraphRunner
from automem.stores.graph.embedded import attach
from benchmarks.running import empty_endpoint, interleaved, p50, p95, report, service

MEMORIES = 10_000
BATCH = 500
CHOOSE = random.Random(1)
BARE = (
    "UNWIND $rows AS row MATCH (a:Memory {id: row.a}) MATCH (b:Memory {id: row.b}) "
    "MERGE (a)-[r:LEADS_TO]->(b) SET r.strength = row.s, r.updated_at = $now RETURN row.i"
)


def fill(client: httpx.Client, count: int) -> list[str]:
    """Store memories and return their ids."""
    ids: list[str] = []
    for start in range(0, count, BATCH):
        items = [
            {"content": f"memory {number} {uuid.uuid4().hex}", "tags": [f"group:{number % 50}"], "importance": 0.5}
            for number in range(start, min(count, start + BATCH))
        ]
        ids += client.post("/memory/batch", json={"memories": items}).raise_for_status().json()["memory_ids"]
    return ids


def association(ids: list[str]) -> dict[str, Any]:
    """Return the body of an association of two memories chosen by chance."""
    first, second = CHOOSE.sample(ids, 2)
    return {"memory1_id": first, "memory2_id": second, "type": "LEADS_TO", "strength": 0.8}


def measure_single(client: httpx.Client, empty: httpx.Client, ids: list[str]) -> dict[str, list[float]]:
    """Return the times in ms of single associations and of an endpoint that only reads its body."""

    def single(_: int) -> None:
        assert client.post("/associate", json=association(ids)).status_code == 201

    def nothing(_: int) -> None:
        assert empty.post("/", json=association(ids)).status_code == 200

    return interleaved({"single": single, "empty": nothing}, rounds=20, per_round=100)


def measure_batches(client: httpx.Client, graph: GraphRunner, ids: list[str]) -> dict[str, list[float]]:
    """Return the times in ms of batches, and of the query alone with the same number of edges."""

    def batch(_: int) -> None:
        answer = client.post("/associate", json={"associations": [association(ids) for _ in range(BATCH)]})
        assert answer.status_code == 201, answer.text

    def bare(_: int) -> None:
        items = [association(ids) for _ in range(BATCH)]
        rows = [{"a": item["memory1_id"], "b": item["memory2_id"], "s": 0.8, "i": i} for i, item in enumerate(items)]
        assert len(graph.write(BARE, {"rows": rows, "now": "2026-01-01T00:00:00+00:00"})) == BATCH

    return interleaved({"batch": batch, "bare": bare}, rounds=20, per_round=3)


def main() -> None:
    with service(EMBEDDING_PROVIDER="hashing", VECTOR_SIZE="64") as (client, directory), empty_endpoint() as empty:
        ids = fill(client, MEMORIES)
        times = measure_single(client, empty, ids)
        graph = attach(directory / "falkordb", "memories")
        assert graph is not None
        times.update(measure_batches(client, graph, ids))
        graph.close()
    rates = {name: BATCH / (p50(times[name]) / 1000) for name in ("batch", "bare")}

    def row(title: str, name: str) -> list[str]:
        rate = f"{rates[name]:,.0f}" if name in rates else ""
        return [title, f"{p50(times[name]):.2f}", f"{p95(times[name]):.2f}", rate]

    report(
        "POST /associate",
        [
            row("single, keep-alive, one client", "single"),
            row("empty Flask endpoint, same gunicorn", "empty"),
            ["ratio (target at most 2.5)", f"{p50(times['single']) / p50(times['empty']):.2f}", "", ""],
            row(f"batch of {BATCH}", "batch"),
            row("bare UNWIND query", "bare"),
            ["ratio of rates (target at least 60 %)", f"{rates['batch'] / rates['bare']:.0%}", "", ""],
        ],
        ["", "p50 ms", "p95 ms", "edges/s"],
        "python -m benchmarks.associate",
    )


if __name__ == "__main__":
    main()
