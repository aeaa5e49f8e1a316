"""The shape of an answer: keys that are always there, keys that come with what was asked, and never a null."""

import pytest
from recall_cases import ids

from automem.app import create_app
from automem.bootstrap import compose
from automem.embedding.hashing import HashingEmbedder
from automem.errors import GraphUnavailable, VectorsUnavailable

ALWAYS = {
    "status",
    "query",
    "results",
    "count",
    "dedup_removed",
    "sort",
    "state_mode",
    "tag_mode",
    "tag_match",
    "vector_search",
    "query_time_ms",
}
RESULT = {
    "id",
    "match_type",
    "source",
    "match_score",
    "score",
    "final_score",
    "rank_score",
    "score_components",
    "memory",
    "relations",
}
MEMORY = {
    "id",
    "content",
    "type",
    "confidence",
    "importance",
    "tags",
    "tag_prefixes",
    "metadata",
    "timestamp",
    "updated_at",
    "last_accessed",
    "t_valid",
}


@pytest.fixture(scope="module")
def stored(client):
    """A seed, what an edge of it brings, what a shared name brings, and a copy of the seed."""
    made = {
        "seed": client.store(
            "Margaret keeps bees", tags=["bees", "proj:hive"], metadata={"source": "chat"}, importance=0.7
        ),
        "copy": client.store("margaret keeps  bees", tags=["bees"]),
        "linked": client.store("Honey is sold in autumn"),
        "named": client.store("Margaret drives a van"),
        "late": client.store("bees are gone", tags=["bees"], t_invalid="2020-01-01"),
    }
    client.associate(made["seed"], made["linked"], "LEADS_TO", 0.9)
    return made


EVERYTHING = {
    "query": "Margaret keeps bees",
    "tags": "bees",
    "exclude_tags": "wasps",
    "start": "2000-01-01",
    "min_score": "0.01",
    "expand_relations": "true",
    "expand_entities": "true",
}


