"""Types of request fields: how each is read, and what is said of a bad value.

A validator's message goes to the client as it is. The first fault in the order of a model's fields is the one reported.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from automem.domain.ids import canonical_id
from automem.domain.timestamps import parse_timestamp

DEEPEST_JSON = 64
"""Nesting of objects and lists accepted in metadata."""

_INT64 = 2**63


def fault(message: str) -> PydanticCustomError:
    """Return an error whose message is shown to the client word for word."""
    return PydanticCustomError("automem", "{message}", {"message": message})


def fraction(value: Any, name: str) -> float:
    """Read a number in 0..1; booleans and numeric strings count as numbers."""
    if not isinstance(value, bool | int | float | str):
        raise fault(f"'{name}' must be a number")
    try:
        number = float(value)
    except ValueError:
        raise fault(f"'{name}' must be a number") from None
    except OverflowError:
        number = math.inf
    if not 0.0 <= number <= 1.0:
        raise fault(f"'{name}' must be between 0 and 1")
    return number


def storable_text(value: str, name: str) -> str:
    """Refuse the characters that the graph cannot hold."""
    if "\x00" in value:
        raise fault(f"'{name}' must not contain the NUL character")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise fault(f"'{name}' must be valid Unicode, without lone surrogates") from None
    return value


def storable_json(value: Any, name: str, depth: int = 0) -> Any:
    """Refuse JSON that cannot be stored and sent again: NaN, infinities, lone surrogates, excessive nesting."""
    if depth > DEEPEST_JSON:
        raise fault(f"'{name}' is nested deeper than {DEEPEST_JSON} levels")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise fault(f"'{name}' must be valid Unicode, without lone surrogates") from None
    elif isinstance(value, float) and not math.isfinite(value):
        raise fault(f"'{name}' must not contain NaN or infinite numbers")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            storable_json(key, name, depth + 1)
            storable_json(item, name, depth + 1)
    elif isinstance(value, list):
        for item in value:
            storable_json(item, name, depth + 1)
    return value


def storable_property(value: Any, name: str) -> Any:
    """Refuse what an edge property cannot be: anything but text, numbers, booleans, null, or a list of them."""
    if isinstance(value, list):
        if any(item is None or isinstance(item, list) for item in value):
            raise fault(f"'{name}' must be a list of strings, numbers or booleans, without null and lists")
        for item in value:
            storable_property(item, name)
        return value
    if isinstance(value, str):
        return storable_text(value, name)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        if not -_INT64 <= value < _INT64:
            raise fault(f"'{name}' must fit into 64 bits")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise fault(f"'{name}' must be a finite number")
        return value
    raise fault(f"'{name}' must be a string, number, boolean, or a list of these")


def _content(value: Any, info: ValidationInfo) -> str:
    if not value:
        raise fault("'content' is required")
    if not isinstance(value, str):
        raise fault("'content' must be a string")
    text = storable_text(value, "content").strip()
    if not text:
        raise fault("'content' is required")
    limit = (info.context or {}).get("max_content_characters")
    if limit is not None and len(text) > limit:
        raise PydanticCustomError(
            "content_too_long",
            "Content exceeds maximum length of {limit} characters ({length} provided). "
            "Please split into smaller memories or summarize.",
            {"limit": limit, "length": len(text)},
        )
    return text


def _tags(value: Any) -> list[str]:
    if value is None:
        return []
    tags = [value] if isinstance(value, str) else value
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise fault("'tags' must be a list of strings or a single string")
    return [storable_text(tag, "tags") for tag in tags]


def _changed_tags(value: Any) -> list[str]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return _tags(value)


def _importance(value: Any, info: ValidationInfo) -> float:
    return fraction(value, str(info.field_name))


def _importance_or_default(value: Any, info: ValidationInfo) -> float:
    return 0.5 if value is None else fraction(value, str(info.field_name))


def _optional_fraction(value: Any, info: ValidationInfo) -> float | None:
    return None if value is None else fraction(value, str(info.field_name))


def _metadata(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise fault("'metadata' must be an object")
    storable_json(value, "metadata")
    return value


def _type(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise fault("'type' must be a string")
    text = storable_text(value, "type").strip()
    if len(text) > 100:
        raise fault("'type' must be at most 100 characters long")
    return text or None


def _changed_type(value: Any) -> str:
    text = _type(value)
    if text is None:
        raise fault("'type' must be a non-empty string")
    return text


def _changed_content(value: Any, info: ValidationInfo) -> str:
    return _content("" if value is None else value, info)


def _time(value: Any, info: ValidationInfo) -> str | None:
    if value is None or value == "":
        return None
    try:
        return parse_timestamp(value)
    except ValueError as error:
        prefix = (
            ""
            if info.field_name == "timestamp" and not (info.context or {}).get("patch")
            else f"Invalid {info.field_name}: "
        )
        raise fault(f"{prefix}{error}") from None


def _embedding(value: Any, info: ValidationInfo) -> list[float] | None:
    if value is None or value == "":
        return None
    size = (info.context or {}).get("embedding_dimension")
    return read_embedding(value, size)


def read_embedding(value: Any, size: int | None) -> list[float]:
    """Read a vector sent as a list of numbers or as comma-separated text."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    elif not isinstance(value, list):
        raise fault("Embedding must be a list of floats or a comma-separated string")
    if size is not None and len(value) != size:
        raise fault(f"Embedding must contain exactly {size} values")
    try:
        numbers = [float(item) if isinstance(item, int | float | str) else math.nan for item in value]
    except (ValueError, OverflowError):
        raise fault("Embedding must contain numeric values") from None
    if not all(math.isfinite(number) and abs(number) < 1e30 for number in numbers):
        raise fault("Embedding must contain numeric values")
    if not any(numbers):
        raise fault("Embedding must not be all zeros")
    return numbers


