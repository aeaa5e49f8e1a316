"""What happens in the service, told at once to whoever listens, in whatever process."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from automem.domain import timestamps
from automem.errors import Busy, GraphUnavailable
from automem.stores.graph.base import EventChannel, EventListener

logger = logging.getLogger(__name__)

MOST_WAITING = 1_000
"""Events that wait to be published; beyond them the oldest are dropped."""
SILENCE_SECONDS = 30.0
"""After so long without an event a listener is told that the stream still lives."""
GLANCE_SECONDS = 0.5
"""How often a listener looks whether the service ends."""
RETRY_SECONDS = 1.0


class Events:
    """Collects events, publishes them beside the requests, and hands them to listeners."""

    def __init__(self, channel: EventChannel, most_listeners: int) -> None:
        self._channel = channel
        self._most_listeners = most_listeners
        self._places = threading.BoundedSemaphore(most_listeners)
        self._waiting: deque[tuple[str, str, Mapping[str, Any]]] = deque(maxlen=MOST_WAITING)
        self._news = threading.Event()
        self._ending = threading.Event()

    def emit(self, kind: str, data: Mapping[str, Any]) -> None:
        """Tell an event, of a type such as `memory.store`; it is published a moment later, and lost in a crash."""
        self._waiting.append((kind, timestamps.now(), data))
        self._news.set()

    def publish(self, wait_seconds: float) -> bool:
        """Publish what was emitted, after waiting for something if there is nothing; return whether there was.

        Raises:
            GraphUnavailable: the events of this step are lost.
        """
        self._news.wait(wait_seconds)
        self._news.clear()
        messages = []
        while self._waiting:
            messages.append(_message(*self._waiting.popleft()))
        if messages:
            self._channel.publish(messages)
        return bool(messages)

    def listen(self, hung_up: Callable[[], bool] = lambda: False) -> EventStream:
        """Begin to listen; the stream must be closed. It ends when `hung_up`, asked again and again, says so.

        Raises:
            Busy: this process has as many listeners as it may have.
            GraphUnavailable: the channel does not answer.
        """
        if not self._places.acquire(blocking=False):
            raise Busy(
                f"This process streams to {self._most_listeners} clients already; close one, or raise "
                "AUTOMEM_STREAM_CLIENTS"
            )
        try:
            return EventStream(self._channel, lambda: self._ending.is_set() or hung_up(), self._places)
        except BaseException:
            self._places.release()
            raise

    def listeners(self) -> int:
        """Return how many clients listen, to all processes of the service."""
        return self._channel.listeners()

    def end_streams(self) -> None:
        """Let every stream of this process end soon; safe to call in a signal handler."""
        self._ending.set()

    def close(self) -> None:
        """End the streams and close the connections; idempotent."""
        self.end_streams()
        self._channel.close()


class EventStream:
    """The events that one client hears. It outlasts an outage of the graph, and tells that events may be missing."""

    def __init__(self, channel: EventChannel, over: Callable[[], bool], places: threading.BoundedSemaphore) -> None:
        self._channel = channel
        self._over = over
        self._places = places
        self._closing = threading.Lock()
        self._closed = False
        self._listener: EventListener | None = channel.listen()

    def __iter__(self) -> Iterator[str | None]:
        """Give each event as JSON text, None at the beginning and after every SILENCE_SECONDS without one."""
        yield None
        told = time.monotonic()
        while not self._over():
            event = self._next()
            if event is not None or time.monotonic() - told >= SILENCE_SECONDS:
                yield event
                told = time.monotonic()

    def close(self) -> None:
        """Stop listening and give the place back; idempotent."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        if self._listener is not None:
            self._listener.close()
        self._places.release()

    def _next(self) -> str | None:
        try:
            if self._listener is None:
                self._listener = self._channel.listen()
                return _message("stream.gap", timestamps.now(), {})
            return self._listener.next(GLANCE_SECONDS)
        except GraphUnavailable as error:
            logger.info("a stream was cut off from the events and listens anew: %s", error)
            if self._listener is not None:
                self._listener.close()
                self._listener = None
            time.sleep(RETRY_SECONDS)
            return None


def _message(kind: str, at: str, data: Mapping[str, Any]) -> str:
    return json.dumps({"type": kind, "timestamp": at, "data": data}, ensure_ascii=False, default=str)
