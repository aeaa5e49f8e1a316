"""Recall follows edges from what it found, from both ends, and says by which path it came."""

import pytest
from recall_cases import by_id, ids, weighted

from automem.domain.relation import REGISTRY

SYSTEM = {
    "SIMILAR_TO": {"score": 0.9},
    "PRECEDED_BY": {"count": 3},
    "DISCOVERED": {"confidence": 0.9, "kind": "explains"},
}


@pytest.fixture
def store(client, tag):
    """Store a memory that no question of another test finds."""
    return lambda text, **fields: client.store(f"{text} {tag}x", **fields)


@pytest.fixture
def seed(client, tag):
    return client.store(f"the {tag} question", tags=[f"scope-{tag}"])


@pytest.fixture
def expand(client, tag, seed):
    """Recall the seed alone, and what its edges bring."""

    def recall(**params):
        asked = {"limit": 1, "expand_relations": "true", "tags": f"scope-{tag}", **params}
        found = client.recall(f"{tag} question", **asked)
        assert found[0]["id"] == seed or params.get("sort")
        return found[1:]

    return recall


def draw(service, source, target, label, **properties):
    """Draw an edge that no client may author."""
    service.runner.write(
        f"MATCH (a:Memory {{id: $a}}) MATCH (b:Memory {{id: $b}}) CREATE (a)-[r:{label}]->(b) SET r = $properties",
        {"a": source, "b": target, "properties": {"updated_at": "2026-01-01T00:00:00+00:00", **properties}},
    )


# ---- which edges are followed


@pytest.mark.parametrize("relation", [name for name, kind in REGISTRY.items() if kind.authorable])
def test_an_edge_of_every_authored_type_is_followed_from_both_its_ends(client, tag, relation):
    first, second = client.store(f"{tag} apple"), client.store(f"{tag} zebra")
    client.associate(first, second, relation, 0.9)
    for near, far, word, direction in ((first, second, "apple", "out"), (second, first, "zebra", "in")):
        found = client.recall(f"{tag} {word}", limit=1, expand_relations="true", state_mode="history")
        assert ids(found) == [near, far]
        (relation_to_far,) = found[1]["relations"]
        assert (relation_to_far["type"], relation_to_far["direction"]) == (relation, direction)


@pytest.mark.parametrize("name", ["expand_relations", "expand_associations", "expand"])
@pytest.mark.parametrize(
    ("value", "followed"), [("true", True), ("YES", True), ("1", True), ("false", False), ("maybe", False)]
)
def test_edges_are_followed_only_when_asked(client, store, seed, tag, name, value, followed):
    other = store("other")
    client.associate(seed, other)
    found = client.recall(f"{tag} question", limit=1, **{name: value})
    assert ids(found) == ([seed, other] if followed else [seed])


@pytest.mark.parametrize("label", SYSTEM)
def test_system_edges_are_not_followed_unless_they_are_named(service, store, seed, expand, label):
    other = store("other")
    draw(service, seed, other, label, **SYSTEM[label])
    assert expand() == []
    assert ids(expand(expand_relation_types=label.lower())) == ([] if label == "DISCOVERED" else [other])


@pytest.mark.parametrize("label", ["DISCOVERED", "EXPLAINS", "SHARES_THEME", "PARALLEL_CONTEXT"])
@pytest.mark.parametrize(
    "params", [{}, {"expand_relation_types": "DISCOVERED"}, {"expand_relation_types": "DISCOVERED,LEADS_TO"}]
)
def test_edges_that_only_the_service_knows_are_never_shown(client, service, store, seed, tag, label, params):
    other = store("other")
    draw(service, seed, other, label, confidence=0.9, kind="explains")
    draw(service, other, seed, label, confidence=0.9, kind="explains")
    found = client.recall(f"{tag} question", limit=1, expand_relations="true", **params)
    assert ids(found) == [seed]
    assert found[0]["relations"] == []


