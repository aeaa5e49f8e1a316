"""The event stream."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response, request

from automem.api.openapi import documented
from automem.api.parsing import container
from automem.api.schemas.stream import EventsAnswer, StreamStatusAnswer
from automem.services.events import EventStream

blueprint = Blueprint("stream", __name__)

SEND_SECONDS = 5.0
"""A client that takes nothing for so long is cut off, or it would hold its thread for ever."""


@blueprint.get("/stream")
@documented({200: EventsAnswer})
def stream() -> Response:
    """Stream what happens as server-sent events."""
    connection = request.environ.get("gunicorn.socket")
    if connection is not None:
        connection.settimeout(SEND_SECONDS)
    listening = container().events.listen(lambda: connection is not None and _hung_up(connection))
    response = Response(_frames(listening), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    # Called also when the client left before the first event.
    response.call_on_close(listening.close)
    return response


def _hung_up(connection: socket.socket) -> bool:
    """Tell whether a client has closed its end, which would show only when something is sent, and sent again."""
    try:
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        return bool(poll.poll(0)) and not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True


def _frames(listening: EventStream) -> Iterator[str]:
    for event in listening:
        yield ": keepalive\n\n" if event is None else f"data: {event}\n\n"


@blueprint.get("/stream/status")
@documented({200: StreamStatusAnswer})
def status() -> tuple[dict[str, Any], int]:
    """Return how many clients listen to the stream."""
    return {"subscribers": container().events.listeners()}, 200
