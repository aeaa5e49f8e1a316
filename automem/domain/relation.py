"""The relation registry: every type of edge between two memories, from which all lists and rules are derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class RelationType:
    """One type of edge.

    Attributes:
        name: the edge label, also its name on the wire.
        description: what the edge says of memory1 and memory2, in that direction.
        colour: `#RRGGBB` for drawings.
        properties: the properties a client may set on it, besides `strength`.
        authorable: clients may create it.
        system: background work creates it.
        public: it is listed to clients.
        expand: recall follows it unless told otherwise.
        symmetric: it says the same in both directions.
    """

    name: str
    description: str
    colour: str
    properties: tuple[str, ...] = ()
    authorable: bool = True
    system: bool = False
    public: bool = True
    expand: bool = True
    symmetric: bool = False


def _system(name: str, description: str, colour: str, *properties: str, symmetric: bool = False) -> RelationType:
    return RelationType(
        name,
        description,
        colour,
        properties,
        authorable=False,
        system=True,
        public=name != "DISCOVERED",
        expand=False,
        symmetric=symmetric,
    )


_TYPES = (
    RelationType("RELATES_TO", "the two are connected in some way", "#94A3B8", symmetric=True),
    RelationType("LEADS_TO", "the first causes or results in the second", "#3B82F6"),
    RelationType("OCCURRED_BEFORE", "the first happened before the second", "#6B7280"),
    RelationType("PREFERS_OVER", "the first was chosen over the second", "#8B5CF6", ("context", "strength", "reason")),
    RelationType("EXEMPLIFIES", "the first is an example of the second", "#10B981", ("pattern_type", "confidence")),
    RelationType("CONTRADICTS", "the two cannot both hold", "#EF4444", ("resolution", "reason"), symmetric=True),
    RelationType("REINFORCES", "the first is evidence for the second", "#22C55E", ("strength", "observations")),
    RelationType(
        "INVALIDATED_BY", "the first is out of date; the second replaces it", "#F97316", ("reason", "timestamp")
    ),
    RelationType("EVOLVED_INTO", "the first became the second", "#06B6D4", ("confidence", "reason")),
    RelationType("DERIVED_FROM", "the first was made from the second", "#A855F7", ("transformation", "confidence")),
    RelationType("PART_OF", "the first is a part of the second", "#64748B", ("role", "context")),
    _system(
        "SIMILAR_TO", "the texts of the two are close in meaning", "#0EA5E9", "score", "updated_at", symmetric=True
    ),
    _system("PRECEDED_BY", "the second was recorded shortly before the first", "#475569", "count", "updated_at"),
    _system(
        "DISCOVERED",
        "consolidation noticed a connection",
        "#A1A1AA",
        "kind",
        "confidence",
        "similarity",
        "updated_at",
        "origin",
    ),
)

REGISTRY = MappingProxyType({relation.name: relation for relation in _TYPES})
DEFAULT_RELATION = "RELATES_TO"
DEFAULT_STRENGTH = 0.5

AUTHORABLE = tuple(sorted(name for name, relation in REGISTRY.items() if relation.authorable))
PUBLIC = tuple(sorted(name for name, relation in REGISTRY.items() if relation.public))
EXPANDED = tuple(sorted(name for name, relation in REGISTRY.items() if relation.expand))

SUPERSEDING = ("INVALIDATED_BY", "EVOLVED_INTO")

LEGACY_KINDS = MappingProxyType(
    {"EXPLAINS": "explains", "SHARES_THEME": "shares_theme", "PARALLEL_CONTEXT": "parallel_context"}
)
"""Edge labels of older stores, shown as DISCOVERED with this `kind`."""

EDGE_LABELS = (*REGISTRY, *LEGACY_KINDS)
"""Every label that an edge between two memories can have."""

EDGE_PROPERTIES = tuple(sorted({name for relation in _TYPES for name in relation.properties} - {"strength"}))
STRENGTH_SOURCES = ("strength", "score", "confidence", "similarity", "count")
"""Edge properties that say how strong an edge is; the first one present counts."""


def labels_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the edge labels to match for these relation types; DISCOVERED includes the labels of older stores."""
    if "DISCOVERED" in names:
        return (*names, *LEGACY_KINDS)
    return names


def shown_as(label: str, properties: dict[str, object]) -> tuple[str, dict[str, object]]:
    """Return the type and own properties under which an edge with this label is shown to clients."""
    if label in LEGACY_KINDS:
        return "DISCOVERED", {**properties, "kind": LEGACY_KINDS[label]}
    return label, properties


def strength_of(properties: Mapping[str, object]) -> float:
    """Return an edge's strength, the first number among STRENGTH_SOURCES, else 0; `count` can exceed 1."""
    for name in STRENGTH_SOURCES:
        value = properties.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    return 0.0


COLOUR_OF_UNKNOWN = "#94A3B8"


def colour_of(name: str) -> str:
    """Return the colour of a public relation type, a neutral one for any other."""
    relation = REGISTRY.get(name)
    return relation.colour if relation is not None and relation.public else COLOUR_OF_UNKNOWN
