"""GET /graph/snapshot: the most important memories and the edges among them."""

import json
from itertools import pairwise

import pytest
from recall_cases import store_many

from automem.api.schemas.graph import SnapshotQuery


def snapshot(client, **params):
    answer = client.get("/graph/snapshot", **params)
    assert answer.status_code == 200, answer.json
    return answer.json


def drawn(client, **params):
    return [node["id"] for node in snapshot(client, **params)["nodes"]]


def join_badly(service, first, second, label, properties):
    service.runner.write(
        f"MATCH (a:Memory {{id: $a}}) MATCH (b:Memory {{id: $b}}) CREATE (a)-[r:{label}]->(b) SET r = $properties",
        {"a": first, "b": second, "properties": properties},
    )


def test_a_memory_is_drawn_with_all_that_a_drawing_needs(client, tag):
    memory_id = client.store(
        "We decided on PostgreSQL",
        type="Decision",
        confidence=0.5,
        importance=0.8,
        tags=[tag, "b"],
        metadata={"author": "ada"},
        timestamp="2024-01-02T03:04:05Z",
        updated_at="2024-02-02",
    )
    assert snapshot(client, tags=tag)["nodes"] == [
        {
            "id": memory_id,
            "content": "We decided on PostgreSQL",
            "type": "Decision",
            "importance": 0.8,
            "confidence": 0.5,
            "tags": [tag, "b"],
            "timestamp": "2024-01-02T03:04:05+00:00",
            "updated_at": "2024-02-02T00:00:00+00:00",
            "metadata": {"author": "ada"},
            "color": client.get("/graph/types").json["colors"]["Decision"],
            "radius": pytest.approx(1.7),
            "opacity": pytest.approx(0.7),
        }
    ]


def test_an_edge_is_drawn_with_its_own_properties_as_it_is_stored(client, tag):
    first, second = client.store("a", tags=[tag]), client.store("b", tags=[tag])
    client.associate(second, first, "PREFERS_OVER", 0.7, reason="ACID")
    (edge,) = snapshot(client, tags=tag)["edges"]
    properties = edge.pop("properties")
    assert edge == {
        "id": f"{second}-PREFERS_OVER-{first}",
        "source": second,
        "target": first,
        "type": "PREFERS_OVER",
        "strength": 0.7,
        "color": client.get("/graph/relations").json["colors"]["PREFERS_OVER"],
    }
    assert set(properties) == {"strength", "reason", "created_at", "updated_at"}
    assert (properties["strength"], properties["reason"]) == (0.7, "ACID")


def test_only_edges_between_two_drawn_memories_are_drawn(client, tag):
    high, middle, low = (client.store("x", tags=[tag], importance=importance) for importance in (0.9, 0.6, 0.3))
    stranger = client.store("of another tag", importance=1.0)
    for first, second in ((high, middle), (middle, high), (middle, low), (low, high), (stranger, high), (low, middle)):
        client.associate(first, second)
    body = snapshot(client, tags=tag, limit=2)
    assert [node["id"] for node in body["nodes"]] == [high, middle]
    assert {(edge["source"], edge["target"]) for edge in body["edges"]} == {(high, middle), (middle, high)}
    assert body["stats"]["returned_edges"] == 2
    assert len(snapshot(client, tags=tag)["edges"]) == 5


@pytest.mark.parametrize(
    ("label", "properties", "strength"),
    [
        ("SIMILAR_TO", {"score": 0.9}, 0.9),
        ("SIMILAR_TO", {"strength": 0.2, "score": 0.9, "confidence": 0.3}, 0.2),
        ("DISCOVERED", {"confidence": 0.3, "similarity": 0.6}, 0.3),
        ("DISCOVERED", {"similarity": 0.6, "count": 2}, 0.6),
        ("PRECEDED_BY", {"count": 2}, 2.0),
        ("LEADS_TO", {}, 0.0),
        ("LEADS_TO", {"strength": 0, "score": 0.9}, 0.0),
        ("SIMILAR_TO", {"strength": "strong", "score": 0.4}, 0.4),
        ("SIMILAR_TO", {"strength": True, "score": [1, 2], "count": 5}, 5.0),
    ],
)
def test_the_strength_of_an_edge_is_the_first_number_that_says_it(client, service, tag, label, properties, strength):
    first, second = client.store("a", tags=[tag]), client.store("b", tags=[tag])
    join_badly(service, first, second, label, properties)
    (edge,) = snapshot(client, tags=tag)["edges"]
    assert (edge["type"], edge["strength"], edge["properties"]) == (label, strength, properties)


