"""The relation names of the second dialect, held against the registry."""

import pytest

from automem.domain.dialect import DEFAULT_RELATIONS, NAME_OF, RELATION_OF, relations_of
from automem.domain.relation import AUTHORABLE, EXPANDED, REGISTRY


def test_every_relation_of_the_registry_has_a_name_of_its_own():
    assert set(NAME_OF) == set(REGISTRY)
    assert len(set(NAME_OF.values())) == len(REGISTRY)


def test_the_names_that_can_be_made_stand_for_authorable_relations():
    assert RELATION_OF == {
        "related_to": "RELATES_TO",
        "caused_by": "LEADS_TO",
        "part_of": "PART_OF",
        "references": "RELATES_TO",
        "contradicts": "CONTRADICTS",
        "supports": "REINFORCES",
        "derived_from": "DERIVED_FROM",
    }
    assert set(RELATION_OF.values()) <= set(AUTHORABLE)


def test_of_two_names_for_one_relation_the_first_is_shown():
    assert NAME_OF["RELATES_TO"] == "related_to"


@pytest.mark.parametrize("relation", REGISTRY)
def test_the_name_under_which_a_relation_is_shown_finds_it_again(relation):
    assert relation in relations_of(NAME_OF[relation])
    assert relations_of(relation) == (relation,)


@pytest.mark.parametrize(
    ("name", "relations"),
    [
        ("related_to", ("RELATES_TO", "SIMILAR_TO")),
        (" Caused_By ", ("LEADS_TO",)),
        ("leads_to", ("LEADS_TO",)),
        ("references", ("RELATES_TO",)),
        ("similar_to", ("SIMILAR_TO",)),
        ("knows", ()),
        ("", ()),
    ],
)
def test_names_of_either_dialect_are_read(name, relations):
    assert relations_of(name) == relations


def test_what_is_followed_by_default_includes_what_is_close_in_meaning():
    assert (*EXPANDED, "SIMILAR_TO") == DEFAULT_RELATIONS
