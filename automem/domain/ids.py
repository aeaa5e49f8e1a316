"""Memory ids: canonical lower-case hyphenated UUIDs."""

from __future__ import annotations

import re
import uuid

_CANONICAL = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def new_id() -> str:
    """Return a fresh random memory id."""
    return str(uuid.uuid4())


def canonical_id(text: str) -> str | None:
    """Return the canonical spelling of any UUID that `uuid.UUID` reads, or None when it is not one."""
    if _CANONICAL.fullmatch(text):
        return text
    try:
        return str(uuid.UUID(text.strip()))
    except ValueError:
        return None
