"""Tags: segments joined by ":" or "/" (one delimiter), compared without regard to case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_DELIMITERS = re.compile(r"[:/]")


@lru_cache(maxsize=8192)
def canonical_tag(tag: str) -> str:
    """Return the form in which tags are compared: lower case, trimmed segments joined by ":", empty ones dropped."""
    parts = (part.strip() for part in _DELIMITERS.split(tag.strip().lower()))
    return ":".join(part for part in parts if part)


def canonical_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the canonical whole tags in order, without blanks and duplicates."""
    return tuple(dict.fromkeys(key for key in map(canonical_tag, tags) if key))


def tag_prefixes(tags: Iterable[str]) -> tuple[str, ...]:
    """Return every segment prefix of the tags, in order, each once: `Proj:Alpha` gives `proj`, `proj:alpha`."""
    return tuple(dict.fromkeys(prefix for tag in tags for prefix in _prefixes(tag)))


@lru_cache(maxsize=8192)
def _prefixes(tag: str) -> tuple[str, ...]:
    parts = canonical_tag(tag).split(":")
    return tuple(":".join(parts[:end]) for end in range(1, len(parts) + 1) if parts[0])


def split_list(values: Iterable[str]) -> list[str]:
    """Split repeated and comma-separated query values into trimmed, non-empty items."""
    return [item for value in values for item in map(str.strip, value.split(",")) if item]


def tag_filters(values: Sequence[str]) -> tuple[str, ...]:
    """Return the canonical filters of repeated, possibly comma-separated, query values, any of which may match.

    A tag that itself holds a comma is stored as sent, and is still found: the whole value is a filter too.
    """
    return canonical_tags([*split_list(values), *values])
