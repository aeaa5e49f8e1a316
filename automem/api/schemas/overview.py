"""Answers of the routes that look at the memories as a whole."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class StartupAnswer(BaseModel):
    """Answer of GET /startup-recall."""

    status: Literal["success"]
    critical_lessons: list[dict[str, Any]]
    system_rules: list[dict[str, Any]]
    lesson_count: int
    has_critical: bool
    summary: str


class AnalyzeAnswer(BaseModel):
    """Answer of GET /analyze."""

    status: Literal["success"]
    elapsed_ms: float
    analytics: dict[str, Any]
