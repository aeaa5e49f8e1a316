"""The errors that automem raises on purpose.

AutomemError
├── InvalidInput            a value that the caller can correct
│   └── Unprocessable       the values are well formed, and name what cannot be done
├── NotFound                the thing named does not exist
├── Conflict                the request contradicts what is stored
├── Unavailable             a store or provider does not answer now; the same call may succeed later
│   ├── GraphUnavailable
│   ├── VectorsUnavailable
│   ├── EmbeddingUnavailable
│   └── Busy                as much is under way as may be
├── Refused                 a store or provider answered, and will not do it however often it is asked
│   ├── GraphRefused
│   │   └── ConstraintViolated
│   ├── VectorsRefused
│   └── EmbeddingRefused
└── ConfigurationError      the service cannot start as it is configured
    ├── DataDirectoryInUse
    └── IncompatibleIndex   the vector collection does not fit the embedding model or this version

Each class carries a stable `code`; the HTTP status is given in `api/error_shape.py` alone.
"""

from __future__ import annotations

from typing import Any


class AutomemError(Exception):
    """Base of every error raised on purpose.

    `message` is one sentence for the person who reads it; `data` holds further JSON-ready facts.
    """

    code = "error"

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data = data


class InvalidInput(AutomemError):
    """A value that the caller can correct; `data["field"]` names it when there is one."""

    code = "invalid_input"


class Unprocessable(InvalidInput):
    """Well-formed values that name what cannot be done, such as an edge from a memory to itself."""

    code = "unprocessable"


class NotFound(AutomemError):
    """The thing that the request names does not exist."""

    code = "not_found"


class Conflict(AutomemError):
    """The request contradicts what is stored, such as an idempotency key used for another body."""

    code = "conflict"


class Unavailable(AutomemError):
    """A store or provider does not answer now; the same call may succeed later."""

    code = "unavailable"


class GraphUnavailable(Unavailable):
    """FalkorDB refuses connections, is loading, or did not answer in time."""

    code = "graph_unavailable"

    def __init__(self, message: str = "FalkorDB is unavailable", **data: Any) -> None:
        super().__init__(message, **data)


class VectorsUnavailable(Unavailable):
    """The vector store refuses connections or did not answer in time."""

    code = "vectors_unavailable"

    def __init__(self, message: str = "Qdrant is unavailable", **data: Any) -> None:
        super().__init__(message, **data)


class EmbeddingUnavailable(Unavailable):
    """The embedding provider cannot be reached, is overloaded, or did not answer in time."""

    code = "embedding_unavailable"


class Busy(Unavailable):
    """As much of this kind is under way as may be; it works again when some of it has ended."""

    code = "busy"


class Refused(AutomemError):
    """A store or provider answered, and will not do it however often it is asked."""

    code = "refused"


class GraphRefused(Refused):
    """FalkorDB answered a query with an error."""

    code = "graph_refused"


class ConstraintViolated(GraphRefused):
    """A unique constraint of the graph rejected the whole query; nothing of it was written."""

    code = "constraint_violated"


class VectorsRefused(Refused):
    """The vector store answered an operation with an error."""

    code = "vectors_refused"


class EmbeddingRefused(Refused):
    """The embedding provider will not embed this input, such as a text over its limit."""

    code = "embedding_refused"


class ConfigurationError(AutomemError):
    """The service cannot start as it is configured; the message names the setting to change."""

    code = "configuration"


class DataDirectoryInUse(ConfigurationError):
    """Another process owns the data directory."""

    code = "data_directory_in_use"


class IncompatibleIndex(ConfigurationError):
    """The vector collection does not fit the embedding model or this version of automem."""

    code = "incompatible_index"
