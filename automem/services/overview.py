"""The graph as a whole: a drawing of its most important part, and what it holds in numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from automem.domain import timestamps
from automem.domain.memory import Memory
from automem.domain.recall import Edge, MemoryFilter
from automem.domain.relation import REGISTRY
from automem.stores.graph.overview import GraphOverview, TypeCount

DAYS_OF_ACTIVITY = 30
LESSON_TAGS = ("critical", "lesson", "ai-assistant")
RULE_TAGS = ("system", "memory-recall")
MOST_LESSONS = 10
MOST_RULES = 5
PATTERN_CONFIDENCE = 0.6
MOST_PATTERNS = 10
MOST_PREFERENCES = 10
MOST_NAMES = 50


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Part of the graph, to be drawn: memories, the edges among them, and how many there are in all."""

    memories: tuple[Memory, ...]
    edges: tuple[Edge, ...]
    total_memories: int
    total_edges: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """The graph in numbers; `activity` counts the memories of each of the last DAYS_OF_ACTIVITY days that has any."""

    memories: int
    edges: int
    types: tuple[TypeCount, ...]
    relations: Mapping[str, int]
    activity: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something that was observed again and again."""

    type: str
    description: str
    confidence: float
    observations: int


@dataclass(frozen=True, slots=True)
class PreferenceView:
    """What was preferred over what."""

    prefers: str
    over: str
    context: str | None
    strength: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the memories say as a whole. `hours` maps the hour of the day to memories and their mean importance."""

    types: tuple[TypeCount, ...]
    patterns: tuple[Pattern, ...]
    preferences: tuple[PreferenceView, ...]
    hours: Mapping[str, tuple[int, float]]
    names: Mapping[str, int]


class OverviewService:
    """Looks at the graph as a whole."""

    def __init__(self, overview: GraphOverview) -> None:
        self._overview = overview

    def snapshot(self, where: MemoryFilter, types: Sequence[str], min_importance: float, limit: int) -> Snapshot:
        """Return the `limit` most important memories that pass, and the edges among them. Takes four round trips."""
        memories, edges = self._overview.snapshot(where, types, min_importance, limit)
        total, relations = self._overview.totals()
        return Snapshot(tuple(memories), tuple(edges), total, sum(relations.values()))

    def statistics(self) -> Statistics:
        """Return the graph in numbers. Takes three round trips."""
        memories, relations = self._overview.totals()
        return Statistics(
            memories,
            sum(relations.values()),
            tuple(self._overview.types()),
            relations,
            self._overview.activity(*_recently()),
        )

    def edge_total(self) -> int:
        """Return how many edges there are of the types that can be listed."""
        _, relations = self._overview.totals()
        return sum(count for name, count in relations.items() if name in REGISTRY)

    def lessons(self) -> list[Memory]:
        """Return the most important true memories tagged as lessons."""
        return self._overview.tagged(LESSON_TAGS, timestamps.now(), MOST_LESSONS)

    def rules(self) -> list[Memory]:
        """Return the most important true memories tagged as rules of the system."""
        return self._overview.tagged(RULE_TAGS, timestamps.now(), MOST_RULES)

    def analysis(self) -> Analysis:
        """Return what the memories say as a whole. Takes five round trips."""
        return Analysis(
            tuple(self._overview.types()),
            tuple(_pattern(row) for row in self._overview.patterns(PATTERN_CONFIDENCE, MOST_PATTERNS)),
            tuple(_preference(row) for row in self._overview.preferences(MOST_PREFERENCES)),
            self._overview.hours(*_recently()),
            self._overview.names(MOST_NAMES),
        )


def _recently() -> tuple[str, str]:
    """Return from when and up to when memories count as recent: what is dated in the future does not."""
    return timestamps.days_ago(DAYS_OF_ACTIVITY), timestamps.days_ago(-1)


def _pattern(row: Iterable[object]) -> Pattern:
    kind, description, confidence, observations = row
    return Pattern(
        str(kind or ""),
        str(description or ""),
        float(confidence) if isinstance(confidence, int | float) else 0.0,
        observations if isinstance(observations, int) else 0,
    )


def _preference(row: Iterable[object]) -> PreferenceView:
    prefers, over, context, strength = row
    return PreferenceView(
        str(prefers or ""),
        str(over or ""),
        context if isinstance(context, str) else None,
        float(strength) if isinstance(strength, int | float) else 0.0,
    )
