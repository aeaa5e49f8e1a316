"""GET /startup-recall and GET /analyze: what the memories say as a whole."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from recall_cases import store_many


def startup(client):
    answer = client.get("/startup-recall")
    assert answer.status_code == 200, answer.json
    return answer.json


def analytics(client):
    answer = client.get("/analyze")
    assert (answer.status_code, answer.json["status"]) == (200, "success"), answer.json
    assert answer.json["elapsed_ms"] > 0
    return answer.json["analytics"]


@pytest.fixture(autouse=True)
def alone(service):
    """Begin and end without memories: what is asked here is of all of them."""
    service.runner.write("MATCH (n) WHERE n:Memory OR n:Pattern DETACH DELETE n")
    yield
    service.runner.write("MATCH (n) WHERE n:Memory OR n:Pattern DETACH DELETE n")


def lessons(client):
    return [memory["id"] for memory in startup(client)["critical_lessons"]]


def today(hour):
    return f"{datetime.now(UTC).date()}T{hour}:00:00Z"


# ---- startup recall


def test_nothing_stored_is_nothing_to_know(client):
    assert startup(client) == {
        "status": "success",
        "critical_lessons": [],
        "system_rules": [],
        "lesson_count": 0,
        "has_critical": False,
        "summary": "Recalled 0 lesson(s) and 0 system rule(s)",
    }


def test_lessons_and_rules_are_told_with_what_an_agent_needs(client):
    lesson = client.store(
        "Never force-push", tags=["Lesson", "git"], importance=0.9, type="Insight", metadata={"repo": "x"}
    )
    rule = client.store("Recall before you answer", tags=["system"], importance=0.4)
    client.store("of no concern", tags=["git", "lessons", "system:recall"])
    assert startup(client) == {
        "status": "success",
        "critical_lessons": [
            {
                "id": lesson,
                "content": "Never force-push",
                "tags": ["Lesson", "git"],
                "importance": 0.9,
                "type": "Insight",
                "metadata": {"repo": "x"},
            }
        ],
        "system_rules": [{"id": rule, "content": "Recall before you answer", "tags": ["system"]}],
        "lesson_count": 1,
        "has_critical": True,
        "summary": "Recalled 1 lesson(s) and 1 system rule(s)",
    }


@pytest.mark.parametrize("name", ["critical", "lesson", "ai-assistant", "LESSON"])
def test_each_of_these_tags_makes_a_lesson(client, name):
    assert lessons(client) == []
    memory_id = client.store("x", tags=["other", name])
    assert lessons(client) == [memory_id]


@pytest.mark.parametrize("name", ["system", "memory-recall"])
def test_each_of_these_tags_makes_a_rule(client, name):
    memory_id = client.store("x", tags=[name])
    body = startup(client)
    assert [memory["id"] for memory in body["system_rules"]] == [memory_id]
    assert body["critical_lessons"] == []


@pytest.mark.parametrize(("importance", "critical"), [(0.9, True), (0.89, False)])
def test_a_lesson_of_0_9_and_more_is_critical(client, importance, critical):
    client.store("x", tags=["lesson"], importance=importance)
    client.store("of a rule that does not count", tags=["system"], importance=1.0)
    assert startup(client)["has_critical"] is critical


def test_the_ten_most_important_lessons_and_five_rules_are_told(client):
    for kind in ("lesson", "system"):
        for number in range(12):
            client.store(f"{kind} {number}", tags=[kind], importance=number / 20)
    body = startup(client)
    assert [memory["content"] for memory in body["critical_lessons"]] == [f"lesson {n}" for n in range(11, 1, -1)]
    assert [memory["content"] for memory in body["system_rules"]] == [f"system {n}" for n in range(11, 6, -1)]
    assert body["lesson_count"] == 10


def test_of_equally_important_lessons_the_newest_comes_first(client):
    old, new = (client.store("x", tags=["lesson"], timestamp=f"2024-01-0{day}") for day in (1, 2))
    assert lessons(client) == [new, old]


def test_only_what_is_true_is_told(client, service):
    kept, archived, expired, future, old = store_many(client, list("abcde"), tags=["lesson", "system"])
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.archived = true", {"id": archived})
    client.patch(f"/memory/{expired}", {"t_invalid": "2020-01-01"})
    client.patch(f"/memory/{future}", {"t_valid": "2999-01-01"})
    client.associate(old, client.store("the correction"), "EVOLVED_INTO")
    client.patch(f"/memory/{kept}", {"t_invalid": "2999-01-01"})
    assert lessons(client) == [kept]
    assert [memory["id"] for memory in startup(client)["system_rules"]] == [kept]


@pytest.mark.parametrize("relation", ["INVALIDATED_BY", "EVOLVED_INTO"])
def test_a_lesson_stands_again_once_what_replaced_it_is_no_longer_true(client, relation):
    old, new = client.store("old", tags=["lesson"]), client.store("new", tags=["lesson"])
    client.associate(old, new, relation)
    assert lessons(client) == [new]
    client.patch(f"/memory/{new}", {"t_invalid": "2020-01-01"})
    assert lessons(client) == [old]


@pytest.mark.parametrize("name", ["content", "importance", "tags", "metadata", "timestamp", "t_valid", "archived"])
@pytest.mark.parametrize("value", ["abc", 5, True, [1, 2], None], ids=repr)
def test_a_badly_stored_value_is_no_error_at_startup(client, service, name, value):
    clean, bad = client.store("x", tags=["lesson"]), client.store("y", tags=["lesson"])
    service.runner.write(f"MATCH (m:Memory {{id: $id}}) SET m.{name} = $value", {"id": bad, "value": value})
    body = startup(client)
    assert json.dumps(body, allow_nan=False)
    assert clean in [memory["id"] for memory in body["critical_lessons"]]


# ---- analysis


def test_nothing_stored_is_nothing_to_analyse(client):
    assert analytics(client) == {
        "memory_types": {},
        "patterns": [],
        "preferences": [],
        "temporal_insights": {},
        "entity_frequency": {},
        "confidence_distribution": {"low": 0, "medium": 0, "high": 0},
    }


def test_types_are_told_with_their_mean_confidence(client):
    for name, confidence in (("Decision", 0.5), ("Decision", 0.8), ("Insight", 0.9)):
        client.store("x", type=name, confidence=confidence)
    assert analytics(client)["memory_types"] == {
        "Decision": {"count": 2, "average_confidence": 0.65},
        "Insight": {"count": 1, "average_confidence": 0.9},
    }


@pytest.mark.parametrize(
    ("confidence", "level"),
    [(0.0, "low"), (0.39, "low"), (0.4, "medium"), (0.69, "medium"), (0.7, "high"), (1.0, "high")],
)
def test_confidence_is_low_below_0_4_and_high_from_0_7(client, confidence, level):
    client.store("x", type="Decision", confidence=confidence)
    assert analytics(client)["confidence_distribution"] == {"low": 0, "medium": 0, "high": 0, level: 1}


def test_hours_are_those_of_recent_memories_with_their_mean_importance(client):
    for hour, importance in (("09", 0.4), ("09", 0.6), ("23", 1.0)):
        client.store("x", timestamp=today(hour), importance=importance)
    client.store("long ago", timestamp="2020-01-01T09:00:00Z", importance=1.0)
    client.store("to come", timestamp="2999-01-01T09:00:00Z", importance=1.0)
    assert analytics(client)["temporal_insights"] == {
        "hour_09": {"count": 2, "avg_importance": 0.5},
        "hour_23": {"count": 1, "avg_importance": 1.0},
    }


def test_names_are_told_with_how_many_memories_speak_of_them(client):
    for text in ("We asked Ada Lovelace", "Then Ada Lovelace answered", "It was Grace Hopper who knew"):
        client.store(text)
    names = analytics(client)["entity_frequency"]
    assert names == {
        **dict.fromkeys(("ada", "lovelace", "ada lovelace"), 2),
        **dict.fromkeys(("grace", "hopper", "grace hopper"), 1),
    }


def test_preferences_are_the_edges_that_say_so_strongest_first(client, service):
    first, second, third = (client.store(text) for text in ("tabs", "spaces", "none"))
    client.associate(first, second, "PREFERS_OVER", 0.6)
    client.associate(second, third, "PREFERS_OVER", 0.9, context="python")
    service.runner.write(
        "MATCH (a:Memory {id: $a}) MATCH (b:Memory {id: $b}) CREATE (a)-[:PREFERS_OVER]->(b)", {"a": third, "b": first}
    )
    assert analytics(client)["preferences"] == [
        {"prefers": "spaces", "over": "none", "context": "python", "strength": 0.9},
        {"prefers": "tabs", "over": "spaces", "context": None, "strength": 0.6},
        {"prefers": "none", "over": "tabs", "context": None, "strength": 0.0},
    ]


def test_patterns_are_told_when_they_are_sure_enough(client, service):
    service.runner.write(
        "UNWIND $rows AS row CREATE (p:Pattern) SET p = row",
        {
            "rows": [
                {"type": "Habit", "content": "tests first", "confidence": 0.7, "observations": 3},
                {"type": "Style", "content": "short names", "confidence": 0.9, "observations": 8},
                {"type": "Habit", "content": "late", "confidence": 0.6, "observations": 2},
            ]
        },
    )
    assert analytics(client)["patterns"] == [
        {"type": "Style", "description": "short names", "confidence": 0.9, "observations": 8},
        {"type": "Habit", "description": "tests first", "confidence": 0.7, "observations": 3},
    ]


@pytest.mark.parametrize("name", ["type", "content", "confidence", "importance", "timestamp", "name_keys"])
@pytest.mark.parametrize("value", ["abc", "", 5, -0.5, 1e308, True, [1, 2], None], ids=repr)
def test_a_badly_stored_value_is_no_error_in_an_analysis(client, service, name, value):
    clean, bad = client.store("x", confidence=0.8, type="Decision"), client.store("y")
    client.associate(bad, clean, "PREFERS_OVER")
    service.runner.write(f"MATCH (m:Memory {{id: $id}}) SET m.{name} = $value", {"id": bad, "value": value})
    found = analytics(client)
    assert json.dumps(found, allow_nan=False)
    assert sum(kind["count"] for kind in found["memory_types"].values()) == 2
    assert sum(found["confidence_distribution"].values()) == 2
    assert found["memory_types"]["Decision"] == {"count": 1, "average_confidence": 0.8}


@pytest.mark.parametrize("path", ["/startup-recall", "/analyze"])
def test_the_number_of_round_trips_does_not_grow(client, service, path):
    counts = set()
    for _ in range(2):
        before = service.runner.round_trips
        assert client.get(path).status_code == 200
        counts.add(service.runner.round_trips - before)
        when = (datetime.now(UTC) - timedelta(days=1)).isoformat()
        store_many(client, [f"Ada Lovelace {n}" for n in range(30)], tags=["lesson", "system"], timestamp=when)
    assert len(counts) == 1
    assert counts.pop() <= 5


@pytest.mark.parametrize("path", ["/startup-recall", "/analyze"])
def test_without_the_graph_it_is_503(fragile, path):
    with fragile.graph.failing():
        answer = fragile.client.get(path)
    assert (answer.status_code, answer.json["message"]) == (503, "FalkorDB is unavailable")
