"""Requests and answers of the graph routes, of health and of the service's description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from automem.api.schemas.fields import fault
from automem.api.schemas.query import Flag, Repeated, Share, Split, bounded_int, instant
from automem.domain.ids import canonical_id

SNAPSHOT_LIMIT = 500
SNAPSHOT_CAP = 50_000
LONGEST_PATH = 6


def _snapshot_limit(value: Any) -> int:
    try:
        number = int(str(value).strip())
    except ValueError:
        return SNAPSHOT_LIMIT
    if number < 0:
        raise fault("limit must be >= 0")
    return min(number or SNAPSHOT_CAP, SNAPSHOT_CAP)


def _end(name: str) -> BeforeValidator:
    def read(value: Any) -> str:
        found = canonical_id(str(value))
        if found is None:
            raise fault(f"'{name}' must be a valid UUID")
        return found

    return BeforeValidator(read)


class SnapshotQuery(BaseModel):
    """Query of GET /graph/snapshot."""

    limit: Annotated[int, BeforeValidator(_snapshot_limit)] = Field(
        SNAPSHOT_LIMIT, description=f"Most memories, 0 to {SNAPSHOT_CAP:,}; 0 is {SNAPSHOT_CAP:,}. Negative is 400."
    )
    min_importance: Share = Field(None, description="Least importance, 0 to 1.")
    types: Split = Field([], description="Only memories of these types, comma-separated.")
    since: Annotated[str | None, instant("since")] = Field(None, description="Earliest timestamp; bad is 400.")
    tags: Repeated = Field([], description="Only memories having one of these tags; repeated or comma-separated.")


class SnapshotAnswer(BaseModel):
    """Answer of GET /graph/snapshot."""

    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    stats: dict[str, Any]
    meta: dict[str, Any]


class StatsAnswer(BaseModel):
    """Answer of GET /graph/stats."""

    totals: dict[str, int]
    by_type: dict[str, int]
    by_relationship: dict[str, int]
    importance_distribution: dict[str, int]
    recent_activity: list[dict[str, Any]]
    meta: dict[str, Any]


class PathQuery(BaseModel):
    """Query of GET /graph/path."""

    model_config = ConfigDict(populate_by_name=True)

    start: Annotated[str, _end("from")] = Field(alias="from", description="The memory the path starts at.")
    end: Annotated[str, _end("to")] = Field(alias="to", description="The memory it leads to.")
    max_depth: Annotated[int, BeforeValidator(bounded_int(LONGEST_PATH, 1, LONGEST_PATH))] = Field(
        LONGEST_PATH, description=f"Most edges, 1 to {LONGEST_PATH}."
    )
    relation_types: Split = Field([], description="Edge types to follow, comma-separated; default: all.")


class PathAnswer(BaseModel):
    """Answer of GET /graph/path."""

    model_config = ConfigDict(extra="allow")

    status: Literal["success"]
    found: bool
    length: int | None
    path: list[dict[str, Any]]
    memories: list[dict[str, Any]]
    relation_types: list[str]
    max_depth: int
    complete: bool


class RelatedQuery(BaseModel):
    """Query of GET /memories/{id}/related."""

    relationship_types: Split = Field(
        [], description="Edge types to follow, comma-separated; default: the authorable ones."
    )
    depth: Annotated[int | None, BeforeValidator(bounded_int(None, 1, 5))] = Field(None, description="Hops, 1 to 5.")
    max_depth: Annotated[int | None, BeforeValidator(bounded_int(None, 1, 5))] = Field(
        None, description="Same as depth."
    )
    limit: Annotated[int | None, BeforeValidator(bounded_int(None, 1, 200))] = Field(None, description="1 to 200.")


class RelatedAnswer(BaseModel):
    """Answer of GET /memories/{id}/related."""

    model_config = ConfigDict(extra="allow")

    status: Literal["success"]
    memory_id: str
    count: int
    related_memories: list[dict[str, Any]]
    relationship_types: list[str]
    max_depth: int
    limit: int


class NeighboursQuery(BaseModel):
    """Query of GET /graph/neighbors/{id}."""

    depth: Annotated[int | None, BeforeValidator(bounded_int(None, 1, 3))] = Field(None, description="Hops, 1 to 3.")
    include_semantic: Flag = Field(default=False, description="Add memories near in meaning.")
    semantic_limit: Annotated[int | None, BeforeValidator(bounded_int(None, 1, 20))] = None


class NeighboursAnswer(BaseModel):
    """Answer of GET /graph/neighbors/{id}."""

    center: dict[str, Any]
    graph_neighbors: list[dict[str, Any]]
    semantic_neighbors: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    meta: dict[str, Any]


class TypesAnswer(BaseModel):
    """Answer of GET /graph/types."""

    types: list[str]
    colors: dict[str, str]


class RelationsAnswer(BaseModel):
    """Answer of GET /graph/relations."""

    relations: list[str]
    colors: dict[str, str]
    details: dict[str, dict[str, Any]]


class HealthAnswer(BaseModel):
    """Answer of GET /health."""

    model_config = ConfigDict(extra="allow")

    status: Literal["healthy", "degraded", "unhealthy"]
    falkordb: str
    qdrant: str
    graph: str
    timestamp: str


class ProbeAnswer(BaseModel):
    """Answer of GET /health/live and /health/ready."""

    model_config = ConfigDict(extra="allow")

    status: Literal["alive", "ready", "not_ready"]


class ErrorAnswer(BaseModel):
    """The one shape of every error; further keys may say more, such as the `index` of a batch item."""

    model_config = ConfigDict(extra="allow")

    status: Literal["error"]
    code: int = Field(description="The HTTP status.")
    message: str = Field(description="What is wrong and what to do.")


class OpenApiAnswer(BaseModel):
    """Answer of GET /openapi.json: an OpenAPI document."""

    model_config = ConfigDict(extra="allow")

    openapi: str
    info: dict[str, Any]
    paths: dict[str, dict[str, Any]]