def test_the_types_to_follow_can_be_narrowed(client, service, store, seed, expand):
    caused, part, similar = store("caused"), store("part"), store("similar")
    client.associate(seed, caused, "LEADS_TO")
    client.associate(part, seed, "PART_OF")
    draw(service, seed, similar, "SIMILAR_TO", score=0.95)
    assert set(ids(expand())) == {caused, part}
    assert ids(expand(expand_relation_types="leads_to")) == [caused]
    assert set(ids(expand(expand_relation_types="LEADS_TO, SIMILAR_TO"))) == {caused, similar}
    assert set(ids(expand(expand_relation_types=["LEADS_TO", "PART_OF"]))) == {caused, part}
    assert set(ids(expand(expand_relation_types="NO_SUCH_TYPE"))) == {caused, part}


# ---- limits and filters


def test_the_strongest_edges_are_followed_first(client, store, seed, expand):
    others = [store(f"other {n}") for n in range(8)]
    for n, other in enumerate(others):
        client.associate(*((seed, other) if n % 2 else (other, seed)), strength=0.1 * (n + 1))
    assert set(ids(expand(expand_depth=1))) == set(others[3:])
    assert set(ids(expand(expand_depth=1, relation_limit=2))) == set(others[6:])
    assert set(ids(expand(expand_depth=1, relation_limit=200))) == set(others)
    assert set(ids(expand(expand_depth=1, relation_limit=0))) == {others[7]}
    assert set(ids(expand(expand_depth=1, relation_limit="many"))) == set(others[3:])
    assert ids(expand(expand_depth=1, relation_limit=200, expansion_limit=1)) == [others[7]]
    assert set(ids(expand(expand_depth=1, relation_limit=200, relation_expansion_limit=3))) == set(others[5:])


def test_twenty_five_memories_are_added_at_most_unless_told_otherwise(client, store, seed, expand):
    others = [store(f"other {n}") for n in range(30)]
    pairs = [{"memory1_id": seed, "memory2_id": other} for other in others]
    client.post("/associate", {"associations": pairs})
    assert len(expand(relation_limit=200)) == 25
    assert len(expand(relation_limit=200, expansion_limit=30)) == 30
    assert len(expand(relation_limit=200, expansion_limit=0)) == 1


@pytest.mark.parametrize(
    ("strong", "params"),
    [
        ({"importance": 0.1}, {"expand_min_importance": 0.5}),
        ({"tags": ["spam:mail"]}, {"exclude_tags": "spam"}),
        ({"timestamp": "2001-01-01"}, {"start": "2010-01-01"}),
        ({"timestamp": "2190-01-01"}, {"end": "2180-01-01"}),
        ({"type": "MetaPattern"}, {}),
        ({}, {"expand_relation_types": "PART_OF"}),
        ({}, {"tags": "of-the-weak", "expand_respect_tags": "true"}),
    ],
)
def test_filters_come_before_the_limit_of_edges(client, tag, strong, params):
    seed = client.store(f"{tag} kingfisher", tags=["of-the-weak"])
    dropped = client.store("a strong neighbour", **strong)
    kept = client.store("a weak neighbour", importance=0.6, tags=["of-the-weak"])
    client.associate(seed, dropped, "LEADS_TO", 0.9)
    client.associate(seed, kept, "PART_OF", 0.1)
    asked = {"limit": 1, "expand_relations": "true", "expand_depth": 1, "relation_limit": 1, **params}
    assert ids(client.recall(f"{tag} kingfisher", **asked)) == [seed, kept]


@pytest.mark.parametrize(
    ("least", "count"),
    [("0", 4), ("0.0", 4), ("0.4", 3), ("0.5", 2), ("1", 1), ("7", 1), ("-1", 4), ("x", 4), ("nan", 4)],
)
def test_weaker_edges_than_the_minimum_are_not_followed(client, store, seed, expand, least, count):
    others = [store(f"other {n}") for n in range(4)]
    for other, strength in zip(others, (1.0, 0.5, 0.4, 0.1), strict=True):
        client.associate(seed, other, strength=strength)
    assert set(ids(expand(expand_min_strength=least))) == set(others[:count])