def test_an_edge_of_an_older_store_is_drawn_as_what_it_is_shown_as_elsewhere(client, service, tag):
    first, second = client.store("a", tags=[tag]), client.store("b", tags=[tag])
    join_badly(service, first, second, "EXPLAINS", {"confidence": 0.4})
    (edge,) = snapshot(client, tags=tag)["edges"]
    assert (edge["id"], edge["type"]) == (f"{first}-DISCOVERED-{second}", "DISCOVERED")
    assert edge["properties"] == {"confidence": 0.4, "kind": "explains"}


def test_the_most_important_come_first_and_of_these_the_newest(client, tag):
    asked = [(0.5, "2024-01-02"), (0.9, "2024-01-01"), (0.5, "2024-01-03"), (0.9, "2024-01-04"), (0.0, "2024-01-05")]
    ids = [client.store("x", tags=[tag], importance=importance, timestamp=at) for importance, at in asked]
    expected = [ids[3], ids[1], ids[2], ids[0], ids[4]]
    assert drawn(client, tags=tag) == expected
    for limit in (1, 2, 3, 4):
        assert drawn(client, tags=tag, limit=limit) == expected[:limit]


def test_a_limit_cuts_exactly_where_many_are_almost_equally_important(client, tag):
    levels = [n / 1000 for n in range(560, 600)]
    ids = [store_many(client, ["x"], tags=[tag], importance=level)[0] for level in levels]
    for limit in (1, 7, 20, 39):
        assert drawn(client, tags=tag, limit=limit) == ids[::-1][:limit]


# ---- how many


@pytest.fixture(scope="module")
def crowd(client):
    store_many(client, [f"one of a crowd {n}" for n in range(503)], tags=["crowd"])
    return 503


@pytest.mark.parametrize(
    ("sent", "count"),
    [
        ({}, 500), ({"limit": "x"}, 500), ({"limit": ""}, 500), ({"limit": "2.5"}, 500), ({"limit": 0}, 503),
        ({"limit": 1}, 1), ({"limit": 502}, 502), ({"limit": 99_999_999}, 503),
    ],
)  # fmt: skip
def test_the_limit_is_500_or_any_other_and_0_is_all(client, crowd, sent, count):
    body = snapshot(client, tags="crowd", **sent)
    assert len({node["id"] for node in body["nodes"]}) == len(body["nodes"]) == count == body["stats"]["returned_nodes"]


@pytest.mark.parametrize(("sent", "limit"), [("0", 50_000), ("50001", 50_000), ("50000", 50_000), ("49999", 49_999)])
def test_no_limit_goes_beyond_fifty_thousand(sent, limit):
    assert SnapshotQuery.model_validate({"limit": sent}).limit == limit


@pytest.mark.parametrize("sent", [-1, "-500"])
def test_a_negative_limit_is_refused(client, sent):
    answer = client.get("/graph/snapshot", limit=sent)
    assert (answer.status_code, answer.json["message"], answer.json["field"]) == (400, "limit must be >= 0", "limit")


def test_the_numbers_say_how_much_of_the_graph_is_drawn(client, tag):
    before = snapshot(client, limit=1)["stats"]
    first, second, third = (client.store("x", tags=[tag]) for _ in range(3))
    client.associate(first, second)
    client.associate(second, third)
    stats = snapshot(client, tags=tag, limit=2)["stats"]
    total = before["total_nodes"] + 3
    assert stats.pop("returned_edges") <= 1
    assert stats == {
        "total_nodes": total,
        "total_edges": before["total_edges"] + 2,
        "returned_nodes": 2,
        "sampled": True,
        "sample_ratio": round(2 / total, 4),
    }
    client.delete(f"/memory/{second}")
    after = snapshot(client, limit=1)["stats"]
    assert (after["total_nodes"], after["total_edges"]) == (total - 1, before["total_edges"])


