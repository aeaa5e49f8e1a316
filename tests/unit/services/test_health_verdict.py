"""What counts decide: healthy, degraded or unhealthy."""

from dataclasses import replace

import pytest

from automem.services.health import LAG_TOLERATED_SECONDS, Health
from automem.stores.graph.outbox import Backlog

WELL = Health(
    graph_error=None,
    vectors_error=None,
    memory_count=7,
    vector_count=7,
    unembedded=0,
    backlog=Backlog(0, 0, 0.0),
    dimension=8,
    model="m",
    graph_name="g",
)


@pytest.mark.parametrize(
    ("change", "status", "sync"),
    [
        ({}, "healthy", "synced"),
        ({"vector_count": 5, "backlog": Backlog(2, 0, 1.0)}, "healthy", "pending"),
        ({"vector_count": 8, "backlog": Backlog(0, 1, 0.0)}, "healthy", "pending"),
        ({"vector_count": 5}, "degraded", "drift_detected"),
        ({"vector_count": 9}, "healthy", "orphaned_vectors"),
        ({"backlog": Backlog(1, 0, LAG_TOLERATED_SECONDS + 1)}, "degraded", "pending"),
        ({"vectors_error": "away", "vector_count": None}, "degraded", "unknown"),
        ({"graph_error": "away", "memory_count": None}, "unhealthy", "unknown"),
        (
            {"graph_error": "away", "vectors_error": "away", "memory_count": None, "vector_count": None},
            "unhealthy",
            "unknown",
        ),
    ],
)
def test_the_verdict_follows_from_what_answers_and_what_waits(change, status, sync):
    health = replace(WELL, **change)
    assert (health.status, health.sync_status) == (status, sync)
    assert health.ready is (health.graph_error is None and health.vectors_error is None)
