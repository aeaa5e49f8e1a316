"""The relation names of a second dialect, in which clients of another kind of memory speak."""

from __future__ import annotations

from types import MappingProxyType

from automem.domain.relation import EXPANDED, REGISTRY

RELATION_OF = MappingProxyType(
    {
        "related_to": "RELATES_TO",
        "caused_by": "LEADS_TO",
        "part_of": "PART_OF",
        "references": "RELATES_TO",
        "contradicts": "CONTRADICTS",
        "supports": "REINFORCES",
        "derived_from": "DERIVED_FROM",
    }
)
"""The relation that a connection of this name is, source to target; the source of `caused_by` is the cause."""

NAME_OF = MappingProxyType(
    {name: name.lower() for name in REGISTRY}
    | {relation: name for name, relation in reversed(tuple(RELATION_OF.items()))}
)
"""The name under which a relation is shown; one that has none of its own keeps its name in lower case."""

_FOUND_BY_MEANING = "SIMILAR_TO"
DEFAULT_RELATIONS = (*EXPANDED, _FOUND_BY_MEANING)
"""Relations followed unless told otherwise: what is close in meaning counts as related there."""


def relations_of(name: str) -> tuple[str, ...]:
    """Return the relations to follow for a name of either dialect, none for an unknown one."""
    key = name.strip().lower()
    if key == "related_to":
        return (RELATION_OF[key], _FOUND_BY_MEANING)
    relation = RELATION_OF.get(key, key.upper())
    return (relation,) if relation in REGISTRY else ()
