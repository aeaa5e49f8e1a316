"""Requests and answers of the association routes, with the order of checks that clients know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel, WithJsonSchema, model_validator

from automem.api.schemas.fields import fault, fraction, storable_property
from automem.api.schemas.query import bounded_int
from automem.domain.ids import canonical_id
from automem.domain.relation import AUTHORABLE, DEFAULT_RELATION, DEFAULT_STRENGTH, REGISTRY
from automem.services.associations import NewAssociation

BATCH_LIMIT = 500
IDS_REQUIRED = "'memory1_id' and 'memory2_id' are required"
SELF_ASSOCIATION = "Cannot associate a memory with itself"
_OWN_PROPERTIES = {name: tuple(own for own in REGISTRY[name].properties if own != "strength") for name in AUTHORABLE}
UNKNOWN_TYPE = f"Relation type must be one of {list(AUTHORABLE)}"


def read_strength(raw: Mapping[str, Any]) -> float:
    """Read the strength of an association; its messages name `importance`, as clients know them."""
    value = raw.get("strength")
    return DEFAULT_STRENGTH if value is None else fraction(value, "importance")


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else "" if value is None else str(value).strip()


def read_ends(raw: Mapping[str, Any], invalid_id: str) -> tuple[str, str]:
    """Read the two ids; `invalid_id` is the message for one that is no UUID, `{name}` standing for its field."""
    first, second = _text(raw.get("memory1_id")), _text(raw.get("memory2_id"))
    if not first or not second:
        raise fault(IDS_REQUIRED)
    memory1_id, memory2_id = canonical_id(first), canonical_id(second)
    if memory1_id is None or memory2_id is None:
        raise fault(invalid_id.format(name="memory1_id" if memory1_id is None else "memory2_id"))
    if memory1_id == memory2_id:
        raise fault(SELF_ASSOCIATION)
    return memory1_id, memory2_id


def read_relation(raw: Mapping[str, Any]) -> str:
    """Read the relation type, in any case."""
    name = _text(raw.get("type")).upper() or DEFAULT_RELATION
    if name not in _OWN_PROPERTIES:
        raise fault(UNKNOWN_TYPE)
    return name


def read_properties(raw: Mapping[str, Any], relation: str) -> dict[str, Any]:
    """Read the relation's own properties, as far as they are present."""
    return {name: storable_property(raw[name], name) for name in _OWN_PROPERTIES[relation] if name in raw}


class AssociationItem(BaseModel):
    """An edge from memory1 to memory2. Further keys are the relation's own properties; others are ignored.

    Checked in this order: strength, presence of both ids, their form, that they differ, type, own properties.
    """

    model_config = ConfigDict(extra="allow")

    memory1_id: str = Field(description="Where the edge starts (UUID).")
    memory2_id: str = Field(description="Where it ends (UUID).")
    type: str = Field(DEFAULT_RELATION, json_schema_extra={"enum": list(AUTHORABLE)})
    strength: float = Field(DEFAULT_STRENGTH, ge=0, le=1)

    @model_validator(mode="before")
    @classmethod
    def _in_order(cls, raw: Any) -> Any:
        strength = read_strength(raw) if isinstance(raw, dict) else DEFAULT_STRENGTH
        new = read_new_association(raw, strength, "memory_id must be a valid UUID")
        return {
            **new.properties,
            "memory1_id": new.memory1_id,
            "memory2_id": new.memory2_id,
            "type": new.relation,
            "strength": new.strength,
        }

    def association(self) -> NewAssociation:
        """Return the edge to make."""
        return NewAssociation(self.memory1_id, self.memory2_id, self.type, self.strength, dict(self.model_extra or {}))


def read_new_association(
    raw: Any, strength: float, invalid_id: str = "'{name}' must be a valid UUID"
) -> NewAssociation:
    """Read one association, whose strength was read first; the first fault is raised with the client's message."""
    if not isinstance(raw, dict):
        raise fault("Association item must be an object")
    first, second = read_ends(raw, invalid_id)
    relation = read_relation(raw)
    return NewAssociation(first, second, relation, strength, read_properties(raw, relation))


def _batch(value: Any) -> list[Any]:
    if not value:
        raise fault("'associations' must be a non-empty array")
    if len(value) > BATCH_LIMIT:
        raise fault(f"Batch size limit is {BATCH_LIMIT} associations per request")
    return list(value)


class AssociateBatch(BaseModel):
    """The batch form: a fault in one item fails that item only, except a bad strength, which refuses the request."""

    associations: Annotated[
        list[Any],
        BeforeValidator(_batch),
        WithJsonSchema(
            {"type": "array", "minItems": 1, "maxItems": BATCH_LIMIT, "items": AssociationItem.model_json_schema()}
        ),
    ]


class AssociateBody(BaseModel):
    """Body of POST /associate: one edge, or `associations` with up to 500 of them (other keys are then ignored)."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"oneOf": [
        AssociationItem.model_json_schema(), AssociateBatch.model_json_schema()
    ]})  # fmt: skip


class AssociateAnswer(BaseModel):
    """Answer for one edge, with the own properties of the relation that were sent."""

    model_config = ConfigDict(extra="allow")

    status: Literal["success"]
    message: str
    relation_type: str
    strength: float


class Succeeded(BaseModel):
    """An edge of a batch that stands."""

    index: int
    memory1_id: str
    memory2_id: str
    relation_type: str
    strength: float


class Failed(BaseModel):
    """An item of a batch that failed."""

    index: int
    reason: str


class AssociateBatchAnswer(BaseModel):
    """Answer for a batch: 201 when every item succeeded, else 207."""

    status: Literal["success", "partial_success"]
    created_count: int
    failed_count: int
    succeeded: list[Succeeded]
    failed: list[Failed]
    summary: str


class AssociateCreatedAnswer(RootModel[AssociateAnswer | AssociateBatchAnswer]):
    """Answer of POST /associate when everything succeeded, in the form that was sent."""


class AssociationView(BaseModel):
    """An edge, with its own properties."""

    model_config = ConfigDict(extra="allow")

    memory1_id: str
    memory2_id: str
    type: str
    strength: float
    created_at: str = ""
    updated_at: str = ""


def _direction(value: Any) -> str:
    text = str(value).strip().lower()
    if text not in {"out", "in", "both"}:
        raise fault("'direction' must be out, in or both")
    return text


class AssociationsQuery(BaseModel):
    """Query of GET /associations."""

    memory_id: str = Field("", description="Only edges of this memory.")
    type: str = Field("", description="Only edges of these types, comma-separated.")
    direction: Annotated[Literal["out", "in", "both"], BeforeValidator(_direction)] = Field(
        "both", description="Seen from `memory_id`."
    )
    limit: Annotated[int, BeforeValidator(bounded_int(50, 1, 500))] = Field(50, description="1 to 500.")
    offset: Annotated[int, BeforeValidator(bounded_int(0, 0, 2**31))] = 0


class AssociationsAnswer(BaseModel):
    """Answer of GET /associations."""

    status: Literal["success"]
    associations: list[AssociationView]
    count: int
    limit: int
    offset: int
    has_more: bool


class AssociationAnswer(BaseModel):
    """Answer of GET /associations/{memory1_id}/{type}/{memory2_id}."""

    status: Literal["success"]
    association: AssociationView


class AssociationDeletedAnswer(BaseModel):
    """Answer of DELETE on the same path."""

    status: Literal["success"]
    memory1_id: str
    memory2_id: str
    type: str
