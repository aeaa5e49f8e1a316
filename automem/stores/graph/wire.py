"""FalkorDB's text forms: parameters become a query header, compact replies become rows.

A value that the header would carry as another value, or not at all, is refused. Queries return scalars, lists and
maps; nodes, edges and paths would need the client's graph object. Both ways are written for speed: a batch carries
thousands of values, and a recall reads two thousand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from falkordb.query_result import ResultSetScalarTypes as Types

from automem.stores.graph.base import Row

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
_INTEGER_MIN, _INTEGER_MAX = -(2**63), 2**63 - 1


def parameter_header(params: Mapping[str, Any]) -> str:
    """Return the header that hands `params` to the query written after it.

    Raises:
        ValueError: Naming the parameter: a NUL or lone surrogate in a string, NaN or an infinity, an integer beyond
            64 bits, a map key that cannot be quoted, or a value of a type that Cypher does not have.
    """
    literals = []
    for name, value in params.items():
        if not name.isidentifier():
            raise ValueError(f"parameter {name!r} is not named by an identifier")
        try:
            literal = _literal(value)
        except ValueError as error:
            raise ValueError(f"parameter {name!r} {error}") from None
        if _UNSENDABLE.search(literal):  # Once for all strings within.
            raise ValueError(f"parameter {name!r} holds a NUL character or a lone surrogate")
        literals.append(f"`{name}`={literal} ")
    return f"CYPHER {''.join(literals)}"


def _literal(value: Any) -> str:
    """Return a value as Cypher writes it, in one pass: a batch holds thousands of values."""
    write = _WRITERS.get(type(value))
    if write is not None:
        return write(value)
    for kind in _WRITERS:  # A subclass, such as an enum or numpy's float.
        if isinstance(value, kind):
            return _WRITERS[kind](value)
    raise ValueError(f"holds a value of type {type(value).__name__}, which Cypher does not have")


def _string(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _integer(value: int) -> str:
    if not _INTEGER_MIN <= value <= _INTEGER_MAX:
        raise ValueError("holds an integer beyond 64 bits")
    return str(int(value))


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError("holds NaN or an infinity")
    return repr(float(value))


def _list(values: Sequence[Any]) -> str:
    return f"[{','.join(map(_literal, values))}]"


def _map(values: Mapping[Any, Any]) -> str:
    items = []
    for key, value in values.items():
        if not isinstance(key, str) or not key or "`" in key:
            raise ValueError(f"holds the map key {key!r}, which cannot be quoted")
        items.append(f"`{key}`:{_literal(value)}")
    return f"{{{','.join(items)}}}"


_WRITERS: Mapping[type, Callable[[Any], str]] = {
    str: _string,
    bool: lambda value: "true" if value else "false",
    float: _float,
    int: _integer,
    list: _list,
    tuple: _list,
    dict: _map,
    type(None): lambda _value: "null",
}


def decode_rows(reply: list[Any]) -> list[Row]:
    """Return the rows of a `--compact` reply.

    Floats carry the 15 significant digits that FalkorDB prints; it stores and compares all 17.

    Raises:
        ValueError: a row holds a node, an edge, a path or a type unknown here.
    """
    if len(reply) < 3:  # Only statistics: the query returns nothing.
        return []
    return [[value if kind in _AS_SENT else _value(kind, value) for kind, value in row] for row in reply[1]]


def _value(kind: int, value: Any) -> Any:
    if kind in _AS_SENT:
        return value
    read = _READERS.get(kind)
    if read is None:
        raise ValueError(f"cannot read a value of FalkorDB's type {kind}")
    return read(value)


def _read_map(value: Sequence[Any]) -> dict[str, Any]:
    return {key: _value(*cell) for key, cell in zip(value[::2], value[1::2], strict=True)}


_AS_SENT = frozenset({Types.VALUE_NULL.value, Types.VALUE_STRING.value, Types.VALUE_INTEGER.value})
_READERS: Mapping[int, Callable[[Any], Any]] = {
    Types.VALUE_BOOLEAN.value: lambda value: value == "true",
    Types.VALUE_DOUBLE.value: float,
    Types.VALUE_ARRAY.value: lambda value: [_value(*cell) for cell in value],
    Types.VALUE_MAP.value: _read_map,
}
