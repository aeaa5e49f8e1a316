"""Events between the processes of one service: published to the graph's Redis, and heard from there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import redis

from automem.stores.graph.link import Endpoint, translate


class RedisChannel:
    """A channel of FalkorDB's Redis; see EventChannel. Its connections are apart from those of queries."""

    def __init__(self, endpoint: Endpoint, name: str) -> None:
        self._name = name
        self._client = redis.Redis(connection_pool=endpoint.make_listening_pool())

    def publish(self, messages: Sequence[str]) -> None:
        """Send messages, in order, to whoever listens now."""
        with _translated(), self._client.pipeline(transaction=False) as pipeline:
            for message in messages:
                pipeline.publish(self._name, message)
            pipeline.execute()

    def listen(self) -> RedisListener:
        """Begin to listen; what is published from now on is heard."""
        with _translated():
            listening: Any = self._client.pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
            listening.subscribe(self._name)
            return RedisListener(listening)

    def listeners(self) -> int:
        """Return how many listen now, in all processes."""
        with _translated():
            ((_, number),) = self._client.pubsub_numsub(self._name)
            return int(number)

    def close(self) -> None:
        """Close the connections; idempotent."""
        self._client.close()
        self._client.connection_pool.disconnect()


class RedisListener:
    """One listener of a channel, for one thread at a time."""

    def __init__(self, listening: Any) -> None:
        self._listening = listening

    def next(self, wait_seconds: float) -> str | None:
        """Return the next message, None when none comes in time."""
        deadline = time.monotonic() + wait_seconds
        with _translated():
            while (left := deadline - time.monotonic()) > 0:
                # Also returns early, with None, for what is no message.
                message = self._listening.get_message(timeout=left)
                if message is not None:
                    return str(message["data"])
        return None

    def close(self) -> None:
        """Stop listening; idempotent."""
        self._listening.close()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        raise translate(error) from error