def nulls(value, where=""):
    if value is None:
        yield where
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from nulls(item, f"{where}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from nulls(item, f"{where}[{number}]")


@pytest.mark.parametrize(
    "params", [{}, {"query": "*"}, {"query": "bees"}, EVERYTHING, {**EVERYTHING, "state_mode": "history"}]
)
def test_nothing_in_an_answer_is_null(client, stored, params):
    assert list(nulls(client.get("/recall", **params).json)) == []


@pytest.mark.parametrize("params", [{}, {"query": "bees"}, {"query": "nothing like it", "tags": "nowhere"}, EVERYTHING])
def test_some_keys_are_always_there(client, stored, params):
    answer = client.get("/recall", **params).json
    assert set(answer) >= ALWAYS
    assert answer["status"] == "success"
    assert answer["count"] == len(answer["results"])
    assert answer["query"] == params.get("query", "")
    assert set(answer["vector_search"]) == {"enabled", "matched"}
    assert answer["query_time_ms"] > 0


def test_other_keys_come_only_with_what_they_speak_of(client, stored):
    plain = client.get("/recall").json
    assert set(plain) - ALWAYS == {"state_filter"}
    full = client.get("/recall", **EVERYTHING).json
    assert set(full) - ALWAYS == {
        "keywords",
        "state_filter",
        "time_window",
        "tags",
        "tag_scope",
        "exclude_tags",
        "score_filter",
        "expansion",
        "entity_expansion",
    }
    assert full["keywords"] == ["margaret", "keeps", "bees"]
    history = client.get("/recall", query="bees", state_mode="history", adaptive_floor="off").json
    assert set(history) - ALWAYS == {"keywords"}


@pytest.mark.parametrize(
    ("params", "keys"),
    [
        ({"queries": "bees,van"}, {"queries"}),
        ({"query": "what does Margaret drive", "auto_decompose": "true"}, {"queries"}),
        ({"query": "bees", "auto_decompose": "true"}, {"keywords"}),
        ({"query": "bees", "time_query": "this year"}, {"keywords", "time_window"}),
        ({"query": "bees", "time_query": "some time"}, {"keywords"}),
        ({"query": "bees", "context": "farm"}, {"keywords", "context_priority"}),
        ({"query": "bees", "context_types": "Decision"}, {"keywords", "context_priority"}),
        ({"query": "bees", "recency_bias": "on"}, {"keywords", "recency_bias"}),
        ({"query": "bees", "recency_bias": "auto"}, {"keywords"}),
        (
            {"query": "bees", "tags": "bees", "scope_fallback": "true"},
            {"keywords", "tags", "tag_scope", "scope_fallback"},
        ),
        ({"query": "bees", "scope_fallback": "true"}, {"keywords"}),
    ],
)
def test_what_was_asked_for_is_echoed_and_nothing_else(client, stored, params, keys):
    answer = client.get("/recall", adaptive_floor="off", **params).json
    assert set(answer) - ALWAYS == {"state_filter"} | keys
    assert list(nulls(answer)) == []


def test_what_expansion_did_is_told(client, stored):
    answer = client.get(
        "/recall", limit=1, **{**EVERYTHING, "relation_limit": 3, "expansion_limit": 9, "expand_depth": 1}
    ).json
    assert answer["expansion"] == {
        "enabled": True,
        "seed_count": 1,
        "expanded_count": 1,
        "relation_limit": 3,
        "expansion_limit": 9,
        "respect_tags": False,
        "depth": 1,
    }
    assert answer["entity_expansion"]["enabled"] is True
    assert answer["entity_expansion"]["expanded_count"] == 1
    assert "margaret" in answer["entity_expansion"]["entities_found"]


def test_a_seed_result_has_these_keys(client, stored):
    result = client.get("/recall", query="Margaret keeps bees", limit=1).json["results"][0]
    assert set(result) == RESULT | {"original_score", "deduped_from"}
    assert set(result["memory"]) >= MEMORY
    assert result["id"] == result["memory"]["id"]
    assert result["original_score"] == result["match_score"] == result["score_components"]["vector"]
    assert result["rank_score"] == result["final_score"]
    assert set(result["deduped_from"]) == {stored["seed"], stored["copy"]}


def test_a_result_that_an_edge_brought_has_these_keys(client, stored):
    found = client.recall("Margaret keeps bees", limit=1, expand_relations="true")
    result = next(item for item in found if item["id"] == stored["linked"])
    assert set(result) == RESULT | {"relation_score", "related_to"}
    assert result["match_type"] == "relation"
    assert result["source"] == "graph"
    assert result["related_to"] == result["relations"]
    assert result["relation_score"] == result["match_score"] == result["score_components"]["relation"]


def test_a_result_that_a_name_brought_has_these_keys(client, stored):
    found = client.recall("Margaret keeps bees", limit=1, expand_entities="true")
    result = next(item for item in found if item["id"] == stored["named"])
    assert set(result) == RESULT | {"expanded_from_entity", "shared"}
    assert result["match_type"] == "entity_expansion"
    assert result["source"] == "graph"
    assert result["expanded_from_entity"] == "margaret"


def test_a_seed_shows_its_outgoing_edges_with_the_memories_at_their_ends(client, tag):
    seed = client.store(f"{tag} seed", tags=[tag])
    target = client.store("word " * 60 + "end", tags=[f"{tag}{n}" for n in range(7)], importance=0.3)
    before = client.store("points to the seed")
    client.associate(seed, target, "PREFERS_OVER", 0.9, reason="it is faster")
    client.associate(before, seed, "LEADS_TO")
    (relation,) = client.recall(tag, tags=tag)[0]["relations"]
    assert relation["type"] == "PREFERS_OVER"
    assert relation["strength"] == 0.9
    assert relation["reason"] == "it is faster"
    assert relation["direction"] == "out"
    assert relation["memory"]["id"] == target
    assert relation["memory"]["importance"] == 0.3
    assert len(relation["memory"]["tags"]) == 5
    assert relation["memory"]["content"].endswith("word…")
    assert len(relation["memory"]["content"]) <= 158
    assert "summary" not in relation["memory"]


def test_a_seed_shows_its_five_newest_edges_authored_ones_first(client, service, tag):
    seed = client.store(f"{tag} seed", tags=[tag])
    others = [client.store(f"other {n}") for n in range(7)]
    for other in others:
        client.associate(seed, other)
    service.runner.write(
        "MATCH (a:Memory {id: $seed}) UNWIND $ids AS id MATCH (b:Memory {id: id}) "
        "CREATE (a)-[:SIMILAR_TO {score: 0.9, updated_at: '2190-01-01T00:00:00+00:00'}]->(b) "
        "CREATE (a)-[:DISCOVERED {confidence: 0.9, updated_at: '2190-01-01T00:00:00+00:00'}]->(b)",
        {"seed": seed, "ids": others},
    )
    relations = client.recall(tag, tags=tag)[0]["relations"]
    assert [(item["type"], item["memory"]["id"]) for item in relations] == [
        ("RELATES_TO", other) for other in others[:1:-1]
    ]


def test_a_summary_stands_in_for_the_text_of_a_neighbour(client, service, tag):
    seed, other = client.store(f"{tag} seed", tags=[tag]), client.store("a long story")
    client.associate(seed, other)
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.summary = 'in short'", {"id": other})
    neighbour = client.recall(tag, tags=tag)[0]["relations"][0]["memory"]
    assert neighbour["summary"] == "in short"
    assert "content" not in neighbour


def test_times_in_an_answer_are_canonical(client, tag):
    client.store("a dated note", tags=[tag], timestamp="2024-01-01T09:30:00.500+01:30")
    memory = client.recall("dated note", tags=tag)[0]["memory"]
    assert memory["timestamp"] == memory["t_valid"] == "2024-01-01T08:00:00.500000+00:00"


def test_seeds_are_noted_as_read_and_what_they_bring_is_not(client, service, stored):
    service.access.flush()
    before = {
        name: client.get(f"/memory/{stored[name]}").json["memory"]["last_accessed"] for name in ("seed", "linked")
    }
    service.access._noted.clear()
    found = client.recall("Margaret keeps bees", limit=1, expand_relations="true")
    assert {stored["seed"], stored["linked"]} <= set(ids(found))
    service.access.flush()
    after = {name: client.get(f"/memory/{stored[name]}").json["memory"]["last_accessed"] for name in before}
    assert after["seed"] > before["seed"]
    assert after["linked"] == before["linked"]


# ---- stores that are away


class Away:
    """A store of which every call fails."""

    def __init__(self, error, **known):
        self._error = error
        self.__dict__.update(known)

    def __getattr__(self, name):
        def call(*args, **kwargs):
            raise self._error

        return call


def test_without_the_vector_store_a_question_is_a_503_and_a_listing_is_not(client, settings, service, stored):
    vectors = Away(VectorsUnavailable())
    lame = type(client)(create_app(settings, compose(settings, service.runner, vectors, HashingEmbedder(128))))
    answer = lame.get("/recall", query="bees")
    assert answer.status_code == 503
    assert answer.json == {"status": "error", "code": 503, "message": "Qdrant is unavailable"}
    assert "Retry-After" in answer.headers
    assert lame.get("/recall").json["count"] == 5 or lame.get("/recall").json["count"] > 0


@pytest.mark.parametrize("params", [{}, {"query": "bees"}])
def test_without_the_graph_every_recall_is_a_503(client, settings, service, params):
    runner = Away(GraphUnavailable(), graph_name="gone", round_trips=0, channel=service.runner.channel)
    lame = type(client)(create_app(settings, compose(settings, runner, service.vectors, HashingEmbedder(128))))
    answer = lame.get("/recall", **params)
    assert answer.status_code == 503
    assert answer.json["message"] == "FalkorDB is unavailable"