@pytest.mark.parametrize(("least", "count"), [("0", 3), ("0.5", 2), ("0.51", 1), ("2", 0), ("x", 3)])
def test_less_important_memories_than_the_minimum_are_not_added(client, store, seed, expand, least, count):
    others = [store(f"other {value}", importance=value) for value in (0.9, 0.5, 0.0)]
    for other in others:
        client.associate(seed, other)
    assert set(ids(expand(expand_min_importance=least))) == set(others[:count])


def test_the_minimum_importance_does_not_hold_for_seeds(client, tag):
    seed = client.store(f"{tag} heron", importance=0.1)
    assert ids(client.recall(f"{tag} heron", limit=1, expand_relations="true", expand_min_importance=0.9)) == [seed]


def test_tags_scope_the_seeds_and_expansions_only_when_asked(client, store, seed, tag, expand):
    inside, outside = store("inside", tags=[f"scope-{tag}:part"]), store("outside")
    client.associate(seed, inside, strength=0.9)
    client.associate(seed, outside, strength=0.8)
    assert set(ids(expand())) == {inside, outside}
    assert ids(expand(expand_respect_tags="true")) == [inside]
    assert ids(expand(expand_respect_tags="true", tag_match="exact")) == []


# ---- depth


@pytest.fixture
def chain(client, store, seed):
    """Four memories behind the seed, joined in alternating directions."""
    others = [store(f"link {n}", importance=0.8) for n in range(4)]
    previous = seed
    for n, other in enumerate(others):
        client.associate(*((previous, other) if n % 2 == 0 else (other, previous)), "LEADS_TO", 0.8)
        previous = other
    return others


@pytest.mark.parametrize(("depth", "reached"), [(None, 2), ("1", 1), ("2", 2), ("3", 3), ("0", 1), ("9", 3), ("x", 2)])
def test_depth_bounds_the_hops(expand, chain, depth, reached):
    params = {} if depth is None else {"expand_depth": depth}
    found = expand(**params)
    assert ids(found) == chain[:reached]
    assert [item["relations"][0]["hop"] for item in found] == list(range(1, reached + 1))


def test_the_path_from_the_seed_is_told(seed, expand, chain):
    relation = expand(expand_depth=3)[2]["relations"][0]
    assert relation["from"] == seed
    assert (relation["type"], relation["strength"], relation["hop"]) == ("LEADS_TO", 0.8, 3)
    assert relation["direction"] == "out"
    places = [seed, *chain[:3]]
    assert relation["path"] == [
        {"from": start, "to": end, "type": "LEADS_TO", "strength": 0.8, "direction": direction}
        for start, end, direction in zip(places, places[1:], ("out", "in", "out"), strict=False)
    ]
    assert expand(expand_depth=2)[1]["relations"][0]["direction"] == "in"


def test_a_circle_of_edges_ends(client, seed, expand, chain):
    client.associate(chain[0], seed)
    client.associate(chain[2], chain[0])
    found = expand(expand_depth=3)
    assert len(found) == len(set(ids(found)))
    assert seed not in ids(found)


# ---- what is told of each edge


def test_every_edge_that_reaches_a_memory_is_told_with_its_own_properties(client, tag):
    seeds = [client.store(f"{tag} pelican {n}", tags=[tag]) for n in range(2)]
    other = client.store("reached from everywhere", importance=0.5)
    client.associate(seeds[0], other, "PREFERS_OVER", 0.9, reason="cheaper", context="cloud")
    client.associate(other, seeds[0], "DERIVED_FROM", 0.3, transformation="summary")
    client.associate(seeds[1], other, "EXEMPLIFIES", 0.6, pattern_type="retry", confidence=0.4)
    found = client.recall(f"{tag} pelican", tags=tag, expand_relations="true")
    places = {item["id"]: (place, item["final_score"]) for place, item in enumerate(found) if item["id"] in seeds}
    told = {item["type"]: item for item in by_id(found)[other]["relations"]}
    assert set(told) == {"PREFERS_OVER", "DERIVED_FROM", "EXEMPLIFIES"}
    assert told["PREFERS_OVER"].items() >= {"reason": "cheaper", "context": "cloud", "direction": "out"}.items()
    assert told["DERIVED_FROM"].items() >= {"transformation": "summary", "direction": "in", "strength": 0.3}.items()
    assert told["EXEMPLIFIES"].items() >= {"pattern_type": "retry", "confidence": 0.4, "hop": 1}.items()
    for item in told.values():
        assert (item["seed_rank"], item["seed_score"]) == pytest.approx(places[item["from"]])


