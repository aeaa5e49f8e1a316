"""The port through which every graph query runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Row = list[Any]


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

    def ping(self) -> None:
        """Return when the server answers; raise GraphUnavailable when it does not."""
        ...

    def close(self) -> None:
        """Release the connections, and the server when this process started it; idempotent."""
        ...
