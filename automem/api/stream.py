"""The event stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response

from automem.api.openapi import documented
from automem.api.parsing import container
from automem.api.schemas.stream import EventsAnswer, StreamStatusAnswer
from automem.services.events import EventStream

blueprint = Blueprint("stream", __name__)


@blueprint.get("/stream")
@documented({200: EventsAnswer})
def stream() -> Response:
    """Stream what happens as server-sent events."""
    listening = container().events.listen()
    response = Response(_frames(listening), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    # Called also when the client left before the first event.
    response.call_on_close(listening.close)
    return response


def _frames(listening: EventStream) -> Iterator[str]:
    for event in listening:
        yield ": keepalive\n\n" if event is None else f"data: {event}\n\n"


@blueprint.get("/stream/status")
@documented({200: StreamStatusAnswer})
def status() -> tuple[dict[str, Any], int]:
    """Return how many clients listen to the stream."""
    return {"subscribers": container().events.listeners()}, 200
