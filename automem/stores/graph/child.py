"""The FalkorDB server as a child process: its launch line, and the thread that keeps it running."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from automem.errors import AutomemError
from automem.stores.graph import launcher

log = logging.getLogger(__name__)

_QUERY_TIMEOUT_MAX_MS = 25_000  # Below the time that a connection waits for an answer.
_RESTART_DELAYS_SECONDS = (0.0, 0.0, 0.2, 0.5, 1.0, 2.0, 5.0)  # By the number of failures in a row.
_STEADY_SECONDS = 10.0  # A server that ran this long did not fail at once.
_POLL_SECONDS = 0.02
_LOG_MAX_BYTES = 10 * 1024 * 1024
_LOG_TAIL_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Launch:
    """What the server is started with; `query_timeout_ms` holds for queries that ask for no limit of their own."""

    program: str
    module: str
    data_dir: Path
    socket: str
    query_timeout_ms: int

    @property
    def log_path(self) -> Path:
        """The server's own log."""
        return self.data_dir / "falkordb.log"

    def command(self) -> list[str]:
        """Return the launch line; why each durability setting is needed stands in docs/decisions/0002-graph.md."""
        server = {
            "port": "0",
            "unixsocket": self.socket,
            "unixsocketperm": "700",
            "dir": str(self.data_dir),
            "daemonize": "no",
            "save": "",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "auto-aof-rewrite-min-size": "16mb",
            "maxmemory-policy": "noeviction",
        }
        module = {
            "EFFECTS_THRESHOLD": "0",
            "DELTA_MAX_PENDING_CHANGES": "1000",
            "CMD_INFO": "no",
            "TIMEOUT_DEFAULT": str(self.query_timeout_ms),
            "TIMEOUT_MAX": str(max(self.query_timeout_ms, _QUERY_TIMEOUT_MAX_MS)),
            "MAX_QUEUED_QUERIES": "500",
        }
        line = [self.program]
        for name, value in server.items():
            line += [f"--{name}", value]
        line += ["--loadmodule", self.module]
        for name, value in module.items():
            line += [name, value]
        return line


class Supervisor(threading.Thread):
    """Starts the server, and starts it again whenever it ends without being asked to.

    The kernel's death signal follows the *thread* that spawned a process, so one thread that lives as long as this
    object does all the spawning. `settled` is set when the first server has answered, or has ended before that and is
    not started again. While none runs, `failure` says why.
    """

    def __init__(
        self, launch: Launch, lock_descriptor: int, ping: Callable[[], None], on_spawn: Callable[[int], None]
    ) -> None:
        super().__init__(name="falkordb-supervisor", daemon=True)
        self.settled = threading.Event()
        self.failure: str | None = "FalkorDB is starting"
        self.pid: int | None = None
        self._launch = launch
        self._lock_descriptor = lock_descriptor
        self._ping = ping
        self._on_spawn = on_spawn
        self._stopping = threading.Event()
        self._process_lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    def run(self) -> None:
        """Keep the server running until `stop`."""
        try:
            self._keep_running()
        finally:
            self.settled.set()

    def stop(self, wait_seconds: float) -> None:
        """End the server gracefully, by force after `wait_seconds`, and this thread with it; idempotent."""
        self._stopping.set()
        self._signal(signal.SIGTERM)
        self.join(wait_seconds)
        if self.is_alive():
            log.warning(
                "FalkorDB did not end within %s s and is killed; its log keeps what it acknowledged", wait_seconds
            )
            self._signal(signal.SIGKILL)
            self.join()

    def log_tail(self) -> str:
        """Return the end of what the server last started has logged."""
        if not self._launch.log_path.exists():
            return ""
        with self._launch.log_path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(self._log_start, size - _LOG_TAIL_BYTES))
            return stream.read().decode(errors="replace")

    def _keep_running(self) -> None:
        quick_failures = 0
        while not self._stopping.wait(_RESTART_DELAYS_SECONDS[quick_failures]):
            started_at = time.monotonic()
            end = self._run_once()
            if self._stopping.is_set():
                break
            if not self.settled.is_set():
                self.failure = f"FalkorDB {end} before it answered"
                return
            self.failure = f"FalkorDB {end} and is being started again; its log is {str(self._launch.log_path)!r}"
            log.error("%s", self.failure)
            lived_seconds = time.monotonic() - started_at
            last = len(_RESTART_DELAYS_SECONDS) - 1
            quick_failures = 0 if lived_seconds > _STEADY_SECONDS else min(quick_failures + 1, last)
        self.failure = "FalkorDB is stopped"

    def _run_once(self) -> str:
        """Run one server and return how it ended."""
        with self._process_lock:
            if self._stopping.is_set():
                return "was not started"
            try:
                process = self._process = self._spawn()
            except OSError as error:
                return f"could not be started ({error})"
        self.pid = process.pid
        self._on_spawn(process.pid)
        while process.poll() is None and not self._stopping.is_set():
            try:
                self._ping()
            except AutomemError:
                time.sleep(_POLL_SECONDS)
            else:
                self.failure = None
                self.settled.set()
                break
        code = process.wait()
        self.pid = None
        return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def _spawn(self) -> subprocess.Popen[bytes]:
        path = self._launch.log_path
        if path.exists() and path.stat().st_size > _LOG_MAX_BYTES:
            path.replace(path.with_suffix(".log.1"))
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._log_start = os.fstat(descriptor).st_size
            return subprocess.Popen(  # noqa: S603 - the program and its arguments are ours.
                [sys.executable, "-I", "-S", launcher.__file__, str(os.getpid()), *self._launch.command()],
                cwd=self._launch.data_dir,
                pass_fds=(self._lock_descriptor,),
                start_new_session=True,  # Or Ctrl-C in a terminal would end it before its owner.
                stdin=subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                umask=0o077,
            )
        finally:
            os.close(descriptor)

    def _signal(self, number: signal.Signals) -> None:
        with self._process_lock:
            if self._process is not None:
                self._process.send_signal(number)
