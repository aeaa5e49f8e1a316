"""Requests and answers of the graph routes, of health and of the service's description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from automem.api.schemas.query import Flag, Split, bounded_int


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
