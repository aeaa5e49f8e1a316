"""A recall takes the same number of store round trips however many memories it asks for, finds and follows."""

import pytest
from recall_cases import Counter, store_many


@pytest.fixture(scope="module")
def corpus(client):
    """Three hundred memories in one chain, with tags that a few of them share."""
    items = [{"content": f"harbour log {n}: tide and wind", "tags": [f"group-{n // 4}"]} for n in range(300)]
    stored = client.post("/memory/batch", {"memories": items}).json["memory_ids"]
    pairs = [
        {"memory1_id": stored[n], "memory2_id": stored[n + step], "type": kind, "strength": 0.9}
        for n in range(290)
        for step, kind in ((1, "LEADS_TO"), (7, "RELATES_TO"))
    ]
    for start in range(0, len(pairs), 500):
        assert client.post("/associate", {"associations": pairs[start : start + 500]}).status_code == 201
    return stored


@pytest.fixture
def cost(client, service, corpus):
    return Counter(client, service)


RELATIONS = {"expand_relations": "true"}
DEEP = {**RELATIONS, "expand_depth": 3, "relation_limit": 200, "expansion_limit": 500}
ENTITIES = {"expand_entities": "true"}
BOTH = {**DEEP, **ENTITIES}
# What a recall asks for, and the most (graph, vector) round trips it may take.
BOUNDS = pytest.mark.parametrize(
    ("query", "params", "bound"),
    [
        ("harbour tide", {}, (2, 2)),
        (
            "harbour tide",
            {"sort": "time_desc", "min_score": 0.1, "tags": "group-1,group-2", "start": "2001-01-01"},
            (2, 2),
        ),
        ("harbour tide", RELATIONS, (5, 3)),
        ("harbour tide", {**RELATIONS, "expand_rank": "appended"}, (4, 3)),
        ("harbour tide", DEEP, (6, 3)),
        ("harbour tide", ENTITIES, (6, 4)),
        ("harbour tide", BOTH, (9, 5)),
        ("harbour tide", {**BOTH, "state_mode": "history"}, (9, 5)),
        ("", {}, (2, 0)),
        ("", {"sort": "updated_asc"}, (2, 0)),
        ("", RELATIONS, (6, 0)),
        ("", BOTH, (11, 0)),
    ],
)


@BOUNDS
def test_the_limit_adds_no_round_trip(cost, query, params, bound):
    spent = [cost(query, limit=limit, **params) for limit in (1, 5, 20, 100)]
    for graph, vectors, _ in spent:
        assert graph <= bound[0]
        assert vectors <= bound[1]
    found = [count for _, _, count in spent]
    assert found == sorted(found)
    assert found[-1] > found[0] > 0


@BOUNDS
def test_the_limits_of_expansion_add_no_round_trip(cost, query, params, bound):
    for edges, memories in ((1, 1), (5, 25), (200, 500)):
        limits = {"relation_limit": edges, "expansion_limit": memories}
        graph, vectors, found = cost(query, **{**params, **limits})
        assert found > 0
        assert graph <= bound[0]
        assert vectors <= bound[1]


@BOUNDS
@pytest.mark.parametrize("tags", ["group-1", "group-1,group-2,group-3,group-4,group-5,group-6", None])
def test_the_number_of_results_adds_no_round_trip(cost, query, params, bound, tags):
    graph, vectors, _ = cost(query, limit=100, **{**params, "tags": tags or ""})
    assert graph <= bound[0]
    assert vectors <= bound[1]


LIMITS = [
    {"limit": 5},
    {"limit": 20},
    {"limit": 100},
    {"relation_limit": 50, "expansion_limit": 100},
    {"limit": 100, "relation_limit": 200, "expansion_limit": 500},
]


@pytest.mark.parametrize(
    ("params", "more"),
    [
        ({"queries": ["harbour tide", "wind log"]}, (1, 2)),
        ({"queries": ["harbour tide", "wind log", "harbour wind", "tide"]}, (3, 6)),
        ({"queries": ["harbour tide", "wind log"], "expand_relations": "true"}, (5, 4)),
        ({"tags": "group-1", "scope_fallback": "true"}, (2, 2)),
        ({"embedding": ",".join(["0.1"] * 128)}, (0, 0)),
        ({"time_query": "this year", "adaptive_floor": "off", "recency_bias": "on", "explain": "true"}, (0, 0)),
    ],
)
def test_every_further_question_costs_the_same_whatever_the_limits(cost, params, more):
    for limits in LIMITS:
        graph, vectors, found = cost("harbour tide", **{**limits, **params})
        assert found > 0
        assert (graph <= 2 + more[0], vectors <= 2 + more[1]) == (True, True), (limits, graph, vectors)


@pytest.mark.parametrize("params", [{}, {"sort": "time_desc"}, {"min_score": 0.1, "exclude_tags": "group-1"}])
@pytest.mark.parametrize("limit", [1, 5, 20])
def test_a_plain_recall_takes_exactly_four_round_trips(cost, params, limit):
    assert cost("harbour tide", limit=limit, **params)[:2] == (2, 2)
    assert cost("", limit=limit, **params)[:2] == (2, 0)


def test_a_recall_that_finds_nothing_spends_no_more(cost):
    nothing = cost("harbour tide", tags="no-such-tag", **BOTH)
    assert nothing[2] == 0
    assert nothing[0] <= 2
    assert nothing[1] == 1


def test_a_pool_lost_to_memories_out_of_date_is_drawn_once_more_and_not_again(client, service, cost, tag):
    expired = {"t_invalid": "2020-01-01", "tags": [tag]}
    for count in (150, 600):
        store_many(client, [f"lost entry {n}" for n in range(count)], **expired)
        graph, vectors, found = cost("lost entry", tags=tag)
        assert found == 0
        assert graph == 2
        assert 2 < vectors <= 4


def test_one_embedding_is_made_for_one_recall(client, service, corpus, monkeypatch):
    asked = []
    embedder = service.recaller._channels._embedder
    monkeypatch.setattr(type(embedder), "embed_query", lambda self, text: asked.append(text) or self.embed([text])[0])
    client.recall("harbour tide", **BOTH)
    client.recall("")
    assert asked == ["harbour tide"]