# ---- score


@pytest.mark.parametrize(("strength", "importance"), [(0.8, 0.5), (1.0, 1.0), (0.0, 0.9), (0.9, 0.0), (0.37, 0.73)])
def test_over_one_edge_the_relation_component_is_strength_times_importance(
    client, store, seed, expand, strength, importance
):
    client.associate(seed, store("other", importance=importance), strength=strength)
    (result,) = expand()
    assert result["score_components"]["relation"] == pytest.approx(strength * importance)
    assert result["relation_score"] == result["match_score"] == result["score_components"]["relation"]
    assert result["final_score"] == pytest.approx(weighted(result["score_components"]))


def test_edges_from_several_seeds_add_up_to_one_at_most(client, tag):
    seeds = [client.store(f"{tag} pelican {n}", tags=[tag]) for n in range(3)]
    some, much = client.store("some", importance=0.5), client.store("much", importance=1.0)
    for seed, strength in zip(seeds, (0.2, 0.4, 0.5), strict=True):
        client.associate(seed, some, strength=strength)
        client.associate(seed, much, strength=strength)
    found = by_id(client.recall(f"{tag} pelican", tags=tag, expand_relations="true"))
    assert found[some]["score_components"]["relation"] == pytest.approx((0.2 + 0.4 + 0.5) * 0.5)
    assert found[much]["score_components"]["relation"] == 1.0


def test_each_further_hop_counts_less(expand, chain):
    parts = [item["score_components"]["relation"] for item in expand(expand_depth=3)]
    assert parts == pytest.approx([0.8 * 0.8, 0.8 * 0.8 * 0.8 / 2, 0.8**3 * 0.8 / 4])


def test_an_edge_counted_above_one_counts_as_one(service, store, seed, expand):
    other = store("other", importance=0.7)
    draw(service, seed, other, "PRECEDED_BY", count=9)
    (result,) = expand(expand_relation_types="PRECEDED_BY")
    assert result["score_components"]["relation"] == pytest.approx(0.7)


def test_both_channels_speak_of_an_expanded_memory(client, tag, seed, store):
    other = store(f"an answer to the {tag} question")
    client.associate(seed, other)
    client.store(f"the {tag} question itself")
    found = by_id(client.recall(f"the {tag} question", tags=f"scope-{tag}", limit=1, expand_relations="true"))
    assert found[other]["score_components"]["vector"] > 0.3
    assert found[other]["score_components"]["keyword"] > 0.3


# ---- order


def own_score(result):
    """The score of a memory without what its edges add."""
    return result["final_score"] - 0.25 * result["score_components"]["relation"]


def test_an_expanded_memory_stands_under_its_seed_and_above_a_weaker_seed(client, tag):
    best = client.store(f"{tag} osprey nest survey", tags=[tag])
    weak = client.store("grocery list", tags=[tag], importance=0.0, timestamp="2001-01-01")
    brought = client.store("brought by an edge", importance=0.9)
    client.associate(best, brought, strength=1.0)
    asked = {"tags": tag, "expand_relations": "true"}
    merged = client.recall(f"{tag} osprey nest survey", **asked)
    assert ids(merged) == [best, brought, weak]
    ranks = [item["rank_score"] for item in merged]
    assert ranks == sorted(ranks, reverse=True)
    assert ids(client.recall(f"{tag} osprey nest survey", **asked, expand_rank="appended")) == [best, weak, brought]
    assert ids(client.recall(f"{tag} osprey nest survey", **asked, expand_rank="other")) == ids(merged)


