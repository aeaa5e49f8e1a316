"""GET /api/v1/memories/{id}/related: connected memories in the words of a second dialect."""

import uuid

import pytest
from connection_cases import connect, related, related_ids, similar
from recall_cases import store_many


@pytest.fixture
def trio(client, tag):
    return store_many(client, [f"{tag} memory {n}" for n in range(3)])


def test_a_related_memory_is_told_whole_with_the_way_to_it(client, trio):
    connect(client, trio[0], trio[1], "caused_by", strength=0.9)
    connect(client, trio[2], trio[1], "supports", strength=0.6)
    answer = related(client, trio[0].upper(), depth=2)
    far = next(item for item in answer["related"] if item["depth"] == 2)
    assert answer == {"memory_id": trio[0], "related": answer["related"]}
    memory = client.get(f"/memory/{trio[2]}").json["memory"]
    assert {"id", "content", "tags", "metadata", "timestamp", "importance"} <= set(far["memory"])
    assert far.pop("memory").items() <= memory.items()
    assert far == {
        "connection": {"relationship_type": "caused_by", "strength": 0.9, "direction": "out"},
        "depth": 2,
        "path": [
            {
                "from": trio[0], "to": trio[1], "type": "LEADS_TO", "strength": 0.9, "direction": "out",
                "relationship_type": "caused_by",
            },
            {
                "from": trio[1], "to": trio[2], "type": "REINFORCES", "strength": 0.6, "direction": "in",
                "relationship_type": "supports",
            },
        ],
    }  # fmt: skip


def test_what_is_close_in_meaning_is_related_unless_told_otherwise(client, service, trio):
    similar(service, trio[0], trio[1])
    service.runner.write(
        "MATCH (a:Memory {id: $a}) MATCH (b:Memory {id: $b}) CREATE (a)-[:PRECEDED_BY]->(b)",
        {"a": trio[0], "b": trio[2]},
    )
    (item,) = related(client, trio[0])["related"]
    assert item["memory"]["id"] == trio[1]
    assert item["connection"] == {"relationship_type": "similar_to", "strength": 0.9, "direction": "out"}
    assert related_ids(client, trio[0], relationship_types="part_of") == []
    assert related_ids(client, trio[0], relationship_types="preceded_by") == [trio[2]]


@pytest.mark.parametrize(
    ("sent", "places", "ignored"),
    [
        ("related_to", {1, 2}, None), ("RELATES_TO", {1}, None), ("similar_to", {2}, None), ("references", {1}, None),
        ("caused_by", {3}, None), ("leads_to", {3}, None), ("caused_by, similar_to", {2, 3}, None),
        (["caused_by", "related_to"], {1, 2, 3}, None), ("knows,caused_by,☃", {3}, ["knows", "☃"]),
        ("knows", {1, 2, 3}, ["knows"]), ("", {1, 2, 3}, None),
    ],
)  # fmt: skip
def test_types_of_either_dialect_narrow_what_is_followed(client, service, tag, sent, places, ignored):
    ids = store_many(client, [f"{tag} {n}" for n in range(4)])
    connect(client, ids[0], ids[1], "related_to")
    similar(service, ids[2], ids[0])
    connect(client, ids[0], ids[3], "caused_by")
    answer = related(client, ids[0], relationship_types=sent)
    assert {item["memory"]["id"] for item in answer["related"]} == {ids[place] for place in places}
    assert answer.get("ignored_types") == ignored


@pytest.mark.parametrize(
    ("sent", "depth"), [({}, 1), ({"depth": 2}, 2), ({"depth": 5}, 5), ({"depth": 9}, 5), ({"depth": 0}, 1)]
)
def test_the_depth_is_1_to_5(client, tag, sent, depth):
    line = store_many(client, [f"{tag} {n}" for n in range(7)])
    for n in range(6):
        connect(client, line[n], line[n + 1], "part_of")
    found = related(client, line[0], **sent)["related"]
    assert {item["memory"]["id"]: item["depth"] for item in found} == {line[n]: n for n in range(1, depth + 1)}
    for item in found:
        assert [step["to"] for step in item["path"]] == line[1 : item["depth"] + 1]


@pytest.mark.parametrize(
    ("sent", "count"), [({}, 20), ({"limit": 3}, 3), ({"limit": 0}, 1), ({"limit": 999}, 25), ({"limit": "x"}, 20)]
)
def test_the_limit_is_20_or_1_to_200(client, tag, sent, count):
    hub, *spokes = store_many(client, [f"{tag} {n}" for n in range(26)])
    client.post("/associate", {"associations": [{"memory1_id": hub, "memory2_id": spoke} for spoke in spokes]})
    assert len(set(related_ids(client, hub, **sent))) == count


def test_related_memories_of_a_bad_or_unknown_id(client):
    assert client.get(f"/api/v1/memories/{uuid.uuid4()}/related").status_code == 404
    assert client.get("/api/v1/memories/x/related").status_code == 400
