"""Successors and context add a fixed number of round trips, however many memories are replaced or favoured."""

from itertools import pairwise

import pytest
from recall_cases import Counter, store_many


@pytest.fixture(scope="module")
def replaced(client):
    """Two hundred memories in one chain with tags that a few share, every second of which was replaced twice over."""
    items = [{"content": f"lantern note {n}", "tags": [f"shelf-{n // 4}"]} for n in range(200)]
    old = client.post("/memory/batch", {"memories": items}).json["memory_ids"]
    revisions = [store_many(client, [f"revision {n} of {m}" for m in range(100)]) for n in (1, 2)]
    pairs = [{"memory1_id": one, "memory2_id": other} for one, other in pairwise(old)]
    for older, newer in ((old[::2], revisions[0]), (revisions[0], revisions[1])):
        for one, other in zip(older, newer, strict=True):
            pairs.append({"memory1_id": one, "memory2_id": other, "type": "EVOLVED_INTO"})
    assert client.post("/associate", {"associations": pairs}).status_code == 201
    return old


@pytest.fixture
def cost(client, service, replaced):
    return Counter(client, service)


RELATIONS = {"expand_relations": "true"}
ENTITIES = {"expand_entities": "true"}
BOTH = {**RELATIONS, **ENTITIES, "expand_depth": 3, "relation_limit": 50, "expansion_limit": 100}
CONTEXT = {"context_tags": "shelf-31", "context_types": "Style", "language": "python"}
SHELVES = "shelf-1,shelf-2,shelf-3,shelf-4,shelf-5"
LIMITS = [
    {"limit": 5},
    {"limit": 20},
    {"limit": 100},
    {"relation_limit": 50, "expansion_limit": 100},
    {"limit": 100, "relation_limit": 200, "expansion_limit": 500},
]


# Two links of a chain take two round trips, and one more asks which of their ends the request allows. Each round of
# expansion that reaches something replaced asks the index once more, for the ends.
@pytest.mark.parametrize(
    ("query", "params", "most"),
    [
        ("lantern note", {}, (2 + 3, 2)),
        ("lantern note", {"sort": "time_desc", "min_score": 0.1, "adaptive_floor": "off"}, (2 + 3, 2)),
        ("lantern note", CONTEXT, (4 + 3, 3)),
        ("lantern note", RELATIONS, (6 + 2 * 3, 3 + 1)),
        ("lantern note", {**RELATIONS, **CONTEXT}, (8 + 2 * 3, 4 + 1)),
        ("lantern note", ENTITIES, (6 + 3 * 3, 4 + 2)),
        ("lantern note", BOTH, (11 + 4 * 3, 5 + 3)),
        ("lantern note", {**BOTH, **CONTEXT, "recency_bias": "on", "explain": "true"}, (13 + 4 * 3, 6 + 3)),
        ("lantern note", {**BOTH, "state_mode": "history"}, (11, 5)),
        ("", {"tags": SHELVES}, (2 + 3, 0)),
        ("", {"tags": SHELVES, **CONTEXT}, (3 + 3, 0)),
        ("", {"tags": SHELVES, **BOTH, **CONTEXT}, (12 + 4 * 3, 0)),
    ],
)
def test_no_limit_adds_a_round_trip_with_replacements_and_context(cost, replaced, query, params, most):
    for limits in LIMITS:
        graph, vectors, found = cost(query, **{**params, **limits})
        assert found > 0
        assert (graph <= most[0], vectors <= most[1]) == (True, True), (limits, graph, vectors)


@pytest.mark.parametrize("links", [1, 3, 5])
def test_a_chain_costs_a_round_trip_per_link_and_many_chains_no_more_than_one(client, cost, tag, links):
    def chains(count):
        scope = {"tags": [f"{tag}-{count}"]}
        members = [store_many(client, [f"buoy {link} {n}" for n in range(count)], **scope) for link in range(links + 1)]
        for older, newer in pairwise(members):
            pairs = [
                {"memory1_id": one, "memory2_id": other, "type": "INVALIDATED_BY"}
                for one, other in zip(older, newer, strict=True)
            ]
            assert client.post("/associate", {"associations": pairs}).status_code == 201
        return cost("buoy", tags=f"{tag}-{count}", limit=100, adaptive_floor="off")

    assert [chains(count) for count in (1, 20)] == [(2 + links, 1, 1), (2 + links, 1, 20)]
