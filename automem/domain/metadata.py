"""Which parts of a memory's metadata are searched: a few fields that clients fill with names of things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SEARCHED_FIELDS = (
    "source", "source_agent", "source_agents", "repo", "project", "tool", "surface", "applies_to", "trigger",
    "provider", "model", "title", "entities",
)  # fmt: skip
_LONGEST_VALUE = 96
_MOST_VALUES = 12


def searched_values(metadata: Mapping[str, Any], *, with_entities: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers of the searched fields, each with its field; names of people are left out."""
    for field in SEARCHED_FIELDS:
        value = metadata.get(field)
        if field != "entities":
            yield from ((field, text) for text in _texts(value))
        elif with_entities and isinstance(value, Mapping):
            for category, names in value.items():
                if category != "people":
                    yield from ((field, text) for text in _texts(names))


def _texts(value: Any) -> list[str]:
    values = value[:_MOST_VALUES] if isinstance(value, list) else [value]
    return [
        str(item)
        for item in values
        if isinstance(item, str | int | float) and not isinstance(item, bool) and len(str(item)) <= _LONGEST_VALUE
    ]
