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
    PathAnswer,
    PathQuery,
    RelatedAnswer,
    RelatedQuery,
    RelationsAnswer,
    SnapshotAnswer,
    SnapshotQuery,
    StatsAnswer,
    TypesAnswer,
)
from automem.api.views import drawn_edge, drawn_edges, memory_view, node_view, step_view, summary_view
from automem.domain.classify import MEMORY_TYPES, TYPE_COLOURS, colour_of_type
from automem.domain.recall import MemoryFilter
from automem.domain.relation import EXPANDED, LEGACY_KINDS, PUBLIC, REGISTRY, colour_of
from automem.domain.tags import tag_filters
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
    types, ignored = _relations(asked.relationship_types, EXPANDED)
    depth = asked.depth or asked.max_depth or 1
    limit = asked.limit or container().rules.recall_relation_limit
    items = container().graph.related(found, types, depth, limit)
    return {
        "status": "success",
        "memory_id": found,
        "count": len(items),
        "related_memories": [_related_view(item) for item in items],
        "relationship_types": types,
        "max_depth": depth,
        "limit": limit,
        **ignored,
    }, 200


def _relations(names: list[str], default: tuple[str, ...]) -> tuple[list[str], dict[str, list[str]]]:
    """Return the known types among those asked for, else the default ones, and what to say of the others."""
    asked = dict.fromkeys(name.upper() for name in names)
    known = [name for name in asked if name in REGISTRY or name in LEGACY_KINDS]
    ignored = [name for name in asked if name not in known]
    return known or list(default), {"ignored_types": ignored} if ignored else {}


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


@blueprint.get("/graph/path")
@documented({200: PathAnswer}, query=PathQuery, errors=(404,))
def path() -> Answer:
    """Return a shortest path between two memories, or none."""
    asked = query(PathQuery)
    types, ignored = _relations(asked.relation_types, tuple(REGISTRY))
    found, memories = container().graph.path(asked.start, asked.end, types, asked.max_depth)
    return {
        "status": "success",
        "from": asked.start,
        "to": asked.end,
        "found": found.steps is not None,
        "length": len(found.steps) if found.steps is not None else None,
        "path": [step_view(step) for step in found.steps or ()],
        "memories": [node_view(memory) for memory in memories],
        "relation_types": types,
        "max_depth": asked.max_depth,
        "complete": found.complete,
        **ignored,
    }, 200


@blueprint.get("/graph/snapshot")
@documented({200: SnapshotAnswer}, query=SnapshotQuery)
def snapshot() -> Answer:
    """Return the most important memories and the edges among them, for drawing."""
    started = time.perf_counter()
    asked = query(SnapshotQuery)
    where = MemoryFilter(tags=tag_filters(asked.tags), start=asked.since, include_archived=True)
    drawn = container().overview.snapshot(where, asked.types, asked.min_importance or 0.0, asked.limit)
    returned, total = len(drawn.memories), drawn.total_memories
    return {
        "nodes": [
            {
                **node_view(memory),
                "updated_at": memory.updated_at,
                "metadata": dict(memory.metadata),
            }
            for memory in drawn.memories
        ],
        "edges": [drawn_edge(edge) for edge in drawn.edges],
        "stats": {
            "total_nodes": total,
            "total_edges": drawn.total_edges,
            "returned_nodes": returned,
            "returned_edges": len(drawn.edges),
            "sampled": returned < total,
            "sample_ratio": round(returned / total, 4) if total else 1.0,
        },
        "meta": _meta(started),
    }, 200


@blueprint.get("/graph/stats")
@documented({200: StatsAnswer})
def stats() -> Answer:
    """Return the graph in numbers."""
    started = time.perf_counter()
    found = container().overview.statistics()
    important = sum(count.important for count in found.types)
    medium = sum(count.of_medium_importance for count in found.types)
    return {
        "totals": {"nodes": found.memories, "edges": found.edges},
        "by_type": {count.type: count.memories for count in found.types},
        "by_relationship": dict(found.relations),
        "importance_distribution": {
            "high": important,
            "medium": medium,
            "low": sum(count.memories for count in found.types) - important - medium,
        },
        "recent_activity": [{"date": date, "count": count} for date, count in found.activity.items()],
        "meta": _meta(started),
    }, 200


def _meta(started: float) -> dict[str, Any]:
    return {
        "type_colors": TYPE_COLOURS,
        "relation_colors": {name: colour_of(name) for name in PUBLIC},
        "query_time_ms": round((time.perf_counter() - started) * 1000, 2),
    }


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
