"""How far the metadata of a memory answers a query: named fields and whole values count most. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from automem.domain.metadata import SEARCHED_FIELDS, searched_values
from automem.recall.keywords import normalised

_FIELD_WORDS = frozenset(word for field in SEARCHED_FIELDS for word in (field, *field.split("_"))) | {
    "repository", "projects", "tools", "sources", "models", "providers", "agent", "entity",
}  # fmt: skip
_WORD = re.compile(r"[^\W_]+")


def metadata_component(metadata: Mapping[str, Any], words: tuple[str, ...], phrase: str) -> float:
    """Return how well the best value in a searched field fits the query, 0..1; weak coincidences count nothing."""
    spoken = {part for word in words for part in _WORD.findall(word)}
    named = {field for field in SEARCHED_FIELDS if _is_named(field, phrase)}
    wanted = spoken - _FIELD_WORDS
    if not wanted:
        return 0.0
    with_entities = not spoken.isdisjoint({"entity", "entities"})
    values = searched_values(metadata, with_entities=with_entities)
    return max((_fit(field, text, wanted, named, phrase) for field, text in values), default=0.0)


def _fit(field: str, text: str, wanted: set[str], named: set[str], phrase: str) -> float:
    value = normalised(text)
    parts = set(_WORD.findall(value))
    hits = parts & wanted
    whole = bool(value) and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", phrase) is not None
    is_named = field in named
    if not hits or not _is_strong(value, parts, hits, len(wanted), whole=whole, is_named=is_named):
        return 0.0
    if is_named and field == "repo" and not (whole or wanted <= parts):
        return 0.0
    fit = 0.15 + 0.45 * len(hits) / len(parts) + 0.20 * len(hits) / len(wanted)
    fit += (0.15 if whole else 0.0) + (0.20 if is_named else 0.0)
    return min(1.0, fit) * (0.6 if named and not is_named else 1.0)


def _is_strong(value: str, parts: set[str], hits: set[str], asked: int, *, whole: bool, is_named: bool) -> bool:
    """Tell whether a value is meant: two of its words, or one whole or long one where that can hardly be chance."""
    if len(parts) > 1 and len(hits) > 1:
        return True
    if is_named and (any(len(hit) >= 5 for hit in hits) or (whole and len(value) >= 3)):
        return True
    return whole and len(value) >= 5 and asked <= 3


def _is_named(field: str, phrase: str) -> bool:
    name = field.replace("_", "[ _-]").removesuffix("s")
    return re.search(rf"(?<!\w){name}s?(?!\w)", phrase) is not None
