"""Runs Cypher on FalkorDB: connections, preparation of the graph, and the driver's errors turned into ours.

The only module that imports the driver. No Cypher stands here but the one that makes an empty graph exist.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import redis
from redis import connection as driver
from redis import exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from automem.errors import AutomemError, ConfigurationError, ConstraintViolated, GraphRefused, GraphUnavailable
from automem.stores.graph.base import GraphRunner, Row
from automem.stores.graph.wire import decode_rows, parameter_header

Prepare = Callable[[GraphRunner], None]

log = logging.getLogger(__name__)

_CHECKOUT_ATTEMPTS = 3
_LOGGED_CHARACTERS = 500

_BY_TYPE: tuple[tuple[type[Exception], type[AutomemError], str], ...] = (
    # The first that fits is taken; authentication and loading are kinds of ConnectionError in the driver.
    (exceptions.AuthenticationError, GraphUnavailable, "FalkorDB refused the login: check FALKORDB_PASSWORD"),
    (exceptions.NoPermissionError, GraphUnavailable, "FALKORDB_USERNAME may not run graph commands on FalkorDB"),
    (exceptions.BusyLoadingError, GraphUnavailable, "FalkorDB is still loading its data"),
    (exceptions.TimeoutError, GraphUnavailable, "FalkorDB did not answer in time"),
    (exceptions.ConnectionError, GraphUnavailable, "FalkorDB does not answer"),
    (exceptions.ReadOnlyError, GraphUnavailable, "FalkorDB is a read-only replica and takes no writes"),
    (exceptions.ClusterDownError, GraphUnavailable, "FalkorDB's cluster is down, or its primary is"),
)
_BY_TEXT: tuple[tuple[str, type[AutomemError], str], ...] = (
    ("No connection available", GraphUnavailable, "All connections to FalkorDB are busy"),
    ("unique constraint violation", ConstraintViolated, "A unique constraint rejected the query"),
    ("Query timed out", GraphUnavailable, "FalkorDB stopped the query at its time limit"),
    ("Max pending queries exceeded", GraphUnavailable, "FalkorDB has too many queries waiting"),
    ("command not allowed when used memory", GraphUnavailable, "FalkorDB is at its memory limit and takes no writes"),
    ("MISCONF", GraphUnavailable, "FalkorDB cannot save to its disk and takes no writes"),
    ("unknown command", GraphUnavailable, "The server is Redis without the FalkorDB module; point to a FalkorDB"),
    ("TIMEOUT_MAX", GraphRefused, "The query timeout is longer than the server's TIMEOUT_MAX allows; lower it"),
    ("read-only queries", GraphRefused, "A query sent as a read would change the graph"),
)
# Answers to a first start, or to a race that callers settle: no news for the log.
_EMPTY_KEY, _EXISTS = "empty key", "already exists"
_EXPECTED = (_EMPTY_KEY, _EXISTS, "already indexed", "unique constraint violation")


def translate(error: Exception) -> AutomemError:
    """Return the error of ours that stands for a driver's error, which goes to the log and to `__cause__` only."""
    text = str(error).partition(" errCtx:")[0]  # What follows is the query, which may hold anything.
    for part, kind, message in _BY_TEXT:
        if part in text:
            return kind(message)
    for cause, kind, message in _BY_TYPE:
        if isinstance(error, cause):
            return kind(message)
    return GraphRefused("FalkorDB refused the query")


