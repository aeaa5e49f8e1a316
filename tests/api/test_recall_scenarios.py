"""Whole stories: what a client stores, and what recall makes of it."""

import pytest
from recall_cases import by_id, ids, store_many


def test_two_memories_that_contradict_each_other_are_both_recalled_and_show_it(client, tag):
    meat = client.store("Ingrid eats meat", tags=[tag], timestamp="2024-01-01")
    none = client.store("Ingrid eats no meat at all", tags=[tag], timestamp="2025-01-01")
    client.associate(meat, none, "CONTRADICTS", 0.9, resolution="ask her")
    found = by_id(client.recall("does Ingrid eat meat", tags=tag))
    assert set(found) == {meat, none}
    (relation,) = found[meat]["relations"]
    assert (relation["type"], relation["resolution"], relation["memory"]["id"]) == ("CONTRADICTS", "ask her", none)
    newest = client.recall("does Ingrid eat meat now", tags=tag, recency_bias="auto")[0]
    assert newest["id"] == none


def test_a_contradiction_that_was_settled_leaves_what_holds(client, tag):
    meat = client.store("Ingrid eats meat", tags=[tag])
    none = client.store("Ingrid eats no meat at all", tags=[tag])
    client.associate(meat, none, "CONTRADICTS", 0.9)
    client.associate(meat, none, "INVALIDATED_BY", 0.95)
    assert ids(client.recall("does Ingrid eat meat", tags=tag, expand_relations="true")) == [none]


def test_a_fact_that_changed_five_times_is_answered_with_its_last_version(client, tag):
    towns = ["Oslo", "Bergen", "Tromsø", "Bodø", "Narvik", "Hamar"]
    versions = [client.store(f"The office is in {towns[0]}", tags=[tag])]
    for town in towns[1:]:
        versions.append(client.store(f"The office is in {town}", tags=[tag], supersedes=versions[-1]))
    (result,) = client.recall("is the office in Oslo", tags=tag)
    assert result["memory"]["content"] == "The office is in Hamar"
    history = client.recall("is the office in Oslo", tags=tag, state_mode="history", limit=10, adaptive_floor="off")
    assert set(ids(history)) == set(versions)
    assert history[0]["memory"]["content"] == "The office is in Oslo"


def test_three_edges_lead_from_the_question_to_the_answer(client, tag):
    person = client.store(f"Wendla{tag} plays in a band")
    band = client.store("the band rehearses in a barn")
    barn = client.store("the barn belongs to a farmer")
    farmer = client.store("the farmer grows hops")
    for one, other, relation in ((person, band, "PART_OF"), (band, barn, "RELATES_TO"), (barn, farmer, "DERIVED_FROM")):
        client.associate(one, other, relation, 0.9)
    found = client.recall(f"Wendla{tag}", limit=1, expand_relations="true", expand_depth=3)
    assert ids(found) == [person, band, barn, farmer]
    steps = found[3]["relations"][0]["path"]
    assert [step["type"] for step in steps] == ["PART_OF", "RELATES_TO", "DERIVED_FROM"]


# ---- a hub


@pytest.fixture(scope="module")
def hub(client):
    """A memory with five hundred edges, the stronger the later, and one memory that leads to it."""
    middle = client.store("the central station")
    around = store_many(client, [f"street number {n}" for n in range(500)])
    pairs = [{"memory1_id": middle, "memory2_id": other, "strength": 0.3 + n / 1000} for n, other in enumerate(around)]
    assert client.post("/associate", {"associations": pairs}).status_code == 201
    door = client.store("zyzzyva")
    client.associate(door, middle, "LEADS_TO", 1.0)
    return door, middle, around


def test_a_hub_brings_its_strongest_edges_only(client, hub):
    door, middle, around = hub
    asked = {"limit": 1, "expand_relations": "true", "expand_depth": 1}
    found = ids(client.recall("the central station", **asked))
    assert set(found) == {middle, door, *around[-4:]}
    found = ids(client.recall("the central station", **asked, relation_limit=200, expansion_limit=150))
    assert set(found) == {middle, door, *around[-149:]}


def test_behind_a_hub_a_few_memories_are_brought_and_none_above_its_own_way(client, hub):
    door, middle, around = hub
    found = client.recall("zyzzyva", limit=1, expand_relations="true")
    assert ids(found)[:2] == [door, middle]
    assert set(ids(found)[2:]) == set(around[-5:])
    ranks = [result["rank_score"] for result in found]
    assert ranks == sorted(ranks, reverse=True)


def test_a_hub_costs_no_further_round_trip(client, service, hub):
    def cost(**limits):
        before = service.runner.round_trips, service.vectors.round_trips
        client.recall("the central station", expand_relations="true", limit=1, **limits)
        return service.runner.round_trips - before[0], service.vectors.round_trips - before[1]

    assert cost(relation_limit=1) == cost() == cost(relation_limit=200, expansion_limit=500)
