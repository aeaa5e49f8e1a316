"""Two steps at once: most of a recall is waiting, for the graph in one step and for the index in the other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

First = TypeVar("First")
Second = TypeVar("Second")


class Together:
    """Runs pairs of steps, the second one of each in one of `threads` threads of its own, made when first needed."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="recall")

    def both(self, first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
        """Return what both steps return; both have ended when this returns or raises what one of them raised."""
        beside = self._pool.submit(second)
        try:
            found = first()
        finally:
            error = beside.exception()
        if error is not None:
            raise error
        return found, beside.result()

    def close(self) -> None:
        """End the threads; idempotent."""
        self._pool.shutdown()
