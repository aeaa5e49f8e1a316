"""Routes that tell how the service is; they need no token."""

from __future__ import annotations

from typing import Any

from flask import Blueprint

from automem.api.openapi import documented
from automem.api.parsing import container
from automem.api.schemas.graph import HealthAnswer, ProbeAnswer
from automem.domain import timestamps

blueprint = Blueprint("health", __name__)

Answer = tuple[dict[str, Any], int]


@blueprint.get("/health")
@documented({200: HealthAnswer, 503: HealthAnswer}, public=True)
def health() -> Answer:
    """Tell how both stores are and what waits; 503 when the graph is down."""
    found = container().health.check()
    answer: dict[str, Any] = {
        "status": found.status,
        "falkordb": "connected" if found.graph_error is None else "unavailable",
        "qdrant": "connected" if found.vectors_error is None else "unavailable",
        "memory_count": found.memory_count,
        "vector_count": found.vector_count,
        "sync_status": found.sync_status,
        "vector_dimensions": {
            "configured": found.dimension,
            "effective": found.dimension,
            "collection": found.dimension if found.vectors_error is None else None,
            "mismatch": False,
        },
        "embedding": {
            "model": found.model,
            "queued": found.backlog.entries,
            "oldest_seconds": found.backlog.oldest_seconds,
        },
        "enrichment": {
            "status": "running" if container().background.running else "stopped",
            "queue_depth": found.backlog.entries,
            "pending": found.backlog.entries,
            "inflight": 0,
            "processed": 0,
            "failed": 0,
        },
        "timestamp": timestamps.now(),
        "graph": found.graph_name,
    }
    errors = {"falkordb": found.graph_error, "qdrant": found.vectors_error}
    reasons = {name: reason for name, reason in errors.items() if reason is not None}
    if reasons:
        answer["errors"] = reasons
    return answer, 503 if found.graph_error is not None else 200


@blueprint.get("/health/live")
@documented({200: ProbeAnswer}, public=True)
def live() -> Answer:
    """Answer while the process runs."""
    return {"status": "alive"}, 200


@blueprint.get("/health/ready")
@documented({200: ProbeAnswer, 503: ProbeAnswer}, public=True)
def ready() -> Answer:
    """Answer 200 when both stores answer, else 503."""
    found = container().health.probe()
    if found:
        return {"status": "not_ready", "errors": found}, 503
    return {"status": "ready"}, 200
