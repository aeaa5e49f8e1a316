"""Guess a memory's type from trigger phrases in its text, where the client gave none.

The phrases are matched anywhere in the lower-cased text, type by type in the order below; the first type with a hit
wins.
"""

from __future__ import annotations

import re

MEMORY_TYPES = ("Decision", "Pattern", "Preference", "Style", "Habit", "Insight", "Context")
FALLBACK_TYPE = "Memory"
FALLBACK_CONFIDENCE = 0.3
STATED_CONFIDENCE = 0.9
"""Confidence of a type that the client gave without a confidence."""

_TRIGGERS: dict[str, tuple[re.Pattern[str], ...]] = {
    name: tuple(re.compile(pattern) for pattern in patterns)
    for name, patterns in {
        "Decision": (
            r"decided to", r"chose .* over", r"going with", r"picked", r"selected", r"will use", r"choosing",
            r"opted for",
        ),
        "Pattern": (
            r"usually", r"typically", r"tend to", r"pattern i noticed", r"often", r"frequently", r"regularly",
            r"consistently",
        ),
        "Preference": (
            r"prefer", r"like.*better", r"favorite", r"always use", r"rather than", r"instead of", r"favor",
        ),
        "Style": (
            r"wrote.*in.*style", r"communicated", r"responded to", r"formatted as", r"using.*tone", r"expressed as",
        ),
        "Habit": (r"always(?! use)", r"every time", r"habitually", r"routine", r"daily", r"weekly", r"monthly"),
        "Insight": (
            r"realized", r"discovered", r"learned that", r"understood", r"figured out", r"insight", r"revelation",
        ),
        "Context": (r"during", r"while working on", r"in the context of", r"when", r"at the time", r"situation was"),
    }.items()
}  # fmt: skip
_LONGEST_TEXT = 4000

TYPE_COLOURS = {
    "Decision": "#3B82F6",
    "Pattern": "#10B981",
    "Preference": "#8B5CF6",
    "Style": "#EC4899",
    "Habit": "#F59E0B",
    "Insight": "#F97316",
    "Context": "#6B7280",
    "Memory": "#94A3B8",
}


def classify(content: str) -> tuple[str, float]:
    """Return the type and its confidence: 0.6 for one phrase, 0.1 more for each further one up to 0.95."""
    text = content[:_LONGEST_TEXT].lower()
    for name, patterns in _TRIGGERS.items():
        hits = sum(1 for pattern in patterns if pattern.search(text))
        if hits == 1:
            return name, 0.6
        if hits > 1:
            return name, min(0.95, round(0.6 + 0.1 * hits, 2))
    return FALLBACK_TYPE, FALLBACK_CONFIDENCE


def colour_of_type(name: str) -> str:
    """Return the colour in which memories of a type are drawn."""
    return TYPE_COLOURS.get(name, TYPE_COLOURS[FALLBACK_TYPE])