def test_an_edge_never_lifts_a_memory_above_its_seed(client, tag):
    seed = client.store(f"{tag} osprey nest", tags=[tag], importance=0.0)
    near = client.store(f"{tag} osprey nest of a pair", importance=1.0, type="Note", timestamp="2001-01-01")
    client.associate(seed, near, strength=1.0)
    found = by_id(client.recall(f"{tag} osprey nest", tags=tag, expand_relations="true"))
    assert own_score(found[near]) < found[seed]["rank_score"] < found[near]["final_score"]
    assert found[near]["rank_score"] < found[seed]["rank_score"]


def test_a_memory_may_stand_above_its_seed_by_its_own_score(client, tag):
    seed = client.store("something loosely related", tags=[tag], importance=0.0, timestamp="2001-01-01")
    better = client.store(f"{tag} osprey nest survey", importance=1.0)
    client.associate(seed, better, strength=0.5)
    found = client.recall(f"{tag} osprey nest survey", tags=tag, expand_relations="true")
    assert ids(found) == [better, seed]
    assert own_score(found[0]) > found[1]["final_score"]


def test_limit_bounds_the_seeds_and_not_the_expansions(client, store, seed, expand):
    for n in range(4):
        client.associate(seed, store(f"other {n}"))
    assert len(expand()) == 4


def test_sorted_by_time_the_expansions_follow_the_seeds(client, tag):
    seed = client.store(f"{tag} curlew", tags=[tag], timestamp="2020-01-01")
    newer = client.store(f"{tag} curlew again", tags=[tag], timestamp="2021-01-01")
    brought = [client.store(f"brought {n}", timestamp=f"202{n}-06-01") for n in range(3)]
    for other in brought:
        client.associate(seed, other)
    found = client.recall(f"{tag} curlew", tags=tag, expand_relations="true", sort="time_desc")
    assert ids(found) == [newer, seed, *brought[::-1]]


def test_edges_are_followed_from_listed_memories_too(client, tag):
    seed, other = client.store("listed", tags=[tag]), client.store("joined")
    client.associate(other, seed)
    assert ids(client.recall("", tags=tag, expand_relations="true")) == [seed, other]


def test_an_edge_between_two_seeds_makes_no_second_result(client, tag):
    seeds = [client.store(f"{tag} gull {n}", tags=[tag]) for n in range(2)]
    client.associate(*seeds)
    found = client.recall(f"{tag} gull", tags=tag, expand_relations="true")
    assert sorted(ids(found)) == sorted(seeds)
    assert {item["match_type"] for item in found} == {"vector"}


def test_a_copy_that_stood_aside_for_its_equal_is_not_brought_back_by_an_edge(client, tag):
    copies = [client.store(f"{tag} said twice", tags=[tag]) for _ in range(2)]
    client.associate(*copies)
    (result,) = client.recall(f"{tag} said twice", tags=tag, expand_relations="true")
    assert result["deduped_from"] == sorted(copies)


def test_edges_of_a_copy_that_stood_aside_are_followed(client, tag):
    copies = [client.store(f"{tag} said twice", tags=[tag], importance=value) for value in (0.9, 0.1)]
    others = [client.store("behind the first"), client.store("behind the second")]
    for copy, other in zip(copies, others, strict=True):
        client.associate(copy, other)
    found = client.recall(f"{tag} said twice", tags=tag, expand_relations="true")
    assert found[0]["id"] == copies[0]
    assert set(ids(found)) == {copies[0], *others}


def test_a_strong_edge_outranks_a_weak_one(client, store, seed, expand):
    weak, strong = store("weak"), store("strong")
    client.associate(seed, weak, strength=0.1)
    client.associate(seed, strong, strength=0.95)
    assert ids(expand()) == [strong, weak]
