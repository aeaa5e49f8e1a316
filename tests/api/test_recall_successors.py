"""A memory that is no longer true is replaced by the true one at the end of its chain of successors."""

from itertools import pairwise

import pytest
from recall_cases import by_id, client_without_embedder, ids, store_many

PAST, FUTURE = "2020-05-05T00:00:00Z", "2190-01-01T00:00:00Z"

# ---- chains, and ways to draw them


def by_supersedes(client, texts, **fields):
    chain = [client.store(texts[0], **fields)]
    for text in texts[1:]:
        chain.append(client.store(text, supersedes=chain[-1], **fields))
    return chain


def by_evolution(client, texts, **fields):
    return by_edges(client, texts, ["EVOLVED_INTO"] * 9, **fields)


def by_invalidation(client, texts, **fields):
    return by_edges(client, texts, ["INVALIDATED_BY"] * 9, **fields)


def by_both_edges(client, texts, **fields):
    return by_edges(client, texts, ["INVALIDATED_BY", "EVOLVED_INTO"] * 5, **fields)


def by_edges(client, texts, labels, **fields):
    chain = [client.store(text, **fields) for text in texts]
    for label, (older, newer) in zip(labels, pairwise(chain), strict=False):
        client.associate(older, newer, label)
    return chain


def first_by_an_edge_then_by_supersedes(client, texts, **fields):
    chain = by_invalidation(client, texts[:2], **fields)
    for text in texts[2:]:
        chain.append(client.store(text, supersedes=chain[-1], supersede_relation="EVOLVED_INTO", **fields))
    return chain


WAYS = [by_supersedes, by_evolution, by_invalidation, by_both_edges, first_by_an_edge_then_by_supersedes]
EVERY_WAY = pytest.mark.parametrize("draw", WAYS, ids=lambda draw: draw.__name__)
LENGTHS = pytest.mark.parametrize("links", [1, 2, 3, 4, 5])


def texts(links, last="the answer lies elsewhere"):
    """The links say what a question asks for; their last memory shares no word with it."""
    return [*(f"the ferry timetable, edition {n}" for n in range(links)), last]


@pytest.fixture(scope="module")
def words_only(client, settings, service):
    return client_without_embedder(client, settings, service)


@pytest.fixture
def shown(client, tag):
    """Recall by meaning and words, and return each result as (id, what it replaces)."""

    def recall(query="ferry timetable", caller=client, **params):
        return [(item["id"], item.get("state_replaces")) for item in caller.recall(query, **{"tags": tag, **params})]

    return recall


# ---- on every channel


@LENGTHS
@EVERY_WAY
def test_the_head_of_a_chain_stands_for_all_before_it(client, shown, tag, draw, links):
    chain = draw(client, texts(links), tags=[tag])
    ((found, replaced),) = shown()
    assert found == chain[-1]
    assert replaced in chain[:-1]


@LENGTHS
@EVERY_WAY
def test_a_head_is_met_by_the_words_of_what_it_replaces_alone(client, words_only, tag, draw, links):
    chain = draw(client, texts(links), tags=[tag])
    (result,) = words_only.recall("ferry timetable", tags=tag)
    assert (result["id"], result["match_type"]) == (chain[-1], "state_replacement")
    assert result["state_replaces"] in chain[:-1]
    assert result["score_components"]["keyword"] == 1.0


@LENGTHS
@EVERY_WAY
def test_a_listing_holds_the_head_alone(client, tag, draw, links):
    chain = draw(client, texts(links), tags=[tag])
    assert ids(client.recall("", tags=tag)) == chain[-1:]


@LENGTHS
@EVERY_WAY
def test_history_holds_them_all(client, shown, tag, draw, links):
    chain = draw(client, texts(links), tags=[tag])
    for query in ("ferry timetable", ""):
        found = shown(query, state_mode="history", limit=20, adaptive_floor="off")
        assert sorted(found) == sorted((memory_id, None) for memory_id in chain)


@pytest.mark.parametrize("depth", [1, 2, 3])
@LENGTHS
@EVERY_WAY
def test_an_edge_to_the_first_of_a_chain_brings_its_head(client, tag, draw, links, depth):
    seed = client.store(f"{tag} pier")
    chain = draw(client, texts(links))
    client.associate(seed, chain[0], "LEADS_TO", 0.9)
    asked = {"limit": 1, "expand_relations": "true", "expand_depth": depth}
    found = client.recall(f"{tag} pier", **asked)
    assert [(item["id"], item.get("state_replaces")) for item in found] == [(seed, None), (chain[-1], chain[0])]
    assert found[1]["match_type"] == "state_replacement"
    (relation,) = found[1]["relations"]
    assert (relation["type"], relation["from"], relation["hop"]) == ("LEADS_TO", seed, 1)
    assert relation["path"][0]["to"] == chain[0]
    assert found[1]["score_components"]["relation"] == pytest.approx(0.9 * 0.5)


