"""How domain objects look on the wire."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from automem.domain.classify import colour_of_type
from automem.domain.memory import Memory
from automem.domain.recall import Edge, Link, Neighbour, Recalled, Replacement, Step
from automem.domain.relation import colour_of, shown_as, strength_of
from automem.domain.tags import tag_prefixes
from automem.recall.explain import explanation
from automem.recall.scoring import evidence_of

SNIPPET_CHARACTERS = 157
TAGS_OF_A_NEIGHBOUR = 5


def memory_view(memory: Memory) -> dict[str, Any]:
    """Return a memory with all its fields; those without a value are left out."""
    view: dict[str, Any] = {
        **memory.extra,
        "id": memory.id,
        "content": memory.content,
        "type": memory.type,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "tags": list(memory.tags),
        "tag_prefixes": list(tag_prefixes(memory.tags)),
        "metadata": dict(memory.metadata),
        "timestamp": memory.timestamp,
        "updated_at": memory.updated_at,
        "last_accessed": memory.last_accessed,
        "t_valid": memory.t_valid,
        "t_invalid": memory.t_invalid,
        "summary": memory.summary,
        "archived": memory.archived or None,
        "relevance_score": memory.relevance_score,
    }
    return {name: value for name, value in view.items() if value is not None}


def summary_view(memory: Memory) -> dict[str, Any]:
    """Return the few fields by which a neighbour is shown."""
    view: dict[str, Any] = {
        "id": memory.id,
        "type": memory.type,
        "timestamp": memory.timestamp,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "tags": list(memory.tags[:TAGS_OF_A_NEIGHBOUR]),
    }
    if memory.summary:
        view["summary"] = memory.summary
    else:
        view["content"] = snippet(memory.content)
    return view


def snippet(text: str) -> str:
    """Return a text cut at a word, with an ellipsis when something is missing."""
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    cut = text[:SNIPPET_CHARACTERS].rsplit(" ", 1)[0]
    return f"{cut}…"


def step_view(step: Step) -> dict[str, Any]:
    """Return one edge of a path."""
    return {
        "from": step.origin,
        "to": step.target,
        "type": step.type,
        "strength": step.strength,
        "direction": step.direction,
    }


def edge_view(edge: Edge) -> dict[str, Any]:
    """Return an association with its own properties."""
    kind, properties = shown_as(edge.label, dict(edge.properties))
    return {
        **properties,
        "memory1_id": edge.source,
        "memory2_id": edge.target,
        "type": kind,
        "strength": strength_of(properties),
    }


def link_view(link: Link, seeds: Mapping[str, tuple[int, float]]) -> dict[str, Any]:
    """Return the edge that brought a memory, with its path from the seed and the seed's place and score."""
    last = link.last
    view = {
        **link.properties,
        "type": last.type,
        "strength": last.strength,
        "from": link.seed,
        "direction": last.direction,
        "hop": len(link.path),
        "path": [step_view(step) for step in link.path],
    }
    if link.seed in seeds:
        view["seed_rank"], view["seed_score"] = seeds[link.seed]
    return view


def neighbour_view(neighbour: Neighbour) -> dict[str, Any]:
    """Return an edge of a seed, with the memory at its far end."""
    step = neighbour.step
    return {
        **neighbour.properties,
        "type": step.type,
        "strength": step.strength,
        "direction": step.direction,
        "hop": 1,
        "path": [step_view(step)],
        "memory": summary_view(neighbour.memory),
    }


_BY_CHANNEL = frozenset({"vector", "keyword"})
_ORIGINAL = _BY_CHANNEL | {"metadata", "trending"}


def replacement_view(replacement: Replacement) -> dict[str, Any]:
    """Return the edge from a memory that is no longer true towards the one that stands in its place."""
    step = replacement.step
    return {
        **replacement.properties,
        "type": step.type,
        "strength": step.strength,
        "from": replacement.memory_id,
        "direction": step.direction,
        "hop": 1,
        "path": [step_view(step)],
    }


def result_view(result: Recalled, seeds: Mapping[str, tuple[int, float]], *, explain: bool = False) -> dict[str, Any]:
    """Return one recalled memory."""
    view: dict[str, Any] = {
        "id": result.memory.id,
        "match_type": result.match_type,
        "source": "qdrant" if result.match_type in _BY_CHANNEL else "graph",
        "match_score": result.match_score,
        "score": result.score,
        "final_score": result.score,
        "rank_score": result.rank_score,
        "score_components": {
            **result.components,
            "evidence": evidence_of(result.components),
            "relevance_gated": result.gated,
        },
        "memory": memory_view(result.memory),
        **_marks(result),
    }
    if result.links:
        view["relation_score"] = result.match_score
        view["relations"] = view["related_to"] = [link_view(link, seeds) for link in result.links]
    elif result.match_type == "state_replacement" and result.replaces is not None:
        view["relations"] = [replacement_view(result.replaces)]
    else:
        view["relations"] = [neighbour_view(neighbour) for neighbour in result.neighbours]
    if explain:
        view["explanation"] = explanation(result)
    return view


def _marks(result: Recalled) -> dict[str, Any]:
    """Return the keys that only some results have."""
    marks: dict[str, Any] = {}
    if result.match_type in _ORIGINAL:
        marks["original_score"] = result.match_score
    if result.shared:
        marks["expanded_from_entity"] = result.shared[0]
        marks["shared"] = list(result.shared)
    if result.deduped_from:
        marks["deduped_from"] = list(result.deduped_from)
    if result.replaces is not None:
        marks["state_replaces"] = result.replaces.memory_id
    if result.outside_scope:
        marks["outside_tag_scope"] = True
    return marks


def node_view(memory: Memory) -> dict[str, Any]:
    """Return a memory as a drawing shows it; radius and opacity follow importance and confidence."""
    return {
        "id": memory.id,
        "content": memory.content,
        "type": memory.type,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "tags": list(memory.tags),
        "timestamp": memory.timestamp,
        "color": colour_of_type(memory.type),
        "radius": 0.5 + 1.5 * memory.importance,
        "opacity": 0.4 + 0.6 * memory.confidence,
    }


def drawn_edge(edge: Edge) -> dict[str, Any]:
    """Return a stored edge as a drawing shows it."""
    kind, properties = shown_as(edge.label, dict(edge.properties))
    return {
        "id": f"{edge.source}-{kind}-{edge.target}",
        "source": edge.source,
        "target": edge.target,
        "type": kind,
        "strength": strength_of(properties),
        "color": colour_of(kind),
        "properties": properties,
    }


def drawn_edges(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Return edges as a drawing shows them, each once, in their stored direction."""
    edges: dict[str, dict[str, Any]] = {}
    for step in steps:
        source, target = (step.origin, step.target) if step.direction == "out" else (step.target, step.origin)
        key = f"{source}-{step.type}-{target}"
        edges[key] = {
            "id": key,
            "source": source,
            "target": target,
            "type": step.type,
            "strength": step.strength,
            "color": colour_of(step.type),
        }
    return list(edges.values())