def test_a_whole_graph_is_no_sample(client, tag):
    client.store("x", tags=[tag])
    stats = snapshot(client, limit=0)["stats"]
    assert (stats["sampled"], stats["sample_ratio"]) == (False, 1.0)
    assert stats["returned_nodes"] == stats["total_nodes"] > 0


def test_the_colours_of_all_types_and_relations_come_along(client):
    meta = snapshot(client, limit=1)["meta"]
    assert set(meta) == {"type_colors", "relation_colors", "query_time_ms"}
    assert meta["type_colors"] == client.get("/graph/types").json["colors"]
    assert meta["relation_colors"] == client.get("/graph/relations").json["colors"]
    assert meta["query_time_ms"] > 0


def test_the_number_of_round_trips_does_not_grow_with_what_is_drawn(client, service, crowd):
    ids = drawn(client, tags="crowd", limit=20)
    for first, second in pairwise(ids):
        client.associate(first, second)
    counts = set()
    for limit in (1, 20, 0):
        before = service.runner.round_trips
        assert snapshot(client, tags="crowd", limit=limit)["nodes"]
        counts.add(service.runner.round_trips - before)
    assert counts == {4}


# ---- which memories


@pytest.fixture
def levels(client, tag):
    return {importance: client.store("x", tags=[tag], importance=importance) for importance in (0.2, 0.5, 0.8)}


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({}, [0.8, 0.5, 0.2]), ({"min_importance": 0.5}, [0.8, 0.5]), ({"min_importance": "0.51"}, [0.8]),
        ({"min_importance": 0}, [0.8, 0.5, 0.2]), ({"min_importance": "x"}, [0.8, 0.5, 0.2]),
        ({"min_importance": ""}, [0.8, 0.5, 0.2]), ({"min_importance": "nan"}, [0.8, 0.5, 0.2]),
        ({"min_importance": -3}, [0.8, 0.5, 0.2]), ({"min_importance": 7}, []),
        ({"min_importance": 0.3, "limit": 1}, [0.8]),
    ],
)  # fmt: skip
def test_the_least_importance_is_inclusive_and_what_cannot_be_read_is_ignored(client, tag, levels, sent, kept):
    assert drawn(client, tags=tag, **sent) == [levels[importance] for importance in kept]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("Decision", ["Decision"]), ("Decision, Insight", ["Decision", "Insight"]), ("", ["Decision", "Insight", "X"]),
        (["X", "Insight"], ["Insight", "X"]), ("Nothing", []), ("Nothing,X", ["X"]),
    ],
)  # fmt: skip
def test_types_narrow_what_is_drawn(client, tag, sent, kept):
    for number, name in enumerate(("Decision", "Insight", "X")):
        client.store("x", tags=[tag], type=name, importance=0.9 - number / 10)
    assert [node["type"] for node in snapshot(client, tags=tag, types=sent)["nodes"]] == kept


@pytest.mark.parametrize(
    ("since", "count"),
    [
        ("2024-01-02", 2), ("2024-01-02T00:00:00.5Z", 1), ("2024-01-02T01:00:00+01:00", 2), ("2023-12-31", 3),
        ("2024-01-04", 0), ("", 3),
    ],
)  # fmt: skip
def test_since_is_an_inclusive_time(client, tag, since, count):
    for day in (1, 2, 3):
        client.store("x", tags=[tag], timestamp=f"2024-01-0{day}")
    assert len(drawn(client, tags=tag, since=since)) == count


@pytest.mark.parametrize("sent", ["yesterday", "2024-13-01", "5"])
def test_a_time_that_is_none_is_refused(client, sent):
    answer = client.get("/graph/snapshot", since=sent)
    assert (answer.status_code, answer.json["field"]) == (400, "since")
    assert answer.json["message"] == "Invalid since time: Invalid ISO timestamp"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("{tag}", [0, 1, 2]), ("{tag}:web", [0, 1]), ("{tag}/WEB", [0, 1]), ("{tag}:web:api", [0]), ("{tag}:we", []),
        ("{tag}:web:api,{tag}:db", [0, 2]), (["{tag}:web:api", "{tag}:db"], [0, 2]), ("{tag}:db, nothing", [2]),
    ],
)  # fmt: skip
def test_tags_select_by_their_segments_and_any_of_them_is_enough(client, tag, sent, kept):
    ids = [
        client.store("x", tags=[f"{tag}:{rest}"], importance=0.9 - number / 10)
        for number, rest in enumerate(("web:api", "web:page", "db"))
    ]
    values = [value.format(tag=tag) for value in ([sent] if isinstance(sent, str) else sent)]
    assert drawn(client, tags=values) == [ids[number] for number in kept]