@LENGTHS
@EVERY_WAY
def test_a_shared_name_brings_the_head_of_a_chain(client, tag, draw, links):
    seed = client.store(f"{tag} pier", tags=[f"pier-{tag}"])
    chain = draw(client, [f"Zenobia{tag} said so", *texts(links)[1:]])
    client.patch(f"/memory/{chain[0]}", {"tags": [f"pier-{tag}"]})
    found = client.recall(f"{tag} pier", limit=1, expand_entities="true")
    assert [(item["id"], item.get("state_replaces")) for item in found] == [(seed, None), (chain[-1], chain[0])]
    assert found[1]["match_type"] == "state_replacement"
    assert found[1]["shared"] == [f"pier-{tag}"]


def test_more_links_than_five_are_not_followed_and_the_answer_holds_what_is_near_enough(client, tag):
    seed = client.store(f"{tag} pier")
    chain = by_evolution(client, texts(7))
    client.associate(seed, chain[0], strength=0.9)
    assert ids(client.recall(f"{tag} pier", limit=1, expand_relations="true", expand_depth=1)) == [seed]
    client.associate(seed, chain[2], strength=0.5)
    assert ids(client.recall(f"{tag} pier", limit=1, expand_relations="true", expand_depth=1)) == [seed, chain[-1]]


# ---- provenance and score


def test_a_replacement_tells_what_it_replaces_and_by_which_edge(client, tag):
    old, new = client.store("ferry timetable", tags=[tag]), client.store("sails at noon", tags=[tag])
    client.associate(old, new, "INVALIDATED_BY", 0.85, reason="new owner")
    (result,) = client.recall("ferry timetable", tags=tag)
    assert (result["id"], result["memory"]["id"], result["memory"]["content"]) == (new, new, "sails at noon")
    assert (result["match_type"], result["source"], result["state_replaces"]) == ("state_replacement", "graph", old)
    assert "original_score" not in result
    (relation,) = result["relations"]
    assert relation.items() >= {
        "type": "INVALIDATED_BY", "strength": 0.85, "from": old, "direction": "out", "hop": 1, "reason": "new owner",
    }.items()  # fmt: skip
    assert relation["path"] == [
        {"from": old, "to": new, "type": "INVALIDATED_BY", "strength": 0.85, "direction": "out"}
    ]


def test_over_a_chain_the_first_edge_is_told(client, tag):
    chain = by_both_edges(client, texts(3), tags=[tag])
    results = client.recall("edition 0", tags=tag)
    (relation,) = results[0]["relations"]
    place = chain.index(results[0]["state_replaces"])
    assert (relation["from"], relation["path"][0]["to"]) == (chain[place], chain[place + 1])
    assert relation["type"] == ("INVALIDATED_BY", "EVOLVED_INTO")[place % 2]


def test_a_replacement_stands_in_place_with_the_score_of_what_it_replaces(client, tag):
    best, old, last = store_many(
        client, ["ferry timetable of spring", "ferry timetable in draft form", "a ferry"], tags=[tag]
    )
    new = client.store("sails at noon", tags=[tag], importance=0.0, timestamp="2001-01-01")
    client.associate(old, new, "EVOLVED_INTO")
    asked = {"query": "ferry timetable of spring", "tags": tag, "adaptive_floor": "off"}
    before = by_id(client.recall(**asked, state_mode="history"))
    assert list(before) == [best, old, last, new]
    after = by_id(client.recall(**asked))
    assert list(after) == [best, new, last]
    assert after[new]["final_score"] == pytest.approx(before[old]["final_score"], abs=1e-4)
    assert after[new]["score_components"] == pytest.approx(before[old]["score_components"], abs=1e-4)


def test_a_head_that_was_found_itself_is_one_result_with_the_better_score(client, shown, tag):
    weak, strong = client.store("ferry", tags=[tag]), client.store("ferry timetable", tags=[tag])
    client.associate(weak, strong, "EVOLVED_INTO")
    assert shown() == [(strong, None)]
    other = client.store("a ferry in passing", tags=[tag])
    client.associate(strong, other, "EVOLVED_INTO")
    assert shown() == [(other, strong)]


