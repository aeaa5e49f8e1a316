"""Between a memory and the properties of its node: one mapping, used by every reader and writer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from automem.domain.memory import Memory
from automem.domain.names import names_in
from automem.domain.tags import canonical_tags, tag_prefixes
from automem.stores.graph.cypher.conditions import MEMORY_COLUMNS

INTERNAL = frozenset(
    {
        "tag_keys",
        "name_keys",
        "tag_prefixes",
        "turn_key",
        "given_embedding",
        "index_pending",
        "index_lease",
        "index_attempts",
        "index_error",
    }
)
"""Node properties that serve queries and are derived or private, so that a memory does not carry them."""
_KNOWN = INTERNAL | frozenset(MEMORY_COLUMNS)


def memory_from_columns(values: Sequence[Any], extra: Mapping[str, Any] = MappingProxyType({})) -> Memory:
    """Return the memory of a row holding MEMORY_COLUMNS, tolerating values that other writers stored badly."""
    (
        memory_id, content, kind, confidence, importance, tags, metadata, timestamp, updated_at, last_accessed,
        t_valid, t_invalid, summary, archived, relevance_score, turn_key,
    ) = values  # fmt: skip
    at = _text(timestamp)
    return Memory(
        id=_text(memory_id),
        content=_text(content),
        type=_text(kind) or "Memory",
        confidence=_fraction(confidence, 0.0),
        importance=_fraction(importance, 0.0),
        tags=_texts(tags),
        metadata=_json_object(metadata),
        timestamp=at,
        updated_at=_text(updated_at) or at,
        last_accessed=_text(last_accessed) or at,
        t_valid=optional_text(t_valid),
        t_invalid=optional_text(t_invalid),
        summary=optional_text(summary),
        archived=archived is True,
        relevance_score=relevance_score if isinstance(relevance_score, float) else None,
        turn_key=optional_text(turn_key),
        extra=extra,
    )


def memory_from_summary(values: Sequence[Any]) -> Memory:
    """Return the memory of a row holding SUMMARY_COLUMNS, without what they leave out."""
    memory_id, content, kind, confidence, importance, tags, timestamp, summary = values
    whole = (
        memory_id, content, kind, confidence, importance, tags, None, timestamp, None, None,
        None, None, summary, None, None, None,
    )  # fmt: skip
    return memory_from_columns(whole)


def memory_from_properties(properties: Mapping[str, Any]) -> Memory:
    """Return the memory of a node with all its properties."""
    extra = {name: value for name, value in properties.items() if name not in _KNOWN}
    return memory_from_columns([properties.get(name) for name in MEMORY_COLUMNS], extra)


def properties_of(memory: Memory, pending: Mapping[str, Any]) -> dict[str, Any]:
    """Return the node properties of a new memory, `pending` being what its index entry still needs."""
    return {
        **memory.extra,
        "id": memory.id,
        "type": memory.type,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "metadata": json_text(memory.metadata),
        "timestamp": memory.timestamp,
        "updated_at": memory.updated_at,
        "last_accessed": memory.last_accessed,
        "t_valid": memory.t_valid,
        "t_invalid": memory.t_invalid,
        "summary": memory.summary,
        "turn_key": memory.turn_key,
        "processed": False,
        **text_properties(memory.content),
        **tag_properties(memory.tags),
        **pending,
    }


def text_properties(content: str) -> dict[str, Any]:
    """Return the content and every property derived from it."""
    return {"content": content, "name_keys": list(names_in(content))}


def tag_properties(tags: Iterable[str]) -> dict[str, Any]:
    """Return the tags and every property derived from them."""
    kept = list(tags)
    return {"tags": kept, "tag_keys": list(canonical_tags(kept)), "tag_prefixes": list(tag_prefixes(kept))}


def json_text(value: Mapping[str, Any]) -> str:
    """Return the JSON text in which metadata is stored."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _json_object(text: Any) -> Mapping[str, Any]:
    if not isinstance(text, str) or text == "{}":
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple([item for item in value if isinstance(item, str)]) if isinstance(value, list) else ()


def optional_text(value: Any) -> str | None:
    """Return a text that is not empty, None for anything else."""
    return value if isinstance(value, str) and value else None


def _fraction(value: Any, otherwise: float) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return min(1.0, max(0.0, float(value)))
    return otherwise
