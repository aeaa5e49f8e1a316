"""The directory of the embedded vector store: who owns it, and what its contents were made for.

Names no engine; `edge.py` puts one inside.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from automem.errors import DataDirectoryInUse, IncompatibleIndex
from automem.stores.vector.payload import INDEX_FORMAT


class IndexDirectory:
    """A directory with a lock, a marker `index.json` and the engine's files under `shard`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shard = path / "shard"
        # A shard is made here and renamed, so that a process killed meanwhile leaves no half-made `shard`.
        self.unfinished_shard = path / "shard.unfinished"
        self._marker = path / "index.json"
        self._lock: int | None = None

    def lock(self) -> None:
        """Take the directory for this object, made first where missing (mode 0700); the process's end lets go of it.

        Raises:
            DataDirectoryInUse: another process, or another object of this one, has it.
        """
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise in_use(self.path) from error
        self._lock = descriptor

    def unlock(self) -> None:
        """Let go of the directory; idempotent."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def check(self, dimension: int, engine_version: str) -> None:
        """Compare the marker with what this process is about to do; a directory without one passes.

        Raises:
            IncompatibleIndex: the contents have another format or vector size, or a newer engine wrote them. An older
                one would show an empty index instead of failing.
        """
        try:
            marker: dict[str, Any] = json.loads(self._marker.read_text())
            found, wanted = _version(str(marker["engine"])), _version(engine_version)
            if marker["format"] != INDEX_FORMAT:
                reason = f"has format {marker['format']!r}, but this version of automem needs {INDEX_FORMAT!r}"
            elif found > wanted:
                reason = f"was written by qdrant-edge-py {marker['engine']}, which is newer than {engine_version}"
            elif marker["dimension"] != dimension:
                raise other_dimension(self.path, marker["dimension"], dimension)
            else:
                return
        except FileNotFoundError:
            return
        except (ValueError, KeyError, TypeError):
            reason = "has an unreadable index.json"
        raise IncompatibleIndex(f"the vector directory {self.path} {reason}; {_MOVE_AWAY}", directory=str(self.path))

    def mark(self, dimension: int, engine_version: str) -> None:
        """Write down what the contents are made for."""
        unfinished = self._marker.with_suffix(".unfinished")
        unfinished.write_text(
            json.dumps({"format": INDEX_FORMAT, "dimension": dimension, "engine": engine_version}) + "\n"
        )
        unfinished.replace(self._marker)


_MOVE_AWAY = "move it away, and the index is rebuilt from the graph"


def in_use(path: Path) -> DataDirectoryInUse:
    """Return the error for a directory that another process has open."""
    return DataDirectoryInUse(
        f"the vector directory {path} is in use by another process; stop that one, or set another data directory",
        directory=str(path),
    )


def damaged(path: Path, text: str) -> IncompatibleIndex:
    """Return the error for an index whose files the engine cannot read."""
    return IncompatibleIndex(f"the vector directory {path} cannot be read ({text}); {_MOVE_AWAY}", directory=str(path))


def other_dimension(path: Path, found: Any, wanted: int) -> IncompatibleIndex:
    """Return the error for an index made for vectors of another size."""
    return IncompatibleIndex(
        f"the vector directory {path} holds vectors of size {found}, but the embedding model gives {wanted}; "
        f"set EMBEDDING_MODEL (or VECTOR_SIZE) back, or {_MOVE_AWAY}",
        directory=str(path),
        found=found,
        wanted=wanted,
    )


def _version(text: str) -> tuple[int, int]:
    major, minor, *_ = text.split(".")
    return int(major), int(minor)
