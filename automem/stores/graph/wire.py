"""FalkorDB's text forms: parameters become a query header, compact replies become rows.

The forms are those of the falkordb client; added is the refusal of values that they would carry as another value,
or not at all. Queries return scalars, lists and maps: nodes, edges and paths would need the client's graph object.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from falkordb.helpers import stringify_param_value
from falkordb.query_result import QueryResult

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
            _check(value)
            literal = stringify_param_value(value)
        except ValueError as error:
            raise ValueError(f"parameter {name!r} {error}") from None
        if _UNSENDABLE.search(literal):  # Once for all strings within: a batch holds thousands.
            raise ValueError(f"parameter {name!r} holds a NUL character or a lone surrogate")
        literals.append(f"`{name}`={literal} ")
    return f"CYPHER {''.join(literals)}"


def _check(value: Any) -> None:
    """Refuse what would be sent as another value; strings are looked at once they are joined."""
    if value is None or isinstance(value, str | bool):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("holds NaN or an infinity")
    elif isinstance(value, int):
        if not _INTEGER_MIN <= value <= _INTEGER_MAX:
            raise ValueError("holds an integer beyond 64 bits")
    elif isinstance(value, list | tuple):
        for item in value:
            _check(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ValueError(f"holds the map key {key!r}, which is no string")  # noqa: TRY004
            _check(item)
    else:
        raise ValueError(  # noqa: TRY004 - whatever is wrong with a value is one kind of fault
            f"holds a value of type {type(value).__name__}, which Cypher does not have"
        )


def decode_rows(reply: list[Any]) -> list[Row]:
    """Return the rows of a `--compact` reply.

    Floats carry the 15 significant digits that FalkorDB prints; it stores and compares all 17.
    """
    rows: list[Row] = QueryResult(None, reply).result_set
    return rows
