"""The relation registry, held against the published table."""

import pytest

from automem.domain import relation
from automem.domain.relation import REGISTRY, colour_of, labels_of, shown_as, strength_of

# name: (authorable, system, followed by default, public, colour, own properties)
TABLE = {
    "RELATES_TO": (True, False, True, True, "#94A3B8", ()),
    "LEADS_TO": (True, False, True, True, "#3B82F6", ()),
    "OCCURRED_BEFORE": (True, False, True, True, "#6B7280", ()),
    "PREFERS_OVER": (True, False, True, True, "#8B5CF6", ("context", "strength", "reason")),
    "EXEMPLIFIES": (True, False, True, True, "#10B981", ("pattern_type", "confidence")),
    "CONTRADICTS": (True, False, True, True, "#EF4444", ("resolution", "reason")),
    "REINFORCES": (True, False, True, True, "#22C55E", ("strength", "observations")),
    "INVALIDATED_BY": (True, False, True, True, "#F97316", ("reason", "timestamp")),
    "EVOLVED_INTO": (True, False, True, True, "#06B6D4", ("confidence", "reason")),
    "DERIVED_FROM": (True, False, True, True, "#A855F7", ("transformation", "confidence")),
    "PART_OF": (True, False, True, True, "#64748B", ("role", "context")),
    "SIMILAR_TO": (False, True, False, True, "#0EA5E9", ("score", "updated_at")),
    "PRECEDED_BY": (False, True, False, True, "#475569", ("count", "updated_at")),
    "DISCOVERED": (False, True, False, False, "#A1A1AA", ("kind", "confidence", "similarity", "updated_at", "origin")),
}


def test_the_registry_holds_these_types():
    assert list(REGISTRY) == list(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_each_type_is_as_published(name):
    kind = REGISTRY[name]
    assert (kind.authorable, kind.system, kind.expand, kind.public, kind.colour, kind.properties) == TABLE[name]
    assert kind.name == name
    assert kind.description


def test_the_lists_are_derived_and_sorted():
    assert list(relation.AUTHORABLE) == sorted(name for name, row in TABLE.items() if row[0])
    assert list(relation.EXPANDED) == sorted(name for name, row in TABLE.items() if row[2])
    assert list(relation.PUBLIC) == sorted(name for name, row in TABLE.items() if row[3])
    assert (len(relation.AUTHORABLE), len(relation.PUBLIC), len(REGISTRY)) == (11, 13, 14)
    assert "strength" not in relation.EDGE_PROPERTIES


def test_the_symmetric_types():
    assert {name for name, kind in REGISTRY.items() if kind.symmetric} == {"RELATES_TO", "CONTRADICTS", "SIMILAR_TO"}


def test_colours_are_distinct_and_only_those_of_public_types_are_told():
    assert len({kind.colour for kind in REGISTRY.values()}) == len(REGISTRY)
    assert colour_of("LEADS_TO") == "#3B82F6"
    assert colour_of("DISCOVERED") == colour_of("NO_SUCH_TYPE") == "#94A3B8"


@pytest.mark.parametrize("label", ["EXPLAINS", "SHARES_THEME", "PARALLEL_CONTEXT"])
def test_labels_of_older_stores_are_shown_as_discovered(label):
    assert shown_as(label, {"confidence": 0.5}) == ("DISCOVERED", {"confidence": 0.5, "kind": label.lower()})
    assert label in labels_of(("DISCOVERED",))
    assert label not in labels_of(("LEADS_TO",))
    assert label in relation.EDGE_LABELS


def test_other_labels_are_shown_as_they_are():
    assert shown_as("LEADS_TO", {"strength": 1.0}) == ("LEADS_TO", {"strength": 1.0})


@pytest.mark.parametrize(
    ("properties", "strength"),
    [
        ({"strength": 0.2, "score": 0.9}, 0.2),
        ({"score": 0.9, "confidence": 0.3}, 0.9),
        ({"confidence": 0.3, "similarity": 0.8}, 0.3),
        ({"similarity": 0.8, "count": 4}, 0.8),
        ({"count": 4}, 4.0),
        ({"strength": 0}, 0.0),
        ({"strength": "strong", "score": 0.4}, 0.4),
        ({"strength": None, "score": 0.4}, 0.4),
        ({"strength": True}, 0.0),
        ({}, 0.0),
    ],
)
def test_the_strength_of_an_edge_is_the_first_number_among_its_sources(properties, strength):
    assert strength_of(properties) == strength
