"""Routes of associations: make, list, read and remove edges between memories."""

from __future__ import annotations

from typing import Any

from flask import Blueprint
from pydantic_core import PydanticCustomError

from automem.api import announce
from automem.api.openapi import documented
from automem.api.parsing import body_object, container, memory_id, query, validated
from automem.api.schemas.associate import (
    AssociateBatch,
    AssociateBatchAnswer,
    AssociateBody,
    AssociateCreatedAnswer,
    AssociationAnswer,
    AssociationDeletedAnswer,
    AssociationItem,
    AssociationsAnswer,
    AssociationsQuery,
    read_new_association,
    read_strength,
)
from automem.api.schemas.query import split
from automem.api.views import edge_view
from automem.domain.relation import DEFAULT_STRENGTH, EDGE_LABELS, REGISTRY
from automem.errors import GraphRefused, InvalidInput
from automem.services.associations import NewAssociation

blueprint = Blueprint("associate", __name__)

Answer = tuple[dict[str, Any], int]


@blueprint.post("/associate")
@documented({201: AssociateCreatedAnswer, 207: AssociateBatchAnswer}, body=AssociateBody, errors=(404, 413))
def associate() -> Answer:
    """Join two memories by an edge, or up to 500 pairs with `associations` (201 when all succeed, else 207)."""
    raw = body_object()
    if isinstance(raw.get("associations"), list):
        return _associate_batch(raw)
    new = validated(AssociationItem, raw).association()
    try:
        container().associations.create(new)
    except GraphRefused as error:
        raise GraphRefused("Failed to create association") from error
    announce.associated(1)
    return {
        **{name: raw[name] for name in new.properties},
        "status": "success",
        "message": f"Association created between {new.memory1_id} and {new.memory2_id}",
        "relation_type": new.relation,
        "strength": new.strength,
    }, 201


def _associate_batch(raw: dict[str, Any]) -> Answer:
    items = validated(AssociateBatch, raw).associations
    news: dict[int, NewAssociation] = {}
    reasons: dict[int, str] = {}
    for index, item in enumerate(items):
        strength = _strength(item, index)
        try:
            # Five hundred items are read one by one without a model each, which would double the request's time.
            news[index] = read_new_association(item, strength)
        except PydanticCustomError as error:
            reasons[index] = error.message()
    reasons.update(container().associations.create_many(news))
    announce.associated(len(news) - sum(index in reasons for index in news))
    succeeded = [
        {
            "index": index,
            "memory1_id": new.memory1_id,
            "memory2_id": new.memory2_id,
            "relation_type": new.relation,
            "strength": new.strength,
        }
        for index, new in news.items()
        if index not in reasons
    ]
    return {
        "status": "partial_success" if reasons else "success",
        "created_count": len(succeeded),
        "failed_count": len(reasons),
        "succeeded": succeeded,
        "failed": [{"index": index, "reason": reasons[index]} for index in sorted(reasons)],
        "summary": f"{len(succeeded)}/{len(items)} associations created successfully",
    }, 207 if reasons else 201


def _strength(item: Any, index: int) -> float:
    """Read an item's strength; a bad one refuses the whole request, before anything is written."""
    try:
        return read_strength(item) if isinstance(item, dict) else DEFAULT_STRENGTH
    except PydanticCustomError as error:
        raise InvalidInput(error.message(), field="strength", index=index) from None


@blueprint.get("/associations")
@documented({200: AssociationsAnswer}, query=AssociationsQuery)
def list_associations() -> Answer:
    """List associations, of one memory or of all."""
    asked = query(AssociationsQuery)
    types = [_relation(name) for name in split(asked.type)] or list(EDGE_LABELS)
    of = memory_id(asked.memory_id) if asked.memory_id else None
    edges, more = container().associations.list(of, asked.direction, types, asked.offset, asked.limit)
    return {
        "status": "success",
        "associations": [edge_view(edge) for edge in edges],
        "count": len(edges),
        "limit": asked.limit,
        "offset": asked.offset,
        "has_more": more,
    }, 200


@blueprint.get("/associations/<memory1_id>/<type_name>/<memory2_id>")
@documented({200: AssociationAnswer}, errors=(404,))
def read_association(memory1_id: str, type_name: str, memory2_id: str) -> Answer:
    """Return one association."""
    first, relation, second = _address(memory1_id, type_name, memory2_id)
    edge = container().associations.get(first, relation, second)
    return {"status": "success", "association": edge_view(edge)}, 200


@blueprint.delete("/associations/<memory1_id>/<type_name>/<memory2_id>")
@documented({200: AssociationDeletedAnswer}, errors=(404,))
def delete_association(memory1_id: str, type_name: str, memory2_id: str) -> Answer:
    """Remove one association."""
    first, relation, second = _address(memory1_id, type_name, memory2_id)
    container().associations.delete(first, relation, second)
    return {"status": "success", "memory1_id": first, "memory2_id": second, "type": relation}, 200


def _address(memory1_id: str, type_name: str, memory2_id: str) -> tuple[str, str, str]:
    return (
        memory_id(memory1_id, "'memory1_id' must be a valid UUID"),
        _relation(type_name),
        memory_id(memory2_id, "'memory2_id' must be a valid UUID"),
    )


def _relation(name: str) -> str:
    relation = name.strip().upper()
    if relation not in REGISTRY:
        raise InvalidInput(f"Relation type must be one of {sorted(REGISTRY)}", field="type")
    return relation
