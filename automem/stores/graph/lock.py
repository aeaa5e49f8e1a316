"""The lock on a data directory, held as long as its FalkorDB server or the process that owns it lives."""

from __future__ import annotations

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from automem.errors import ConfigurationError, DataDirectoryInUse

LOCK_NAME = "falkordb.lock"
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock, as written in the lock file: process ids of owner and server, and the server's socket."""

    owner: int | None = None
    server: int | None = None
    socket: str | None = None


class DirectoryLock:
    """An exclusive `flock` whose descriptor the server inherits.

    The kernel lets go of the lock when the last process that has the descriptor ends, however it ends. Two servers on
    one directory would both append to its log, so the next owner cannot start before the last server is gone.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._descriptor: int | None = None

    @property
    def descriptor(self) -> int:
        """The locked file descriptor."""
        if self._descriptor is None:
            raise RuntimeError("the lock is not held")
        return self._descriptor

    def acquire(self, wait_seconds: float) -> None:
        """Take the lock, waiting for a server that is just ending.

        Raises:
            DataDirectoryInUse: Another owner, in this process or another, still holds it after `wait_seconds`.
            ConfigurationError: The file system cannot lock.
        """
        descriptor = os.open(self._data_dir / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._wait_for(descriptor, wait_seconds)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def describe(self, holder: Holder) -> None:
        """Write who holds the lock into its file."""
        text = json.dumps(asdict(holder)).encode()
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, text, 0)

    def release(self) -> None:
        """Close this process's descriptor; idempotent. A server that still runs keeps the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _wait_for(self, descriptor: int, wait_seconds: float) -> None:
        deadline = time.monotonic() + wait_seconds
        while not _try_lock(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise _in_use(self._data_dir)
            time.sleep(_POLL_SECONDS)


def holder_of(data_dir: Path) -> Holder | None:
    """Return who holds the lock on a data directory; None when nobody does."""
    try:
        descriptor = os.open(data_dir / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return None if _try_lock(descriptor, fcntl.LOCK_SH) else _read(data_dir)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise ConfigurationError(
            "The file system of the data directory cannot lock files; set AUTOMEM_DATA_DIR to a local directory"
        ) from error
    return True


def _read(data_dir: Path) -> Holder:
    try:
        return Holder(**json.loads((data_dir / LOCK_NAME).read_text()))
    except (ValueError, TypeError):  # Read while it was being written.
        return Holder()


def _in_use(data_dir: Path) -> DataDirectoryInUse:
    holder = _read(data_dir)
    return DataDirectoryInUse(
        f"{str(data_dir)!r} is in use by process {holder.owner or 'unknown'} "
        f"(its FalkorDB is process {holder.server or 'unknown'}): "
        "stop it, or set AUTOMEM_DATA_DIR to another directory",
        owner=holder.owner,
        server=holder.server,
    )
