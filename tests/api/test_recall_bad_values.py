"""A value that some other writer stored badly never breaks a recall that meets it."""

import json

import pytest
from recall_cases import ids

PROPERTIES = [
    "content", "type", "confidence", "importance", "tags", "metadata", "timestamp", "updated_at", "last_accessed",
    "t_valid", "t_invalid", "summary", "archived", "relevance_score", "turn_key", "index_pending", "unknown",
]  # fmt: skip
VALUES = ["'abc'", "''", "5", "-0.5", "1e308", "true", "false", "[1, 2]", "['a', 1, true]", "NULL"]
RECALLS = [
    {"query": "a poisoned well"},
    {"query": ""},
    {"query": "a poisoned well", "sort": "time_asc", "recency_bias": "on"},
    {"query": "", "sort": "updated_desc", "state_mode": "history", "recency_bias": "on"},
    {"query": "a poisoned well", "recency_bias": "on", "explain": "true", "state_debug": "true", "language": "python"},
    {"query": "the clean spring", "expand_relations": "true", "expand_entities": "true", "limit": 1},
    {"queries": "a poisoned well,the clean spring", "auto_decompose": "true", "context_types": "Style"},
    {"query": "a poisoned well", "start": "2001-01-01", "end": "2190-01-01", "exclude_tags": "spam"},
]


@pytest.fixture(scope="module")
def wells(client):
    """A memory to poison, with an edge and a tag that lead to it, and with a successor of which it is one, too."""
    fields = {"tags": ["well", "shared-well"], "metadata": {"session_id": "wells", "repo": "well"}}
    clean = client.store("the clean spring", **fields)
    poisoned = client.store("a poisoned well", **fields)
    client.associate(clean, poisoned, "LEADS_TO", 0.9)
    client.associate(client.store("a poisoned well of old", **fields), poisoned, "EVOLVED_INTO", 0.9)
    return clean, poisoned


@pytest.fixture
def poison(service, wells):
    """Set a property of the memory for one test."""
    (before,) = service.runner.read("MATCH (m:Memory {id: $id}) RETURN properties(m)", {"id": wells[1]})

    def write(name, value):
        service.runner.write(f"MATCH (m:Memory {{id: $id}}) SET m.{name} = {value}", {"id": wells[1]})

    yield write
    service.runner.write("MATCH (m:Memory {id: $id}) SET m = $before", {"id": wells[1], "before": before[0]})


@pytest.mark.parametrize("name", PROPERTIES)
@pytest.mark.parametrize("value", VALUES)
def test_a_badly_stored_value_is_no_error(client, wells, poison, name, value):
    poison(name, value)
    for params in RECALLS:
        answer = client.get("/recall", **params)
        assert answer.status_code == 200, (params, answer.json)
        assert json.dumps(answer.json, allow_nan=False)
        for result in answer.json["results"]:
            parts = result["score_components"].values()
            assert all(0.0 <= part <= 1.0 for part in parts)
    assert wells[0] in ids(client.recall("the clean spring"))


@pytest.mark.parametrize("name", ["strength", "score", "updated_at", "reason"])
@pytest.mark.parametrize("value", ["'abc'", "-0.5", "1e308", "true", "[1, 2]"])
@pytest.mark.parametrize("label", ["LEADS_TO", "EVOLVED_INTO", "SIMILAR_TO"])
def test_a_badly_stored_property_of_an_edge_is_no_error(client, service, tag, label, name, value):
    first, second = client.store(f"{tag} spring", tags=[tag]), client.store("another", tags=[tag])
    service.runner.write(
        f"MATCH (a:Memory {{id: $a}}) MATCH (b:Memory {{id: $b}}) CREATE (a)-[r:{label}]->(b) SET r.{name} = {value}",
        {"a": first, "b": second},
    )
    asked = {"expand_relations": "true", "expand_relation_types": label, "explain": "true", "state_debug": "true"}
    for params in ({"limit": 1}, {"limit": 5}, {"limit": 1, "state_mode": "history"}):
        answer = client.get("/recall", query=f"{tag} spring", **asked, **params)
        assert answer.status_code == 200, answer.json
        assert json.dumps(answer.json, allow_nan=False)
    assert client.get("/recall", tags=tag, **asked).status_code == 200
