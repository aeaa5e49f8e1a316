"""Answers of the stream routes."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class EventsAnswer(BaseModel):
    """One event of GET /stream, which sends each as `data: {…}` and a blank line, with `: keepalive` in silence."""

    type: str = Field(description="Such as `memory.store`.")
    timestamp: str
    data: dict[str, Any]


class StreamStatusAnswer(BaseModel):
    """Answer of GET /stream/status."""

    subscribers: int
