"""What a request can reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from automem.recall.recaller import Recaller
from automem.services.access import AccessLog
from automem.services.associations import AssociationService
from automem.services.events import Events
from automem.services.graph import GraphService
from automem.services.health import HealthService
from automem.services.memories import MemoryService
from automem.services.overview import OverviewService
from automem.stores.graph.base import GraphRunner
from automem.stores.vector.base import VectorStore


class BackgroundWork(Protocol):
    """The threads that work beside the requests."""

    @property
    def running(self) -> bool:
        """They are alive and not asked to stop."""
        ...

    def start(self) -> None:
        """Start them; once per process, after it forked."""
        ...

    def stop(self) -> None:
        """Let them finish their step and end; idempotent."""
        ...


@dataclass(frozen=True, slots=True)
class ApiRules:
    """What the HTTP layer needs to know besides the services; None for a token means that none is configured.

    `api_token` None leaves the API open, on purpose only (AUTOMEM_AUTH=off). Sizes are in bytes and characters.
    """

    api_token: str | None
    admin_token: str | None
    max_body_bytes: int
    max_content_characters: int
    allowed_origins: tuple[str, ...]
    viewer: bool
    recall_max_limit: int
    recall_relation_limit: int
    recall_expansion_limit: int
    recall_min_score: float
    recall_adaptive_floor: bool
    recall_recency_bias: Literal["off", "on", "auto"]
    embedding_dimension: int


@dataclass(frozen=True, slots=True)
class Container:
    """The services of one process, built once by `bootstrap.build`."""

    rules: ApiRules
    memories: MemoryService
    associations: AssociationService
    recaller: Recaller
    graph: GraphService
    overview: OverviewService
    health: HealthService
    background: BackgroundWork
    access: AccessLog
    events: Events
    runner: GraphRunner
    vectors: VectorStore

    def close(self) -> None:
        """Stop background work, write what waits in memory, and release both stores; idempotent."""
        self.background.stop()
        self.events.close()
        self.recaller.close()
        self.vectors.close()
        self.runner.close()
