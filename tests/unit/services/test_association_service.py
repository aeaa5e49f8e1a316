"""Associations in bulk: one write per type, one edge per triple, each item's own fate."""

import pytest

from automem.errors import GraphRefused, GraphUnavailable, NotFound
from automem.services.associations import MISSING_MEMORIES, AssociationService, NewAssociation


class Edges:
    """Stands for the graph: knows some memories, refuses some types."""

    def __init__(self, known="abc", refused=(), error=None):
        self._known, self._refused, self._error = set(known), refused, error or GraphRefused("no")
        self.writes = []

    def merge(self, relation, edges, _now):
        self.writes.append((relation, list(edges)))
        if relation in self._refused:
            raise self._error
        return {edge.number for edge in edges if {edge.source, edge.target} <= self._known}


def new(first, second, relation="RELATES_TO", strength=0.5, **properties):
    return NewAssociation(first, second, relation, strength, properties)


def test_each_type_is_written_once_in_the_order_of_its_first_item():
    edges = Edges()
    items = {0: new("a", "b", "LEADS_TO"), 1: new("a", "c", "PART_OF"), 2: new("b", "c", "LEADS_TO")}
    assert AssociationService(edges).create_many(items) == {}
    assert [(relation, [edge.number for edge in written]) for relation, written in edges.writes] == [
        ("LEADS_TO", [0, 2]),
        ("PART_OF", [1]),
    ]


def test_of_items_for_one_edge_the_last_ones_values_are_written_and_all_succeed():
    edges = Edges()
    items = {0: new("a", "b", strength=0.1, reason="x"), 3: new("a", "b", strength=0.9), 4: new("b", "a", strength=0.2)}
    assert AssociationService(edges).create_many(items) == {}
    ((_, written),) = edges.writes
    assert {edge.number: edge.strength for edge in written} == {3: 0.9, 4: 0.2}
    assert "reason" not in written[0].properties


def test_items_for_one_missing_edge_share_their_fate():
    items = {0: new("a", "z"), 1: new("a", "b"), 2: new("a", "z")}
    assert AssociationService(Edges()).create_many(items) == {0: MISSING_MEMORIES, 2: MISSING_MEMORIES}


def test_a_type_that_the_graph_refuses_fails_alone():
    items = {0: new("a", "b", "LEADS_TO"), 1: new("a", "b", "PART_OF")}
    reason = "Failed to create association batch for relation type LEADS_TO"
    assert AssociationService(Edges(refused=["LEADS_TO"])).create_many(items) == {0: reason}


def test_an_outage_is_never_reported_as_the_fault_of_items():
    edges = Edges(refused=["PART_OF"], error=GraphUnavailable())
    with pytest.raises(GraphUnavailable):
        AssociationService(edges).create_many({0: new("a", "b", "LEADS_TO"), 1: new("a", "b", "PART_OF")})


def test_a_single_edge_to_nowhere_is_not_found():
    service = AssociationService(Edges())
    service.create(new("a", "b"))
    with pytest.raises(NotFound, match=r"^One or both memories do not exist$"):
        service.create(new("a", "z"))