def _memory_id(value: Any, info: ValidationInfo) -> str | None:
    if value is None or value == "":
        return None
    found = canonical_id(value) if isinstance(value, str) else None
    if found is None:
        raise fault(f"'{info.field_name}' must be a valid UUID")
    return found


Content = Annotated[
    str, BeforeValidator(_content), Field(description="The text of the memory.", examples=["We use PostgreSQL"])
]
ChangedContent = Annotated[str, BeforeValidator(_changed_content)]
Tags = Annotated[list[str], BeforeValidator(_tags, json_schema_input_type=list[str] | str | None)]
ChangedTags = Annotated[list[str], BeforeValidator(_changed_tags, json_schema_input_type=list[str] | str | None)]
_Number = float | str | bool
Importance = Annotated[
    float, BeforeValidator(_importance_or_default, json_schema_input_type=_Number | None), Field(ge=0, le=1)
]
ChangedFraction = Annotated[float, BeforeValidator(_importance, json_schema_input_type=_Number), Field(ge=0, le=1)]
OptionalFraction = Annotated[float | None, BeforeValidator(_optional_fraction, json_schema_input_type=_Number | None)]
Metadata = Annotated[dict[str, Any], BeforeValidator(_metadata, json_schema_input_type=dict[str, Any] | None)]
MemoryType = Annotated[str | None, BeforeValidator(_type)]
ChangedType = Annotated[str, BeforeValidator(_changed_type)]
Time = Annotated[
    str | None,
    BeforeValidator(_time),
    Field(description="ISO 8601; without an offset it is UTC.", examples=["2026-01-31T09:00:00Z"]),
]
EmbeddingField = Annotated[
    list[float] | None, BeforeValidator(_embedding, json_schema_input_type=list[float] | str | None)
]
OptionalMemoryId = Annotated[str | None, BeforeValidator(_memory_id), Field(description="A memory id (UUID).")]
