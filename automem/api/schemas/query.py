"""Types of query parameters: lenient, as clients of this API rely on; a value that cannot be read is the default."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, overload

from pydantic import BeforeValidator

from automem.api.schemas.fields import fault
from automem.domain.timestamps import parse_timestamp

_TRUE = frozenset({"1", "true", "yes", "y", "on"})
_FALSE = frozenset({"0", "false", "no", "off", "n"})


def read_flag(value: Any, default: bool) -> bool:
    """Read a boolean in any of its usual spellings."""
    text = str(value).strip().lower()
    if text in _TRUE:
        return True
    return False if text in _FALSE else default


def flag(*, default: bool) -> BeforeValidator:
    """Return a validator of booleans."""
    return BeforeValidator(lambda value: read_flag(value, default))


@overload
def bounded_int(default: int, low: int, high: int) -> Callable[[Any], int]: ...


@overload
def bounded_int(default: None, low: int, high: int) -> Callable[[Any], int | None]: ...


def bounded_int(default: int | None, low: int, high: int) -> Callable[[Any], int | None]:
    """Return a reader of integers that clamps, and gives the default for anything else."""

    def read(value: Any) -> int | None:
        try:
            number = int(str(value).strip())
        except ValueError:
            return default
        return min(high, max(low, number))

    return read


def read_share(value: Any) -> float | None:
    """Read a number, clamped to 0..1; None when it is none."""
    try:
        number = float(str(value).strip())
    except ValueError:
        return None
    return None if math.isnan(number) else min(1.0, max(0.0, number))


def instant(name: str) -> BeforeValidator:
    """Return a validator of timestamps; a bad one is an error that names it."""

    def read(value: Any) -> str | None:
        if not str(value or "").strip():
            return None
        try:
            return parse_timestamp(value)
        except ValueError as error:
            raise fault(f"Invalid {name} time: {error}") from None

    return BeforeValidator(read)


def as_list(value: Any) -> list[str]:
    """Return repeated values as a list of strings."""
    values = value if isinstance(value, list) else [value]
    return [str(item) for item in values]


def split(value: Any) -> list[str]:
    """Return repeated and comma-separated values as trimmed, non-empty strings."""
    return [part.strip() for item in as_list(value) for part in item.split(",") if part.strip()]


Flag = Annotated[bool, flag(default=False)]
Share = Annotated[float | None, BeforeValidator(read_share)]
Repeated = Annotated[list[str], BeforeValidator(as_list)]
Split = Annotated[list[str], BeforeValidator(split)]
