"""Connections to FalkorDB: where it is, how to get there, and the driver's errors turned into ours."""

from __future__ import annotations

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

    def make_listening_pool(self) -> Any:
        """Return a pool for publishing and listening, whose connections wait for as long as nothing is said."""
        pool_class: Any = driver.ConnectionPool
        ours = {"connection_class": self.connection_class, "decode_responses": True, "protocol": 2}
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
        self.endpoint = endpoint
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
