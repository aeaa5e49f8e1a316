"""Requests and answers of the routes under /api/v1."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo

from automem.api.schemas.fields import fault, fraction
from automem.api.schemas.query import Split, bounded_int
from automem.domain.dialect import RELATION_OF
from automem.domain.ids import canonical_id


def _id(value: Any, info: ValidationInfo) -> str:
    found = canonical_id(value) if isinstance(value, str) else None
    if found is None:
        raise fault(f"'{info.field_name}' must be a valid UUID")
    return found


def _strength(value: Any) -> float:
    return 1.0 if value is None else fraction(value, "strength")


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise fault("'relationship_type' must be a string")
    return value.strip().lower()


Id = Annotated[str, BeforeValidator(_id, json_schema_input_type=str)]


class ConnectionBody(BaseModel):
    """Body of POST /api/v1/connections."""

    source_id: Id = Field(description="Where the edge starts (UUID); of `caused_by`, the cause.")
    target_id: Id = Field(description="Where it ends (UUID).")
    relationship_type: Annotated[str, BeforeValidator(_name)] = Field(
        "related_to", json_schema_extra={"enum": list(RELATION_OF)}
    )
    strength: Annotated[float, BeforeValidator(_strength, json_schema_input_type=float | None)] = Field(1.0, ge=0, le=1)


class ConnectionView(BaseModel):
    """An edge, seen from its source."""

    model_config = ConfigDict(extra="allow")

    relationship_type: str
    strength: float


class ConnectionAnswer(BaseModel):
    """Answer of POST /api/v1/connections."""

    source_id: str
    connection: ConnectionView


class ConnectionsQuery(BaseModel):
    """Query of GET /api/v1/connections."""

    limit: Annotated[int, BeforeValidator(bounded_int(50, 1, 500))] = Field(50, description="1 to 500.")
    offset: Annotated[int, BeforeValidator(bounded_int(0, 0, 2**31))] = 0


class ConnectionsAnswer(BaseModel):
    """Answer of GET /api/v1/connections."""

    connections: list[dict[str, Any]]
    total: int
    limit: int
    offset: int


class DisconnectedAnswer(BaseModel):
    """Answer of DELETE /api/v1/connections/{source}/{target}."""

    source_id: str
    target_id: str
    deleted: int


class ConnectedQuery(BaseModel):
    """Query of GET /api/v1/memories/{id}/related."""

    depth: Annotated[int, BeforeValidator(bounded_int(1, 1, 5))] = Field(1, description="Hops, 1 to 5.")
    relationship_types: Split = Field([], description="Only edges of these types, comma-separated.")
    limit: Annotated[int, BeforeValidator(bounded_int(20, 1, 200))] = Field(20, description="1 to 200.")


class ConnectedAnswer(BaseModel):
    """Answer of GET /api/v1/memories/{id}/related."""

    model_config = ConfigDict(extra="allow")

    memory_id: str
    related: list[dict[str, Any]]