def test_what_is_archived_expired_or_superseded_is_drawn_too(client, service, tag):
    archived, expired, old, new = (client.store("x", tags=[tag]) for _ in range(4))
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.archived = true", {"id": archived})
    client.patch(f"/memory/{expired}", {"t_invalid": "2020-01-01"})
    client.associate(old, new, "INVALIDATED_BY")
    assert set(drawn(client, tags=tag)) == {archived, expired, old, new}


# ---- what other programs stored


PROPERTIES = ["content", "type", "confidence", "importance", "tags", "metadata", "timestamp", "updated_at", "archived"]
VALUES = ["abc", "", 5, -0.5, 1e308, True, [1, 2], ["a", 1, True], None]


@pytest.fixture(scope="module")
def poisoned(client):
    first, second = client.store("a clean one", tags=["poison"]), client.store("a bad one", tags=["poison"])
    client.associate(first, second)
    return first, second


@pytest.mark.parametrize("name", PROPERTIES)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_badly_stored_value_is_no_error_and_its_memory_is_drawn(client, service, poisoned, name, value):
    (before,) = service.runner.read("MATCH (m:Memory {id: $id}) RETURN properties(m)", {"id": poisoned[1]})
    service.runner.write(f"MATCH (m:Memory {{id: $id}}) SET m.{name} = $value", {"id": poisoned[1], "value": value})
    try:
        body = snapshot(client, tags="poison", limit=2)
        assert snapshot(client, tags="poison", since="2001-01-01", types="Memory", min_importance=0.1)["nodes"]
    finally:
        service.runner.write("MATCH (m:Memory {id: $id}) SET m = $before", {"id": poisoned[1], "before": before[0]})
    assert json.dumps(body, allow_nan=False)
    assert {node["id"] for node in body["nodes"]} == set(poisoned)
    assert len(body["edges"]) == 1
    for node in body["nodes"]:
        assert 0.0 <= node["importance"] <= 1.0
        assert 0.0 <= node["confidence"] <= 1.0
        assert all(isinstance(tag, str) for tag in node["tags"])


@pytest.mark.parametrize("name", ["strength", "score", "updated_at", "reason"])
@pytest.mark.parametrize("value", ["abc", -0.5, 1e308, True, [1, 2]], ids=repr)
def test_a_badly_stored_property_of_an_edge_is_no_error(client, service, tag, name, value):
    first, second = client.store("a", tags=[tag]), client.store("b", tags=[tag])
    join_badly(service, first, second, "SIMILAR_TO", {name: value})
    (edge,) = snapshot(client, tags=tag)["edges"]
    number = name in {"strength", "score"} and isinstance(value, float)
    assert edge["strength"] == (value if number else 0.0)
    assert edge["properties"] == {name: value}


def test_memories_without_an_importance_are_drawn_last(client, service, tag):
    ids = [client.store("x", tags=[tag], importance=importance) for importance in (0.0, 0.1, 0.9)]
    for value in (None, "high"):
        service.runner.write("MATCH (m:Memory {id: $id}) SET m.importance = $value", {"id": ids[0], "value": value})
        assert drawn(client, tags=tag, limit=3) == ids[::-1]
        assert drawn(client, tags=tag, limit=2) == ids[:0:-1]
        assert drawn(client, tags=tag, min_importance=0.1) == ids[:0:-1]


def test_an_empty_graph_is_drawn_as_nothing_and_one_that_is_away_is_503(fragile):
    body = snapshot(fragile.client)
    assert (body["nodes"], body["edges"]) == ([], [])
    assert body["stats"] == {
        "total_nodes": 0, "total_edges": 0, "returned_nodes": 0, "returned_edges": 0,
        "sampled": False, "sample_ratio": 1.0,
    }  # fmt: skip
    with fragile.graph.failing():
        answer = fragile.client.get("/graph/snapshot")
    assert (answer.status_code, answer.json["message"]) == (503, "FalkorDB is unavailable")
