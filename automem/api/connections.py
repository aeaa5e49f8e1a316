"""Routes under /api/v1: the same edges in the words of a second dialect."""

from __future__ import annotations

from typing import Any

from flask import Blueprint

from automem.api.openapi import documented
from automem.api.parsing import body_object, container, memory_id, query, validated
from automem.api.schemas.connections import (
    ConnectedAnswer,
    ConnectedQuery,
    ConnectionAnswer,
    ConnectionBody,
    ConnectionsAnswer,
    ConnectionsQuery,
    DisconnectedAnswer,
)
from automem.api.views import memory_view, step_view
from automem.domain.dialect import DEFAULT_RELATIONS, NAME_OF, RELATION_OF, relations_of
from automem.domain.recall import Edge
from automem.domain.relation import REGISTRY, shown_as, strength_of
from automem.errors import Unprocessable
from automem.services.associations import NewAssociation
from automem.services.graph import Related

blueprint = Blueprint("connections", __name__, url_prefix="/api/v1")

Answer = tuple[dict[str, Any], int]


@blueprint.post("/connections")
@documented({200: ConnectionAnswer}, body=ConnectionBody, errors=(404, 413, 422))
def connect() -> Answer:
    """Join two memories by an edge, or change the strength of the one there is."""
    asked = validated(ConnectionBody, body_object())
    relation = RELATION_OF.get(asked.relationship_type)
    if relation is None:
        raise Unprocessable(f"'relationship_type' must be one of {sorted(RELATION_OF)}", field="relationship_type")
    if asked.source_id == asked.target_id:
        raise Unprocessable("Cannot connect a memory with itself", field="target_id")
    service = container().associations
    service.create(NewAssociation(asked.source_id, asked.target_id, relation, asked.strength, {}))
    edge = service.get(asked.source_id, relation, asked.target_id)
    connection = {**_connection(edge), "relationship_type": asked.relationship_type}
    return {"source_id": connection.pop("source_id"), "connection": connection}, 200


@blueprint.get("/connections")
@documented({200: ConnectionsAnswer}, query=ConnectionsQuery)
def list_connections() -> Answer:
    """List all edges, a page at a time."""
    asked = query(ConnectionsQuery)
    edges, _ = container().associations.list(None, "both", tuple(REGISTRY), asked.offset, asked.limit)
    return {
        "connections": [_connection(edge) for edge in edges],
        "total": container().overview.edge_total(),
        "limit": asked.limit,
        "offset": asked.offset,
    }, 200


@blueprint.delete("/connections/<source>/<target>")
@documented({200: DisconnectedAnswer}, errors=(404,))
def disconnect(source: str, target: str) -> Answer:
    """Remove every edge from one memory to another."""
    first = memory_id(source, "'source_id' must be a valid UUID")
    second = memory_id(target, "'target_id' must be a valid UUID")
    deleted = container().associations.disconnect(first, second)
    return {"source_id": first, "target_id": second, "deleted": deleted}, 200


@blueprint.get("/memories/<id_text>/related")
@documented({200: ConnectedAnswer}, query=ConnectedQuery, errors=(404,))
def connected(id_text: str) -> Answer:
    """Return the memories connected to one, with the path to each."""
    found = memory_id(id_text)
    asked = query(ConnectedQuery)
    types = list(dict.fromkeys(relation for name in asked.relationship_types for relation in relations_of(name)))
    ignored = [name for name in asked.relationship_types if not relations_of(name)]
    items = container().graph.related(found, types or DEFAULT_RELATIONS, asked.depth, asked.limit)
    answer: dict[str, Any] = {"memory_id": found, "related": [_connected_view(item) for item in items]}
    if ignored:
        answer["ignored_types"] = ignored
    return answer, 200


def _connection(edge: Edge) -> dict[str, Any]:
    kind, properties = shown_as(edge.label, dict(edge.properties))
    return {
        "source_id": edge.source,
        "target_id": edge.target,
        "relationship_type": NAME_OF[kind],
        "strength": strength_of(properties),
        "created_at": properties.get("created_at") or properties.get("updated_at"),
    }


def _connected_view(item: Related) -> dict[str, Any]:
    first = item.link.path[0]
    return {
        "memory": memory_view(item.memory),
        "connection": {
            "relationship_type": NAME_OF[first.type],
            "strength": first.strength,
            "direction": first.direction,
        },
        "depth": len(item.link.path),
        "path": [{**step_view(step), "relationship_type": NAME_OF[step.type]} for step in item.link.path],
    }
