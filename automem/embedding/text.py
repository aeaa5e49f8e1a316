"""Text as every tokenizer and encoder accepts it."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Replace each lone surrogate, which JSON can carry and UTF-8 cannot, by U+FFFD; the length stays the same."""
    return _SURROGATE.sub("\ufffd", text)
