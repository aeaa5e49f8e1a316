"""GET /health, /health/live and /health/ready."""

import uuid
from dataclasses import replace

import pytest

from automem.services.indexing import entry
from automem.stores.graph.memories import GraphMemories

DIMENSION = 128


@pytest.fixture
def get(fragile):
    """Ask without a token, as monitors do."""

    def ask(path="/health"):
        answer = fragile.client.raw.get(path)
        return answer.status_code, answer.json

    return ask


def test_a_healthy_service_tells_what_it_holds(fragile, get):
    _, before = get()
    for number in range(3):
        fragile.client.store(f"healthy {number}")
    status, body = get()
    assert status == 200
    assert body == {
        "status": "healthy",
        "falkordb": "connected",
        "qdrant": "connected",
        "memory_count": before["memory_count"] + 3,
        "vector_count": before["memory_count"] + 3,
        "sync_status": "synced",
        "vector_dimensions": {
            "configured": DIMENSION,
            "effective": DIMENSION,
            "collection": DIMENSION,
            "mismatch": False,
        },
        "embedding": {"model": f"hashing-{DIMENSION}", "queued": 0, "oldest_seconds": 0.0},
        "enrichment": {
            "status": "stopped",
            "queue_depth": 0,
            "pending": 0,
            "inflight": 0,
            "processed": 0,
            "failed": 0,
        },
        "timestamp": body["timestamp"],
        "graph": body["graph"],
    }
    assert body["timestamp"].endswith("+00:00")
    assert body["graph"] == fragile.graph.graph_name


def test_a_store_that_waits_for_its_embedding_leaves_the_service_healthy(fragile, get):
    with fragile.embedder.failing():
        fragile.client.store("waiting")
    status, body = get()
    assert (status, body["status"], body["sync_status"], body["embedding"]["queued"]) == (200, "healthy", "pending", 1)
    fragile.catch_up()
    assert (get()[1]["sync_status"], get()[1]["embedding"]["queued"]) == ("synced", 0)


def test_a_store_the_index_never_saw_leaves_the_service_healthy_while_it_is_queued(fragile, get):
    with fragile.vectors.failing():
        fragile.client.store("waiting")
    _, body = get()
    assert (body["status"], body["sync_status"]) == ("healthy", "pending")
    fragile.catch_up()
    assert get()[1]["sync_status"] == "synced"


def test_index_work_that_waits_for_long_degrades_the_service(fragile, get):
    memory_id = fragile.client.store("late")
    old = "MATCH (m:Memory {id: $id}) SET m.index_pending = 1000000000, m.index_lease = NULL"
    fragile.service.runner.write(old, {"id": memory_id})
    status, body = get()
    assert (status, body["status"], body["embedding"]["oldest_seconds"] > 60) == (200, "degraded", True)
    fragile.catch_up()
    assert get()[1]["status"] == "healthy"


def test_a_deletion_the_index_never_saw_is_queued_and_not_an_orphan(fragile, get):
    memory_id = fragile.client.store("doomed")
    with fragile.vectors.failing():
        fragile.client.delete(f"/memory/{memory_id}")
    assert get()[1]["sync_status"] == "pending"
    fragile.catch_up()
    assert get()[1]["sync_status"] == "synced"


def test_entries_without_a_memory_are_told_and_the_service_stays_healthy(fragile, get):
    real = fragile.client.store("real")
    memory = GraphMemories(fragile.service.runner).get_many([real])[real]
    ghosts = [replace(entry(memory, None, {}), memory_id=str(uuid.uuid4())) for _ in range(2)]
    fragile.vectors.put(ghosts)
    _, body = get()
    assert (body["status"], body["sync_status"]) == ("healthy", "orphaned_vectors")
    fragile.vectors.delete([ghost.memory_id for ghost in ghosts])


def test_memories_of_excluded_types_are_not_counted_and_no_drift(fragile, get):
    _, before = get()
    memory_id = fragile.client.store("a pattern of patterns", type="MetaPattern")
    _, body = get()
    assert (body["memory_count"], body["sync_status"], body["status"]) == (before["memory_count"], "synced", "healthy")
    fragile.client.delete(f"/memory/{memory_id}")


def test_without_the_graph_the_service_is_unhealthy(fragile, get):
    with fragile.graph.failing():
        status, body = get()
        ready = get("/health/ready")
        live = get("/health/live")
    assert (status, body["status"], body["falkordb"], body["qdrant"]) == (503, "unhealthy", "unavailable", "connected")
    assert (body["memory_count"], body["sync_status"]) == (None, "unknown")
    assert body["errors"] == {"falkordb": "FalkorDB is unavailable"}
    assert ready == (503, {"status": "not_ready", "errors": {"falkordb": "FalkorDB is unavailable"}})
    assert live == (200, {"status": "alive"})
    assert get()[1]["status"] == "healthy"


def test_without_the_index_the_service_is_degraded(fragile, get):
    with fragile.vectors.failing():
        status, body = get()
        ready = get("/health/ready")
    assert (status, body["status"], body["falkordb"], body["qdrant"]) == (200, "degraded", "connected", "unavailable")
    assert (body["vector_count"], body["vector_dimensions"]["collection"]) == (None, None)
    assert body["errors"] == {"qdrant": "Qdrant is unavailable"}
    assert ready == (503, {"status": "not_ready", "errors": {"qdrant": "Qdrant is unavailable"}})


def test_a_graph_that_fails_after_the_ping_is_told_too(fragile, get):
    with fragile.graph.failing(lambda query: "count(" in query):
        status, body = get()
    assert (status, body["status"], body["falkordb"]) == (503, "unhealthy", "unavailable")


def test_with_both_stores_the_service_is_ready(get):
    assert get("/health/ready") == (200, {"status": "ready"})


def test_running_background_work_is_told(fragile, get):
    fragile.service.background.start()
    try:
        assert get()[1]["enrichment"]["status"] == "running"
    finally:
        fragile.service.background.stop()
    assert get()[1]["enrichment"]["status"] == "stopped"
