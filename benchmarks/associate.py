"""POST /associate beside an empty endpoint and beside the bare query: `python -m benchmarks.associate`."""

from __future__ import annotations

import random
import uuid
from typing import Any

import httpx
from automem.stores.graph.embedded import attach

from benchmarks.running import empty_endpoint, interleaved, p50, p95, report, service

MEMORIES = 10_000
BATCH = 500
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


def main() -> None:
    with service(EMBEDDING_PROVIDER="hashing", VECTOR_SIZE="64") as (client, directory), empty_endpoint() as empty:
        ids = fill(client, MEMORIES)
        choose = random.Random(1)

        def pair() -> tuple[str, str]:
            first, second = choose.sample(ids, 2)
            return first, second

        def single(_: int) -> None:
            first, second = pair()
            body = {"memory1_id": first, "memory2_id": second, "type": "LEADS_TO", "strength": 0.8}
            assert client.post("/associate", json=body).status_code == 201

        def nothing(_: int) -> None:
            first, second = pair()
            body = {"memory1_id": first, "memory2_id": second, "type": "LEADS_TO", "strength": 0.8}
            assert empty.post("/", json=body).status_code == 200

        times = interleaved({"single": single, "empty": nothing}, rounds=20, per_round=100)
        graph = attach(directory / "falkordb", "memories")
        assert graph is not None

        def batch(_: int) -> None:
            items = [
                {"memory1_id": first, "memory2_id": second, "type": "LEADS_TO", "strength": 0.8}
                for first, second in (pair() for _ in range(BATCH))
            ]
            answer = client.post("/associate", json={"associations": items})
            assert answer.status_code == 201, answer.text

        def bare(_: int) -> None:
            rows: list[dict[str, Any]] = [
                {"a": first, "b": second, "s": 0.8, "i": number}
                for number, (first, second) in enumerate(pair() for _ in range(BATCH))
            ]
            assert len(graph.write(BARE, {"rows": rows, "now": "2026-01-01T00:00:00+00:00"})) == BATCH

        batches = interleaved({"batch": batch, "bare": bare}, rounds=20, per_round=3)
        graph.close()
    rates = {name: BATCH / (p50(values) / 1000) for name, values in batches.items()}
    report(
        "POST /associate",
        [
            ["single, keep-alive, one client", f"{p50(times['single']):.2f}", f"{p95(times['single']):.2f}", ""],
            ["empty Flask endpoint, same gunicorn", f"{p50(times['empty']):.2f}", f"{p95(times['empty']):.2f}", ""],
            ["ratio (target at most 2.5)", f"{p50(times['single']) / p50(times['empty']):.2f}", "", ""],
            [f"batch of {BATCH}", f"{p50(batches['batch']):.1f}", f"{p95(batches['batch']):.1f}", f"{rates['batch']:,.0f}"],
            ["bare UNWIND query", f"{p50(batches['bare']):.1f}", f"{p95(batches['bare']):.1f}", f"{rates['bare']:,.0f}"],
            ["ratio of rates (target at least 60 %)", f"{rates['batch'] / rates['bare']:.0%}", "", ""],
        ],
        ["", "p50 ms", "p95 ms", "edges/s"],
        "python -m benchmarks.associate",
    )


if __name__ == "__main__":
    main()