@pytest.mark.parametrize("expand", [{"expand_relations": "true"}, {"expand_entities": "true"}])
def test_a_head_that_is_a_seed_is_not_brought_again(client, tag, expand):
    old = client.store("the former rule", tags=[f"rule-{tag}"])
    head = client.store(f"{tag} ferry rule", tags=[f"rule-{tag}"])
    client.associate(old, head, "INVALIDATED_BY")
    assert ids(client.recall(f"{tag} ferry rule", limit=1, **expand)) == [head]


def test_a_head_that_two_edges_lead_to_is_one_result(client, tag):
    seed = client.store(f"{tag} pier")
    olds = [client.store(f"former rule {n}") for n in range(2)]
    head = client.store("the rule")
    for old, strength in zip(olds, (0.4, 0.8), strict=True):
        client.associate(seed, old, strength=strength)
        client.associate(old, head, "INVALIDATED_BY")
    found = client.recall(f"{tag} pier", limit=1, expand_relations="true")
    assert [(item["id"], item.get("state_replaces")) for item in found] == [(seed, None), (head, olds[1])]


def test_a_head_that_an_edge_reaches_itself_counts_by_the_nearer_way(client, tag):
    seed, old, head = client.store(f"{tag} pier"), client.store("the former rule"), client.store("the rule")
    client.associate(old, head, "INVALIDATED_BY")
    client.associate(seed, old, strength=0.5)
    client.associate(seed, head, strength=0.9)
    (_, result) = client.recall(f"{tag} pier", limit=1, expand_relations="true")
    assert (result["id"], result["match_type"], "state_replaces" in result) == (head, "relation", False)
    client.associate(seed, old, strength=1.0)
    (_, result) = client.recall(f"{tag} pier", limit=1, expand_relations="true")
    assert (result["id"], result["match_type"], result["state_replaces"]) == (head, "state_replacement", old)


# ---- which successor


def test_of_several_successors_the_newest_edge_to_a_true_one_counts(client, service, shown, tag):
    old = client.store("ferry timetable", tags=[tag])
    first, second = (client.store(f"successor {n}", tags=[f"{tag}:later"]) for n in (1, 2))
    client.associate(old, first, "INVALIDATED_BY")
    client.associate(old, second, "EVOLVED_INTO")
    assert shown(limit=1) == [(second, old)]
    client.associate(old, first, "INVALIDATED_BY")
    assert shown(limit=1) == [(first, old)]
    client.patch(f"/memory/{first}", {"t_invalid": PAST})
    assert shown(limit=1) == [(second, old)]


def test_a_successor_that_is_not_true_leads_on(client, shown, tag):
    chain = by_evolution(client, texts(3), tags=[tag])
    for memory_id in chain[1:3]:
        client.patch(f"/memory/{memory_id}", {"t_invalid": PAST})
    ((found, replaced),) = shown("ferry timetable edition 0")
    assert (found, replaced in chain[:3]) == (chain[3], True)


def test_a_chain_that_leads_to_nothing_true_suppresses_nothing(client, shown, tag):
    chain = by_evolution(client, texts(3), tags=[tag])
    for memory_id in chain[1:]:
        client.patch(f"/memory/{memory_id}", {"t_invalid": PAST})
    for query in ("ferry timetable", ""):
        assert shown(query) == [(chain[0], None)]


def test_a_successor_may_itself_be_replaced_over_one_that_is_closed(client, shown, tag):
    rule, interim, closed = by_invalidation(client, texts(2, "ferry interim"), tags=[tag])
    last = client.store("sails at noon", tags=[tag], supersedes=closed)
    for query in ("ferry timetable", ""):
        assert {found for found, _ in shown(query)} == {last}
    assert {rule, interim, closed}.isdisjoint(found for found, _ in shown())


# ---- the head must be allowed


def archive(client, service, memory_id):
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.archived = true", {"id": memory_id})


