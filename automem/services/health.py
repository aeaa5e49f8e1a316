"""Tell the truth about what answers and what waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from automem.embedding.base import Embedder
from automem.errors import AutomemError
from automem.stores.graph.base import GraphRunner
from automem.stores.graph.memories import GraphMemories
from automem.stores.graph.outbox import Backlog, Outbox
from automem.stores.vector.base import VectorStore

IDLE = Backlog(0, 0, 0.0)
LAG_TOLERATED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Health:
    """What a check found; a count is None where its store did not answer, an error None where it did.

    `memory_count` and `vector_count` leave out the types that recall never returns.
    """

    graph_error: str | None
    vectors_error: str | None
    memory_count: int | None
    vector_count: int | None
    unembedded: int | None
    backlog: Backlog
    dimension: int
    model: str
    graph_name: str

    @property
    def ready(self) -> bool:
        """Both stores answer."""
        return self.graph_error is None and self.vectors_error is None

    @property
    def sync_status(self) -> Literal["synced", "pending", "drift_detected", "orphaned_vectors", "unknown"]:
        """How the index compares with the graph, counting what is queued as on its way."""
        if self.memory_count is None or self.vector_count is None:
            return "unknown"
        waiting = self.backlog.entries + self.backlog.removals
        if self.vector_count > self.memory_count + self.backlog.removals:
            return "orphaned_vectors"
        if self.vector_count + waiting < self.memory_count:
            return "drift_detected"
        return "pending" if waiting else "synced"

    @property
    def status(self) -> Literal["healthy", "degraded", "unhealthy"]:
        """`unhealthy` without the graph, `degraded` when the index does not answer or lags, else `healthy`."""
        if self.graph_error is not None:
            return "unhealthy"
        lagging = self.backlog.oldest_seconds > LAG_TOLERATED_SECONDS
        if self.vectors_error is not None or lagging or self.sync_status == "drift_detected":
            return "degraded"
        return "healthy"


class HealthService:
    """Asks both stores how they are."""

    def __init__(
        self,
        runner: GraphRunner,
        memories: GraphMemories,
        outbox: Outbox,
        vectors: VectorStore,
        embedder: Embedder,
        excluded_types: Sequence[str] = (),
    ) -> None:
        self._runner = runner
        self._memories = memories
        self._outbox = outbox
        self._vectors = vectors
        self._embedder = embedder
        self._excluded_types = tuple(excluded_types)

    def probe(self) -> dict[str, str]:
        """Ping both stores; return the reason of each that does not answer, by its name."""
        reasons: dict[str, str] = {}
        for name, ping in (("falkordb", self._runner.ping), ("qdrant", self._vectors.ping)):
            try:
                ping()
            except AutomemError as error:
                reasons[name] = error.message
        return reasons

    def check(self) -> Health:
        """Ping and count; never raises for a store that does not answer."""
        memory_count, excluded, backlog, graph_error = None, 0, IDLE, None
        try:
            self._runner.ping()
            memory_count = self._memories.count(self._excluded_types)
            excluded = self._memories.count() - memory_count
            backlog = self._outbox.backlog()
        except AutomemError as error:
            graph_error = error.message
        vector_count, unembedded, vectors_error = None, None, None
        try:
            self._vectors.ping()
            vector_count = max(0, self._vectors.count() - excluded)
            unembedded = self._vectors.count_unembedded()
        except AutomemError as error:
            vectors_error = error.message
        return Health(
            graph_error=graph_error,
            vectors_error=vectors_error,
            memory_count=memory_count,
            vector_count=vector_count,
            unembedded=unembedded,
            backlog=backlog,
            dimension=self._embedder.dimension,
            model=self._embedder.model,
            graph_name=self._runner.graph_name,
        )
