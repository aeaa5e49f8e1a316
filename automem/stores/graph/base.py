"""The port through which every graph query runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

Row = list[Any]


class EventListener(Protocol):
    """One listener of a channel, for one thread at a time."""

    def next(self, wait_seconds: float) -> str | None:
        """Return the next message, None when none comes in time; raise GraphUnavailable when the channel is lost."""
        ...

    def close(self) -> None:
        """Stop listening; idempotent."""
        ...


class EventChannel(Protocol):
    """Messages between processes: whoever listens at the time hears them, in order; nothing is kept for later.

    A listener that does not keep up is cut off. Every method raises GraphUnavailable when the server does not answer.
    """

    def publish(self, messages: Sequence[str]) -> None:
        """Send messages, in order, to whoever listens now."""
        ...

    def listen(self) -> EventListener:
        """Begin to listen; what is published from now on is heard."""
        ...

    def listeners(self) -> int:
        """Return how many listen now, in all processes."""
        ...

    def close(self) -> None:
        """Close the connections; idempotent."""
        ...


class GraphRunner(Protocol):
    """Runs Cypher on one graph of one FalkorDB server. Safe to call from several threads.

    Every method raises GraphUnavailable when the server does not answer (refused, loading, timed out) and GraphRefused
    when it answers with an error; ConstraintViolated when a unique constraint rejected the query.
    """

    @property
    def graph_name(self) -> str:
        """Name of the graph."""
        ...

    @property
    def round_trips(self) -> int:
        """Queries sent since the start."""
        ...

    def read(self, query: str, params: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a query that changes nothing and return its rows, values as Python scalars and lists."""
        ...

    def write(self, query: str, params: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a query once, never twice: after GraphUnavailable it may or may not have been applied."""
        ...

    def create_unique_constraint(self, label: str, name: str) -> None:
        """Ask for a unique constraint on a property of a node label, which must be indexed; it is built meanwhile."""
        ...

    def channel(self, name: str) -> EventChannel:
        """Return a channel of this graph, which is to be closed apart from the runner."""
        ...

    def ping(self) -> None:
        """Return when the server answers; raise GraphUnavailable when it does not."""
        ...

    def close(self) -> None:
        """Release the connections, and the server when this process started it; idempotent."""
        ...
