"""Routes that look at the memories as a whole."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from flask import Blueprint

from automem.api.openapi import documented
from automem.api.parsing import container
from automem.api.schemas.overview import AnalyzeAnswer, StartupAnswer
from automem.domain.memory import Memory

blueprint = Blueprint("overview", __name__)

Answer = tuple[dict[str, Any], int]

CRITICAL_IMPORTANCE = 0.9


@blueprint.get("/startup-recall")
@documented({200: StartupAnswer})
def startup_recall() -> Answer:
    """Return what an agent should know before it begins: lessons, and rules of the system."""
    lessons, rules = container().overview.lessons(), container().overview.rules()
    return {
        "status": "success",
        "critical_lessons": [
            {
                **_brief(memory),
                "importance": memory.importance,
                "type": memory.type,
                "metadata": dict(memory.metadata),
            }
            for memory in lessons
        ],
        "system_rules": [_brief(memory) for memory in rules],
        "lesson_count": len(lessons),
        "has_critical": any(memory.importance >= CRITICAL_IMPORTANCE for memory in lessons),
        "summary": f"Recalled {len(lessons)} lesson(s) and {len(rules)} system rule(s)",
    }, 200


def _brief(memory: Memory) -> dict[str, Any]:
    return {"id": memory.id, "content": memory.content, "tags": list(memory.tags)}


@blueprint.get("/analyze")
@documented({200: AnalyzeAnswer})
def analyze() -> Answer:
    """Return what the memories say as a whole."""
    started = time.perf_counter()
    found = container().overview.analysis()
    low = sum(count.of_low_confidence for count in found.types)
    medium = sum(count.of_medium_confidence for count in found.types)
    analytics = {
        "memory_types": {
            count.type: {"count": count.memories, "average_confidence": round(count.mean_confidence, 4)}
            for count in found.types
        },
        "patterns": [asdict(pattern) for pattern in found.patterns],
        "preferences": [asdict(preference) for preference in found.preferences],
        "temporal_insights": {
            f"hour_{hour}": {"count": count, "avg_importance": round(importance, 4)}
            for hour, (count, importance) in found.hours.items()
        },
        "entity_frequency": dict(found.names),
        "confidence_distribution": {
            "low": low,
            "medium": medium,
            "high": sum(count.memories for count in found.types) - low - medium,
        },
    }
    return {
        "status": "success",
        "elapsed_ms": round((time.perf_counter() - started) * 1000, 2),
        "analytics": analytics,
    }, 200
