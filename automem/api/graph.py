"""Routes that look around in the graph."""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint

from automem.api.openapi import documented
from automem.api.parsing import container, memory_id, query
from automem.api.schemas.graph import (
    NeighboursAnswer,
    NeighboursQuery,
    RelatedAnswer,
    RelatedQuery,
    RelationsAnswer,
    TypesAnswer,
)
from automem.api.views import drawn_edges, memory_view, node_view, step_view, summary_view
from automem.domain.classify import MEMORY_TYPES, TYPE_COLOURS, colour_of_type
from automem.domain.relation import EXPANDED, LEGACY_KINDS, PUBLIC, REGISTRY, colour_of
from automem.errors import NotFound
from automem.services.graph import Related

blueprint = Blueprint("graph", __name__)

Answer = tuple[dict[str, Any], int]

DEFAULT_SIMILAR = 5


@blueprint.get("/memories/<id_text>/related")
@documented({200: RelatedAnswer}, query=RelatedQuery, errors=(404,))
def related(id_text: str) -> Answer:
    """Return the memories connected to one, with the path to each."""
    found = memory_id(id_text)
    asked = query(RelatedQuery)
    names = [name.upper() for name in asked.relationship_types]
    types = list(dict.fromkeys(name for name in names if name in REGISTRY or name in LEGACY_KINDS)) or list(EXPANDED)
    depth = asked.depth or asked.max_depth or 1
    limit = asked.limit or container().rules.recall_relation_limit
    items = container().graph.related(found, types, depth, limit)
    answer: dict[str, Any] = {
        "status": "success",
        "memory_id": found,
        "count": len(items),
        "related_memories": [_related_view(item) for item in items],
        "relationship_types": types,
        "max_depth": depth,
        "limit": limit,
    }
    ignored = [name for name in names if name not in REGISTRY and name not in LEGACY_KINDS]
    if ignored:
        answer["ignored_types"] = ignored
    return answer, 200


def _related_view(item: Related) -> dict[str, Any]:
    first = item.link.path[0]
    return {
        **summary_view(item.memory),
        "relation": {"type": first.type, "strength": first.strength, "direction": first.direction},
        "depth": len(item.link.path),
        "path": [step_view(step) for step in item.link.path],
    }


@blueprint.get("/graph/neighbors/<id_text>")
@documented({200: NeighboursAnswer}, query=NeighboursQuery, errors=(404,))
def neighbours(id_text: str) -> Answer:
    """Return what lies around a memory, for drawing."""
    started = time.perf_counter()
    found = memory_id(id_text)
    asked = query(NeighboursQuery)
    similar = (asked.semantic_limit or DEFAULT_SIMILAR) if asked.include_semantic else 0
    depth = asked.depth or 1
    try:
        around = container().graph.neighbourhood(found, depth, similar)
    except NotFound:
        raise NotFound(f"Memory {found} not found") from None
    return {
        "center": {**memory_view(around.centre), "color": colour_of_type(around.centre.type)},
        "graph_neighbors": [node_view(item.memory) for item in around.related],
        "semantic_neighbors": [
            {**node_view(memory), "similarity": round(score, 4)} for memory, score in around.similar
        ],
        "edges": drawn_edges(around.steps),
        "meta": {"depth": depth, "query_time_ms": round((time.perf_counter() - started) * 1000, 2)},
    }, 200


@blueprint.get("/graph/types")
@documented({200: TypesAnswer})
def types() -> Answer:
    """Return the memory types and their colours."""
    return {"types": list(MEMORY_TYPES), "colors": TYPE_COLOURS}, 200


@blueprint.get("/graph/relations")
@documented({200: RelationsAnswer})
def relations() -> Answer:
    """Return the public relation types, their colours and what each means."""
    return {
        "relations": list(PUBLIC),
        "colors": {name: colour_of(name) for name in PUBLIC},
        "details": {
            name: {
                "description": REGISTRY[name].description,
                "properties": list(REGISTRY[name].properties),
                "authorable": REGISTRY[name].authorable,
                "system": REGISTRY[name].system,
                "symmetric": REGISTRY[name].symmetric,
            }
            for name in PUBLIC
        },
    }, 200
