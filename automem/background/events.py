"""Publish what happened, beside the requests."""

from __future__ import annotations

from automem.services.events import Events

WAIT_SECONDS = 0.5


class EventTask:
    """Publishes events as soon as there are any."""

    name = "events"
    idle_seconds = 0.0

    def __init__(self, events: Events) -> None:
        self._events = events

    def run_once(self) -> bool:
        """Wait a moment for events and publish them."""
        return self._events.publish(WAIT_SECONDS)
