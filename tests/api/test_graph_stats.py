"""GET /graph/stats: the graph in numbers."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest


def stats(client):
    answer = client.get("/graph/stats")
    assert answer.status_code == 200, answer.json
    return answer.json


def grown(client, key, before):
    """Return what one part of the numbers says more than before."""
    after = Counter(stats(client)[key])
    after.subtract(before[key])
    return {name: count for name, count in after.items() if count}


def day(days_ago):
    return (datetime.now(UTC) - timedelta(days=days_ago)).date().isoformat()


def activity(client):
    return {item["date"]: item["count"] for item in stats(client)["recent_activity"]}


@pytest.fixture
def before(client):
    return stats(client)


def test_totals_count_memories_and_edges(client, before):
    first, second = client.store("a"), client.store("b")
    client.associate(first, second)
    client.associate(first, second, "LEADS_TO")
    assert grown(client, "totals", before) == {"nodes": 2, "edges": 2}
    client.delete(f"/memory/{first}")
    assert grown(client, "totals", before) == {"nodes": 1}


def test_memories_are_counted_by_type(client, before, tag):
    for name in ("Decision", "Decision", "Insight", f"Own {tag}"):
        client.store("x", type=name)
    assert grown(client, "by_type", before) == {"Decision": 2, "Insight": 1, f"Own {tag}": 1}


def test_edges_are_counted_by_the_type_they_are_shown_as(client, service, before):
    first, second = client.store("a"), client.store("b")
    client.associate(first, second, "LEADS_TO")
    client.associate(second, first, "LEADS_TO")
    service.runner.write(
        "MATCH (a:Memory {id: $a}) MATCH (b:Memory {id: $b}) "
        "CREATE (a)-[:SIMILAR_TO {score: 0.9}]->(b), (a)-[:EXPLAINS]->(b), (a)-[:DISCOVERED]->(b)",
        {"a": first, "b": second},
    )
    assert grown(client, "by_relationship", before) == {"LEADS_TO": 2, "SIMILAR_TO": 1, "DISCOVERED": 2}
    assert grown(client, "totals", before)["edges"] == 5


def test_a_relation_without_edges_is_not_listed(client):
    first, second = client.store("a"), client.store("b")
    client.associate(first, second, "OCCURRED_BEFORE")
    assert stats(client)["by_relationship"]["OCCURRED_BEFORE"] == 1
    client.delete(f"/associations/{first}/OCCURRED_BEFORE/{second}")
    assert "OCCURRED_BEFORE" not in stats(client)["by_relationship"]


@pytest.mark.parametrize(
    ("importance", "level"),
    [(1.0, "high"), (0.8, "high"), (0.79, "medium"), (0.5, "medium"), (0.49, "low"), (0.0, "low")],
)
def test_importance_is_high_from_0_8_and_medium_from_0_5(client, before, importance, level):
    client.store("x", importance=importance)
    assert grown(client, "importance_distribution", before) == {level: 1}


def test_activity_counts_the_days_of_the_last_thirty_that_have_memories(client):
    before = activity(client)
    recent, lately, old, coming = (day(days_ago) for days_ago in (29, 12, 40, -3))
    for date in (recent, recent, lately, old, coming):
        client.store("x", timestamp=f"{date}T12:00:00Z")
    after = activity(client)
    assert {date: count - before.get(date, 0) for date, count in after.items() if count != before.get(date, 0)} == {
        recent: 2,
        lately: 1,
    }
    assert list(after) == sorted(after)


def test_the_colours_of_all_types_and_relations_come_along(client):
    meta = stats(client)["meta"]
    assert set(meta) == {"type_colors", "relation_colors", "query_time_ms"}
    assert meta["type_colors"] == client.get("/graph/types").json["colors"]
    assert meta["relation_colors"] == client.get("/graph/relations").json["colors"]


@pytest.mark.parametrize("name", ["type", "confidence", "importance", "timestamp"])
@pytest.mark.parametrize("value", ["abc", "", 5, -0.5, 1e308, True, [1, 2], None], ids=repr)
def test_a_badly_stored_value_is_no_error_and_every_memory_is_counted_once(client, service, name, value):
    memory_id = client.store("x")
    service.runner.write(f"MATCH (m:Memory {{id: $id}}) SET m.{name} = $value", {"id": memory_id, "value": value})
    body = stats(client)
    assert sum(body["by_type"].values()) == body["totals"]["nodes"]
    assert sum(body["importance_distribution"].values()) == body["totals"]["nodes"]


def test_memories_without_a_type_are_counted_as_what_they_are_shown_as(client, service, before):
    for value in ("Memory", "", None, 5):
        memory_id = client.store("x")
        service.runner.write("MATCH (m:Memory {id: $id}) SET m.type = $value", {"id": memory_id, "value": value})
    assert grown(client, "by_type", before) == {"Memory": 3, "5": 1}


def test_the_number_of_round_trips_does_not_grow(client, service):
    counts = set()
    for _ in range(2):
        trips = service.runner.round_trips
        stats(client)
        counts.add(service.runner.round_trips - trips)
        client.post("/memory/batch", {"memories": [{"content": "x", "type": f"T{n}"} for n in range(30)]})
    assert counts == {3}


def test_an_empty_graph_has_nothing_to_count_and_one_that_is_away_is_503(fragile):
    body = stats(fragile.client)
    assert body["totals"] == {"nodes": 0, "edges": 0}
    assert (body["by_type"], body["by_relationship"], body["recent_activity"]) == ({}, {}, [])
    assert body["importance_distribution"] == {"high": 0, "medium": 0, "low": 0}
    with fragile.graph.failing():
        assert fragile.client.get("/graph/stats").status_code == 503
