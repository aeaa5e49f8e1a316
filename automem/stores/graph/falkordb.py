"""Runs Cypher on FalkorDB, on a graph prepared first. No Cypher stands here but what makes an empty graph exist."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any

import redis

from automem.errors import GraphRefused, GraphUnavailable
from automem.stores.graph.base import EventChannel, GraphRunner, Row
from automem.stores.graph.channel import RedisChannel
from automem.stores.graph.link import Endpoint, Link, RunnerLimits, translate
from automem.stores.graph.wire import decode_rows, parameter_header

Prepare = Callable[[GraphRunner], None]

log = logging.getLogger(__name__)

_CHECKOUT_ATTEMPTS = 3
_LOGGED_CHARACTERS = 500
# Answers to a first start, or to a race that callers settle: no news for the log.
_EMPTY_KEY, _EXISTS = "empty key", "already exists"
_EXPECTED = (_EMPTY_KEY, _EXISTS, "already indexed", "unique constraint violation")


class PlainRunner:
    """A GraphRunner that sends what it is given, on a graph prepared or not."""

    def __init__(self, link: Link, graph_name: str, query_timeout_ms: int | None = None) -> None:
        self._link = link
        self._graph_name = graph_name
        self._timeout = () if query_timeout_ms is None else ("timeout", query_timeout_ms)
        self._count_lock = threading.Lock()
        self._round_trips = 0

    @property
    def graph_name(self) -> str:
        """Name of the graph."""
        return self._graph_name

    @property
    def round_trips(self) -> int:
        """Queries sent by read and write since the start."""
        return self._round_trips

    def read(self, query: str, params: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a query that changes nothing; a graph that was never written answers as an empty one.

        Raises:
            ValueError: A parameter that FalkorDB cannot take; nothing was sent.
            GraphRefused: The query is wrong, or would change the graph.
            GraphUnavailable: The server does not answer now.
        """
        text = _with_parameters(query, params)
        try:
            return self._query("GRAPH.RO_QUERY", text)
        except GraphRefused as error:
            if _EMPTY_KEY not in str(error.__cause__):
                raise
        self._graph_is_missing()
        return self._query("GRAPH.RO_QUERY", text)

    def write(self, query: str, params: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a query once, never twice: after GraphUnavailable it may or may not have been applied.

        Raises:
            ValueError: A parameter that FalkorDB cannot take; nothing was sent.
            GraphRefused: The query is wrong; ConstraintViolated when a unique constraint rejected it as a whole.
            GraphUnavailable: The server does not answer now.
        """
        return self._query("GRAPH.QUERY", _with_parameters(query, params))

    def create_unique_constraint(self, label: str, name: str) -> None:
        """Ask for a unique constraint on an indexed property of a node label; one that exists already is kept."""
        command = ("GRAPH.CONSTRAINT", "CREATE", self._graph_name, "UNIQUE", "NODE", label, "PROPERTIES", 1, name)
        try:
            self._send(*command)
        except GraphRefused as error:
            if _EXISTS not in str(error.__cause__):
                raise

    def command(self, *arguments: str) -> Any:
        """Send a command that concerns the server rather than the graph, and return its reply."""
        return self._exchange(self._link.checkout(), arguments)

    def channel(self, name: str) -> EventChannel:
        """Return a channel of this graph, on connections of its own."""
        return RedisChannel(self._link.endpoint, f"automem:{self._graph_name}:{name}")

    def ping(self) -> None:
        """Return when the server answers and has loaded its data; raise GraphUnavailable when not."""
        self.command("PING")

    def close(self) -> None:
        """Close the connections; idempotent."""
        self._link.close()

    def _query(self, command: str, text: str) -> list[Row]:
        with self._count_lock:
            self._round_trips += 1
        return decode_rows(self._send(command, self._graph_name, text, "--compact", *self._timeout))

    def _send(self, *arguments: Any) -> Any:
        try:
            return self._exchange(self._checkout(), arguments)
        except (GraphRefused, GraphUnavailable) as error:
            cause = str(error.__cause__)
            if not any(part in cause for part in _EXPECTED):
                log.warning("%s: %s", error.message, cause[:_LOGGED_CHARACTERS])
            raise

    def _exchange(self, connection: Any, arguments: tuple[Any, ...]) -> Any:
        generation = self._link.generation
        try:
            connection.send_command(*arguments)
            reply = connection.read_response()
        except redis.ResponseError as error:  # An answer: the connection can be used on.
            raise translate(error) from error
        except redis.RedisError as error:
            connection.disconnect()
            self._link.lost(generation, error)
            raise translate(error) from error
        except BaseException:
            connection.disconnect()  # Or the next query would read the answer to this one.
            raise
        finally:
            self._link.release(connection)
        return _without_error(reply)

    def _checkout(self) -> Any:
        return self._link.checkout()

    def _graph_is_missing(self) -> None:
        self._send("GRAPH.QUERY", self._graph_name, "RETURN 1", "--compact")


def _with_parameters(query: str, params: Mapping[str, Any] | None) -> str:
    return parameter_header(params) + query if params else query


def _without_error(reply: Any) -> Any:
    """Return a reply; an error met after the first rows stands inside it, in the first or the last place."""
    if isinstance(reply, list) and reply:
        for part in (reply[0], reply[-1]):
            if isinstance(part, redis.ResponseError):
                raise translate(part) from part
    return reply


class FalkorRunner(PlainRunner):
    """A GraphRunner whose graph is prepared before the first query, and again when the server may be another one.

    `prepare` runs under a lock, given a runner that does not prepare; other threads wait for it, at most
    `limits.prepare_wait_seconds`. When it raises, its caller gets the error and the next query tries again. Nothing
    connects before the first query, so that a server which is down does not keep the service from starting.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        graph_name: str,
        prepare: Prepare | None = None,
        *,
        limits: RunnerLimits | None = None,
    ) -> None:
        limits = limits or RunnerLimits()
        super().__init__(Link(endpoint, limits), graph_name, limits.query_timeout_ms)
        self._plain = PlainRunner(self._link, graph_name, limits.query_timeout_ms)
        self._prepare_wait_seconds = limits.prepare_wait_seconds
        self._prepare = prepare
        self._prepare_lock = threading.Lock()
        self._prepared_generation = -1

    def _checkout(self) -> Any:
        for _ in range(_CHECKOUT_ATTEMPTS):
            self._make_prepared()
            connection = self._link.checkout()
            if self._is_prepared():
                return connection
            # Connecting found another run of the server. The connection goes back first: the preparation needs one.
            self._link.release(connection)
        raise GraphUnavailable("FalkorDB restarts again and again")

    def _is_prepared(self) -> bool:
        return self._prepare is None or self._prepared_generation == self._link.generation

    def _make_prepared(self) -> None:
        if self._prepare is None or self._is_prepared():
            return
        if not self._prepare_lock.acquire(timeout=self._prepare_wait_seconds):
            raise GraphUnavailable("FalkorDB is still being prepared")
        try:
            if self._is_prepared():
                return
            self._plain.ping()  # Connects, so that the generation is the one of the server that gets prepared.
            generation = self._link.generation
            self._prepare(self._plain)
            self._prepared_generation = generation
        finally:
            self._prepare_lock.release()

    def _graph_is_missing(self) -> None:
        if self._prepare is None:
            super()._graph_is_missing()
        self._link.forget()
