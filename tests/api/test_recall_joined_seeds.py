"""With expansion, a seed that an edge joins to a better one stands nearer to it."""

import pytest
from recall_cases import by_id, client_with, ids


@pytest.fixture
def seeds(client, tag):
    """Three seeds, the first one best, the last one hardly about the question."""
    texts = ["the osprey nest survey", "the osprey in flight", "a bird"]
    return [client.store(text, tags=[tag], importance=0.5) for text in texts]


@pytest.fixture
def recall(client, tag):
    def get(caller=client, **params):
        return caller.recall("the osprey nest survey", **{"tags": tag, "expand_relations": "true", **params})

    return get


def test_an_edge_to_a_better_seed_lifts_a_seed_over_another(client, recall, seeds):
    assert ids(recall()) == seeds
    client.associate(seeds[2], seeds[0], "PART_OF", 1.0)
    found = recall()
    assert ids(found) == [seeds[0], seeds[2], seeds[1]]
    ranks = [item["rank_score"] for item in found]
    assert ranks == sorted(ranks, reverse=True)
    lifted = by_id(found)[seeds[2]]
    assert lifted["final_score"] < lifted["rank_score"] <= 0.97 * found[0]["final_score"]
    for other in (seeds[0], seeds[1]):
        assert by_id(found)[other]["rank_score"] == by_id(found)[other]["final_score"]


@pytest.mark.parametrize(
    "params",
    [
        {"expand_relations": "false"},
        {"expand_relations": "false", "expand_entities": "true"},
        {"expand_min_strength": "1", "expand_relation_types": "PART_OF"},
        {"expand_relation_types": "LEADS_TO"},
        {"expand_rank": "appended"},
        {"sort": "time_asc"},
    ],
)
def test_nothing_is_lifted_where_the_edge_is_not_followed_or_the_order_is_another(client, recall, seeds, params):
    client.associate(seeds[2], seeds[0], "PART_OF", 0.9)
    found = recall(**params)
    assert [item for item in ids(found) if item in seeds] == seeds
    assert all(item["rank_score"] == item["final_score"] for item in found if item["id"] in seeds)


def test_a_system_edge_lifts_where_it_is_named(client, service, recall, seeds):
    service.runner.write(
        "MATCH (a:Memory {id: $a}) MATCH (b:Memory {id: $b}) CREATE (a)-[:SIMILAR_TO {score: 1.0}]->(b)",
        {"a": seeds[0], "b": seeds[2]},
    )
    assert ids(recall()) == seeds
    assert ids(recall(expand_relation_types="SIMILAR_TO")) == [seeds[0], seeds[2], seeds[1]]


def test_edges_of_both_directions_and_several_of_them_lift_once(client, recall, seeds):
    client.associate(seeds[0], seeds[2], "LEADS_TO", 1.0)
    once = by_id(recall())[seeds[2]]["rank_score"]
    client.associate(seeds[2], seeds[0], "PART_OF", 0.4)
    assert by_id(recall())[seeds[2]]["rank_score"] == pytest.approx(once, abs=1e-4)


def test_the_rule_can_be_switched_off(client, settings, service, recall, seeds):
    client.associate(seeds[2], seeds[0], "PART_OF", 1.0)
    rules = tuple(name for name in settings.recall_rules if name != "under_seed")
    without = client_with(client, settings, service, recall_rules=rules)
    assert ids(recall(without)) == seeds
