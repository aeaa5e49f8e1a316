"""The words of a query, as they are compared with tags and metadata. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_WORD = re.compile(r"[^\W_](?:[\w.'’-]*[^\W_])?")  # noqa: RUF001
_STOP_WORDS = frozenset(
    [
        "a", "about", "after", "am", "an", "and", "any", "are", "as", "at", "be", "been", "before", "but", "by",
        "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i",
        "if", "in", "into", "is", "it", "its", "just", "me", "more", "my", "no", "not", "of", "on", "or", "our",
        "over", "she", "should", "so", "some", "than", "that", "the", "their", "them", "then", "there", "these",
        "they", "this", "those", "to", "under", "up", "us", "very", "was", "we", "were", "what", "when", "where",
        "which", "who", "whom", "why", "will", "with", "would", "you", "your",
    ]
)  # fmt: skip
_LONGEST_TERM = 256


def normalised(text: str) -> str:
    """Return a text as it is compared: compatibility forms unified, case folded, white space collapsed."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())


def query_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of a query, normalised, in order, without English function words."""
    words = (word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(normalised(text)))  # noqa: RUF001
    return tuple(dict.fromkeys(word for word in words if word and word not in _STOP_WORDS))


def metadata_terms(metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return the string values of metadata up to 256 characters, and their words, normalised; keys do not count."""
    terms: set[str] = set()
    _collect(metadata, terms)
    return frozenset(terms)


def _collect(value: Any, terms: set[str]) -> None:
    if isinstance(value, str):
        if len(value) <= _LONGEST_TERM:
            text = normalised(value)
            terms.add(text)
            terms.update(_WORD.findall(text))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            # Names found by the service itself are not something a client said about the memory.
            if key != "entities":
                _collect(item, terms)
    elif isinstance(value, list):
        for item in value:
            _collect(item, terms)