@dataclass(frozen=True, slots=True)
class RunnerLimits:
    """How many connections a runner keeps, and how long it waits for each step.

    With fewer connections than threads some threads starve for seconds. `query_timeout_ms` is sent with each query;
    None leaves it to the server. `answer_timeout_seconds` has to be longer than either, or a write goes on after its
    caller was told that the server does not answer.
    """

    pool_size: int = 16
    pool_wait_seconds: float = 10.0
    connect_timeout_seconds: float = 5.0
    answer_timeout_seconds: float = 30.0
    prepare_wait_seconds: float = 20.0
    query_timeout_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a FalkorDB server listens and how to log in, in the driver's terms."""

    connection_class: type[Any]
    options: Mapping[str, Any] = field(repr=False)

    @classmethod
    def unix(cls, path: str) -> Self:
        """Return the endpoint of a unix socket."""
        return cls(driver.UnixDomainSocketConnection, {"path": path})

    @classmethod
    def tcp(cls, host: str, port: int, username: str | None = None, password: str | None = None) -> Self:
        """Return the endpoint of a host and port, without TLS."""
        return cls(driver.Connection, _with_login({"host": host, "port": port}, username, password))

    @classmethod
    def from_url(cls, url: str, username: str | None = None, password: str | None = None) -> Self:
        """Return the endpoint of a redis://, rediss:// or unix:// URL; a login in the URL goes before the arguments.

        Raises:
            ConfigurationError: The URL cannot be understood. It is not shown, because it may hold a password.
        """
        parse: Any = driver.parse_url
        try:
            options = _with_login(parse(url), username, password)
            connection_class = options.pop("connection_class", driver.Connection)
            connection_class(**options)  # Does not connect; options that it does not know are refused here.
        except (ValueError, TypeError, redis.RedisError):
            raise ConfigurationError("FALKORDB_URL must look like redis://user:password@host:6379") from None
        return cls(connection_class, options)

    def make_pool(self, limits: RunnerLimits, on_connect: Callable[[Any], None]) -> Any:
        """Return a pool that never sends a command twice and makes a thread wait when all connections are busy."""
        pool_class: Any = driver.BlockingConnectionPool
        no_backoff: Any = NoBackoff
        ours = {
            "connection_class": self.connection_class,
            "decode_responses": True,
            "max_connections": limits.pool_size,
            "protocol": 2,
            "redis_connect_func": on_connect,
            "retry": Retry(no_backoff(), 0),
            "socket_connect_timeout": limits.connect_timeout_seconds,
            "socket_timeout": limits.answer_timeout_seconds,
            "timeout": limits.pool_wait_seconds,
        }
        return pool_class(**{**self.options, **ours})


def _with_login(options: dict[str, Any], username: str | None, password: str | None) -> dict[str, Any]:
    login = {"username": username, "password": password}
    return {**{name: value for name, value in login.items() if value}, **options}


class Link:
    """The connections to one server, and which run of that server they lead to.

    `generation` grows whenever what was known about the server may no longer hold: a connection was lost, or a new one
    found another run of the server behind the same address.
    """

    def __init__(self, endpoint: Endpoint, limits: RunnerLimits) -> None:
        self.generation = 0
        self._lock = threading.Lock()
        self._run: str | None = None
        self._closed = False
        self._pool = endpoint.make_pool(limits, self._connected)

    def checkout(self) -> Any:
        """Return a live connection; a stale one is replaced before anything is sent over it."""
        if self._closed:
            raise GraphUnavailable("The connections to FalkorDB are closed")
        generation = self.generation
        try:
            return self._pool.get_connection()
        except redis.RedisError as error:
            if "No connection available" not in str(error):
                self.lost(generation, error)
            raise translate(error) from error

    def release(self, connection: Any) -> None:
        """Give a connection back."""
        self._pool.release(connection)

    def lost(self, generation: int, error: Exception) -> None:
        """Note that a connection made in `generation` failed; a timeout says nothing about the server's state."""
        if not isinstance(error, redis.ConnectionError):
            return
        with self._lock:
            if self.generation == generation and self._run is not None:
                self.generation += 1
                self._run = None

    def forget(self) -> None:
        """Note that the server no longer holds what it held."""
        with self._lock:
            self.generation += 1

    def close(self) -> None:
        """Close every connection."""
        self._closed = True
        self._pool.disconnect()

    def _connected(self, connection: Any) -> None:
        connection.on_connect()
        run = _run_id(connection)
        with self._lock:
            if self._run is not None and run != self._run:
                self.generation += 1
            self._run = run


def _run_id(connection: Any) -> str:
    """Return the id that a server draws at each start; empty where the user may not ask for it."""
    connection.send_command("INFO", "server")
    try:
        lines = str(connection.read_response()).splitlines()
    except redis.ResponseError:
        return ""
    return next((line.partition(":")[2] for line in lines if line.startswith("run_id:")), "")


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