@pytest.mark.parametrize(
    ("fields", "params"),
    [
        ({"tags": ["elsewhere"]}, {}),
        ({"tags": ["{tag}", "spam:x"]}, {"exclude_tags": "spam"}),
        ({"timestamp": "2001-01-01"}, {"start": "2019-01-01"}),
        ({}, {"end": "2021-01-01"}),
        ({"type": "MetaPattern"}, {}),
    ],
)
@pytest.mark.parametrize("query", ["ferry timetable", ""])
def test_a_head_that_a_filter_leaves_out_is_not_shown_and_neither_is_what_it_replaces(
    client, shown, tag, fields, params, query
):
    old, other = store_many(
        client, ["ferry timetable", "ferry timetable of another island"], tags=[tag], timestamp="2020-01-01"
    )
    tags = [name.replace("{tag}", tag) for name in fields.get("tags", ["{tag}"])]
    client.associate(old, client.store("sails at noon", **{**fields, "tags": tags}), "INVALIDATED_BY")
    assert shown(query, **params) == [(other, None)]


@pytest.mark.parametrize(
    ("fields", "params"),
    [
        ({"tags": ["spam:x"]}, {"exclude_tags": "spam"}),
        ({"timestamp": "2001-01-01"}, {"start": "2020-01-01"}),
        ({"type": "MetaPattern"}, {}),
        ({"importance": 0.2}, {"expand_min_importance": "0.4"}),
        ({}, {"tags": "user:{tag}", "expand_respect_tags": "true"}),
    ],
)
@pytest.mark.parametrize("expand", ["expand_relations", "expand_entities"])
def test_a_head_that_a_filter_leaves_out_is_not_brought(client, tag, fields, params, expand):
    shared = {"tags": [f"pier-{tag}", f"user:{tag}"], "importance": 0.6}
    seed = client.store(f"{tag} pier", **shared)
    heads = [client.store("the rule", tags=[f"user:{tag}"]), client.store("another rule", **fields)]
    for number, head in enumerate(heads):
        old = client.store(f"former rule {number}", **shared)
        client.associate(seed, old)
        client.associate(old, head, "INVALIDATED_BY")
    params = {name: value.replace("{tag}", tag) for name, value in params.items()}
    asked = {"limit": 1, expand: "true", "expand_depth": 1, **params}
    assert ids(client.recall(f"{tag} pier", **asked)) == [seed, heads[0]]


def test_an_archived_head_is_not_shown(client, service, shown, tag):
    old, head = by_invalidation(client, texts(1), tags=[tag])
    archive(client, service, head)
    assert shown() == [(old, None)]


def test_with_a_closed_memory_and_no_true_successor_nothing_is_shown(client, service, shown, tag):
    _, head = by_supersedes(client, texts(1), tags=[tag])
    archive(client, service, head)
    assert shown() == []


def test_a_successor_of_tomorrow_replaces_nothing_today(client, shown, tag):
    old = client.store("ferry timetable", tags=[tag])
    client.store("sails at noon", tags=[tag], supersedes=old, t_valid=FUTURE)
    assert shown() == [(old, None)]


# ---- limits


@pytest.mark.parametrize("query", ["ferry timetable", ""])
def test_replacements_count_towards_the_limit_and_the_answer_is_full(client, shown, tag, query):
    old = store_many(client, [f"ferry timetable {n}" for n in range(30)], tags=[tag], importance=0.9)
    head = client.store("sails at noon", tags=[tag])
    pairs = [{"memory1_id": memory_id, "memory2_id": head, "type": "EVOLVED_INTO"} for memory_id in old]
    assert client.post("/associate", {"associations": pairs}).status_code == 201
    others = store_many(client, [f"ferry {n}" for n in range(6)], tags=[tag], importance=0.1)
    found = [memory_id for memory_id, _ in shown(query, limit=5, adaptive_floor="off")]
    assert len(found) == 5
    assert head in found
    assert set(found) <= {head, *others}


def test_what_was_replaced_comes_last_within_the_limit_of_edges(client, tag):
    seed = client.store(f"{tag} pier")
    old, head, true = client.store("the former rule"), client.store("the rule"), client.store("a weak neighbour")
    client.associate(old, head, "INVALIDATED_BY")
    client.associate(seed, old, strength=0.9)
    client.associate(seed, true, strength=0.1)
    asked = {"limit": 1, "expand_relations": "true", "expand_depth": 1}
    assert ids(client.recall(f"{tag} pier", **asked, relation_limit=1)) == [seed, true]
    assert ids(client.recall(f"{tag} pier", **asked, relation_limit=2)) == [seed, head, true]


# ---- what is told


def test_replacements_are_counted(client, tag):
    chain = by_both_edges(client, texts(2), tags=[tag])
    answer = client.get("/recall", query="ferry timetable edition 0", tags=tag).json
    assert answer["state_filter"] == {"current_only": True, "suppressed_count": 2, "replacement_count": 1}
    assert ids(answer["results"]) == [chain[2]]
