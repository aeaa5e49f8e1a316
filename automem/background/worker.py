"""Threads that run tasks again and again until told to stop."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import Protocol

from automem.errors import Unavailable

logger = logging.getLogger(__name__)

FIRST_BACKOFF_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 30.0


class Task(Protocol):
    """A piece of background work."""

    name: str
    idle_seconds: float
    """How long to sleep when there was nothing to do."""

    def run_once(self) -> bool:
        """Do one bounded step; return whether there may be more to do at once.

        Raises:
            Unavailable: a store or provider does not answer; the step is tried again later.
        """
        ...


@dataclass(frozen=True, slots=True)
class TaskState:
    """What the last step of a task came to."""

    name: str
    last_success_at: float | None
    last_error: str | None
    failures_in_a_row: int


class Worker:
    """Runs each task in a thread of its own, backing off while a store is away."""

    def __init__(self) -> None:
        self._loops: list[_Loop] = []

    def add(self, task: Task) -> None:
        """Give the worker a task; before `start`."""
        self._loops.append(_Loop(task))

    def start(self) -> None:
        """Start the threads; call once per process, after it forked."""
        for loop in self._loops:
            loop.start()

    def wake(self) -> None:
        """Let every task look for work now."""
        for loop in self._loops:
            loop.wake.set()

    def stop(self, timeout_seconds: float = 10.0) -> None:
        """Let every task finish its step and end; idempotent."""
        for loop in self._loops:
            loop.stopping.set()
            loop.wake.set()
        deadline = time.monotonic() + timeout_seconds
        for loop in self._loops:
            loop.join(max(0.0, deadline - time.monotonic()))

    @property
    def running(self) -> bool:
        """Every thread is alive and not asked to stop."""
        return all(loop.alive and not loop.stopping.is_set() for loop in self._loops)

    def states(self) -> list[TaskState]:
        """Return how each task fares."""
        return [loop.state for loop in self._loops]


class _Loop:
    def __init__(self, task: Task) -> None:
        self._task = task
        self._thread: threading.Thread | None = None
        self.wake = threading.Event()
        self.stopping = threading.Event()
        self.state = TaskState(task.name, None, None, 0)

    @property
    def alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name=f"automem-{self._task.name}", daemon=True)
        self._thread.start()

    def join(self, timeout: float) -> None:
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        while not self.stopping.is_set():
            more = self._step()
            if not more and not self.stopping.is_set():
                self.wake.wait(self._pause())
            self.wake.clear()

    def _pause(self) -> float:
        failures = self.state.failures_in_a_row
        if failures:
            # The exponent is bounded too: an outage of hours would overflow a float.
            return min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2.0 ** min(failures - 1, 30))
        return self._task.idle_seconds

    def _step(self) -> bool:
        try:
            more = self._task.run_once()
        except Unavailable as error:
            self._failed(str(error))
            logger.warning("%s waits: %s", self._task.name, error)
            return False
        except Exception as error:
            # A defect in one step must not end the thread that all later work depends on.
            self._failed(repr(error))
            logger.exception("%s failed", self._task.name)
            return False
        self.state = TaskState(self._task.name, time.time(), None, 0)
        return more

    def _failed(self, reason: str) -> None:
        self.state = TaskState(self._task.name, self.state.last_success_at, reason, self.state.failures_in_a_row + 1)
