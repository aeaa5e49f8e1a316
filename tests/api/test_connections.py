"""/api/v1/connections: edges in the words of a second dialect."""

import uuid

import pytest
from association_cases import TYPES
from connection_cases import PATH, association, connect, connections_of, listed, related_ids, similar
from recall_cases import store_many

from automem.domain.dialect import NAME_OF, RELATION_OF


@pytest.fixture
def trio(client, tag):
    return store_many(client, [f"{tag} memory {n}" for n in range(3)])


# ---- as written


def test_the_two_requests_work_as_they_are_written(client, trio):
    body = f'{{"source_id": "{trio[0]}", "target_id": "{trio[1]}", "relationship_type": "caused_by"}}'
    answer = client("POST", "/api/v1/connections", data=body, content_type="application/json")
    assert answer.status_code == 200
    assert answer.json["source_id"] == trio[0]
    connection = answer.json["connection"]
    assert connection.pop("created_at").endswith("+00:00")
    assert connection == {"target_id": trio[1], "relationship_type": "caused_by", "strength": 1.0}
    connect(client, trio[1], trio[2], "part_of")
    answer = client("GET", f"/api/v1/memories/{trio[0]}/related?depth=2")
    assert answer.status_code == 200
    assert {item["memory"]["id"]: item["depth"] for item in answer.json["related"]} == {trio[1]: 1, trio[2]: 2}


# ---- connect


@pytest.mark.parametrize(("name", "relation"), RELATION_OF.items())
def test_each_name_makes_the_edge_it_stands_for_from_source_to_target(client, trio, name, relation):
    assert connect(client, trio[0], trio[1], name, strength=0.4)["relationship_type"] == name
    edge = association(client, trio[0], relation, trio[1]).json["association"]
    assert (edge["memory1_id"], edge["memory2_id"], edge["strength"]) == (trio[0], trio[1], 0.4)
    assert association(client, trio[1], relation, trio[0]).status_code == 404


def test_the_source_of_caused_by_is_the_cause(client, trio):
    connect(client, trio[0], trio[1], "caused_by")
    (item,) = client.get(f"/memories/{trio[0]}/related").json["related_memories"]
    assert (item["id"], item["relation"]["type"], item["relation"]["direction"]) == (trio[1], "LEADS_TO", "out")


def test_a_connection_without_a_type_is_related_to(client, trio):
    assert connect(client, trio[0], trio[1])["relationship_type"] == "related_to"
    assert association(client, trio[0], "RELATES_TO", trio[1]).status_code == 200


def test_a_name_is_read_in_any_case_and_ids_in_any_spelling(client, trio):
    connection = connect(client, trio[0].upper(), trio[1].replace("-", ""), " Part_Of ")
    assert (connection["relationship_type"], connection["target_id"]) == ("part_of", trio[1])


def test_a_reference_is_echoed_as_one_and_is_one_edge_with_related_to(client, trio):
    assert connect(client, trio[0], trio[1], "references", strength=0.3)["relationship_type"] == "references"
    connect(client, trio[0], trio[1], "related_to", strength=0.6)
    (found,) = connections_of(client, *trio)
    assert (found["relationship_type"], found["strength"]) == ("related_to", 0.6)


@pytest.mark.parametrize(
    ("sent", "strength"), [({}, 1.0), ({"strength": None}, 1.0), ({"strength": 0}, 0.0), ({"strength": "0.5"}, 0.5)]
)
def test_the_strength_is_1_unless_told_otherwise(client, trio, sent, strength):
    assert connect(client, trio[0], trio[1], **sent)["strength"] == strength


def test_connecting_again_changes_the_strength_and_keeps_the_time_of_creation(client, trio):
    first = connect(client, trio[0], trio[1], "supports", strength=0.2)
    again = connect(client, trio[0], trio[1], "supports", strength=0.7)
    assert again == {**first, "strength": 0.7}
    assert len(connections_of(client, *trio)) == 1
    edge = association(client, trio[0], "REINFORCES", trio[1]).json["association"]
    assert edge["created_at"] == first["created_at"] < edge["updated_at"]


@pytest.mark.parametrize("name", ["similar_to", "LEADS_TO", "knows", "", "evolved_into"])
def test_a_type_that_cannot_be_made_is_422_and_the_others_are_named(client, trio, name):
    answer = client.post(PATH, {"source_id": trio[0], "target_id": trio[1], "relationship_type": name})
    assert (answer.status_code, answer.json["code"], answer.json["field"]) == (422, 422, "relationship_type")
    assert answer.json["message"] == f"'relationship_type' must be one of {sorted(RELATION_OF)}"


def test_a_memory_cannot_be_connected_with_itself(client, trio):
    answer = client.post(PATH, {"source_id": trio[0], "target_id": trio[0].upper()})
    assert (answer.status_code, answer.json["field"]) == (422, "target_id")
    assert answer.json["message"] == "Cannot connect a memory with itself"


@pytest.mark.parametrize("name", ["source_id", "target_id"])
def test_a_missing_memory_is_404(client, trio, name):
    answer = client.post(PATH, {"source_id": trio[0], "target_id": trio[1], name: str(uuid.uuid4())})
    assert (answer.status_code, answer.json["message"]) == (404, "One or both memories do not exist")
    assert connections_of(client, *trio) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source_id": "x"}, "'source_id' must be a valid UUID"),
        ({"target_id": 5}, "'target_id' must be a valid UUID"),
        ({"target_id": None}, "'target_id' must be a valid UUID"),
        ({"strength": 1.5}, "'strength' must be between 0 and 1"),
        ({"strength": -0.1}, "'strength' must be between 0 and 1"),
        ({"strength": "much"}, "'strength' must be a number"),
        ({"strength": [1]}, "'strength' must be a number"),
        ({"relationship_type": None}, "'relationship_type' must be a string"),
        ({"relationship_type": ["part_of"]}, "'relationship_type' must be a string"),
    ],
)
def test_a_bad_field_is_refused_by_its_name(client, trio, change, message):
    answer = client.post(PATH, {"source_id": trio[0], "target_id": trio[1], **change})
    assert (answer.status_code, answer.json["message"], answer.json["field"]) == (400, message, next(iter(change)))
    assert connections_of(client, *trio) == []


@pytest.mark.parametrize("name", ["source_id", "target_id"])
def test_both_ends_are_required(client, trio, name):
    body = {"source_id": trio[0], "target_id": trio[1]}
    del body[name]
    answer = client.post(PATH, body)
    assert (answer.status_code, answer.json["message"]) == (400, f"'{name}' is required")


@pytest.mark.parametrize("body", [[], "x", 5, None])
def test_a_body_that_is_no_object_is_refused(client, body):
    answer = client.post(PATH, body)
    assert (answer.status_code, answer.json["message"]) == (400, "JSON body is required")


# ---- list


def test_edges_are_listed_a_page_at_a_time_with_their_number(client, service, tag):
    before = listed(client, limit=1)["total"]
    ids = store_many(client, [f"{tag} {n}" for n in range(8)])
    for target in ids[1:]:
        connect(client, ids[0], target, "derived_from", strength=0.5)
    similar(service, ids[1], ids[2])
    pages = [listed(client, limit=3, offset=offset) for offset in range(0, before + 8, 3)]
    assert {(page["total"], page["limit"]) for page in pages} == {(before + 8, 3)}
    assert [page["offset"] for page in pages] == list(range(0, before + 8, 3))
    found = [item for page in pages for item in page["connections"]]
    keys = {(item["source_id"], item["target_id"], item["relationship_type"]) for item in found}
    assert len(keys) == len(found) == before + 8
    assert {(ids[0], target, "derived_from") for target in ids[1:]} | {(ids[1], ids[2], "similar_to")} <= keys
    assert listed(client, offset=before + 8)["connections"] == []


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ({}, (50, 0)), ({"limit": 0}, (1, 0)), ({"limit": 9999}, (500, 0)), ({"limit": "x", "offset": "x"}, (50, 0)),
        ({"offset": -3}, (50, 0)), ({"limit": 2, "offset": 1}, (2, 1)),
    ],
)  # fmt: skip
def test_a_page_is_50_or_1_to_500(client, sent, shown):
    body = listed(client, **sent)
    assert (body["limit"], body["offset"]) == shown


def test_edges_of_background_work_are_listed_with_their_own_strength(client, service, trio):
    similar(service, trio[0], trio[1], 0.9)
    service.runner.write(
        "MATCH (a:Memory {id: $a}) MATCH (b:Memory {id: $b}) CREATE (a)-[:EXPLAINS {confidence: 'sure'}]->(b)",
        {"a": trio[1], "b": trio[2]},
    )
    assert connections_of(client, *trio) == sorted(
        (
            {
                "source_id": trio[0], "target_id": trio[1], "relationship_type": "similar_to", "strength": 0.9,
                "created_at": "2024-01-01T00:00:00+00:00",
            },
            {
                "source_id": trio[1], "target_id": trio[2], "relationship_type": "discovered", "strength": 0.0,
                "created_at": None,
            },
        ),
        key=lambda item: item["source_id"],
    )  # fmt: skip


def test_what_is_no_edge_between_memories_is_not_counted(client, service, trio):
    before = listed(client)["total"]
    service.runner.write("MATCH (m:Memory {id: $id}) CREATE (m)-[:MENTIONS]->(:Entity {name: 'x'})", {"id": trio[0]})
    assert listed(client)["total"] == before


# ---- disconnect


def test_all_edges_in_one_direction_are_removed_and_no_others(client, service, trio):
    for name in ("related_to", "caused_by", "part_of"):
        connect(client, trio[0], trio[1], name)
    similar(service, trio[0], trio[1])
    service.runner.write(
        "MATCH (a:Memory {id: $a}) MATCH (b:Memory {id: $b}) CREATE (a)-[:EXPLAINS]->(b)", {"a": trio[0], "b": trio[1]}
    )
    connect(client, trio[1], trio[0], "supports")
    connect(client, trio[0], trio[2], "part_of")
    answer = client.delete(f"{PATH}/{trio[0].upper()}/{trio[1]}")
    assert (answer.status_code, answer.json) == (200, {"source_id": trio[0], "target_id": trio[1], "deleted": 5})
    left = {(item["source_id"], item["target_id"]) for item in connections_of(client, *trio)}
    assert left == {(trio[1], trio[0]), (trio[0], trio[2])}


def test_removing_what_is_not_there_is_404(client, trio):
    connect(client, trio[0], trio[1])
    for first, second in ((trio[1], trio[0]), (trio[0], str(uuid.uuid4()))):
        answer = client.delete(f"{PATH}/{first}/{second}")
        assert (answer.status_code, answer.json["message"]) == (404, "Association not found")
    assert len(connections_of(client, *trio)) == 1


@pytest.mark.parametrize("name", ["source_id", "target_id"])
def test_a_bad_id_in_the_path_is_named(client, trio, name):
    ends = {"source_id": trio[0], "target_id": trio[1], name: "x"}
    answer = client.delete(f"{PATH}/{ends['source_id']}/{ends['target_id']}")
    assert (answer.status_code, answer.json["message"]) == (400, f"'{name}' must be a valid UUID")


# ---- both dialects


@pytest.mark.parametrize("relation", TYPES)
def test_an_edge_made_in_one_dialect_is_seen_and_removed_in_the_other(client, trio, relation):
    client.associate(trio[0], trio[1], relation, 0.6)
    (found,) = connections_of(client, *trio)
    assert (found["source_id"], found["target_id"], found["strength"]) == (trio[0], trio[1], 0.6)
    name = found["relationship_type"]
    assert name == NAME_OF[relation]
    assert related_ids(client, trio[0], relationship_types=name) == [trio[1]]
    assert client.delete(f"{PATH}/{trio[0]}/{trio[1]}").status_code == 200
    assert client.get("/associations", memory_id=trio[0]).json["associations"] == []


@pytest.mark.parametrize("name", RELATION_OF)
def test_a_connection_is_an_association(client, trio, name):
    connect(client, trio[0], trio[1], name, strength=0.3)
    (edge,) = client.get("/associations", memory_id=trio[1]).json["associations"]
    assert (edge["memory1_id"], edge["type"], edge["strength"]) == (trio[0], RELATION_OF[name], 0.3)
    assert client.delete(f"/associations/{trio[0]}/{edge['type']}/{trio[1]}").status_code == 200
    assert connections_of(client, *trio) == []


def test_every_edge_can_be_seen_explained_and_removed_by_who_has_only_the_ids(client, service, trio):
    for relation in TYPES:
        client.associate(trio[0], trio[1], relation, 0.5)
    connect(client, trio[2], trio[0], "caused_by")
    similar(service, trio[1], trio[0])
    service.runner.write(
        "MATCH (a:Memory {id: $a}) MATCH (b:Memory {id: $b}) "
        "CREATE (a)-[:PRECEDED_BY {count: 2}]->(b), (a)-[:SHARES_THEME {confidence: 0.4}]->(b)",
        {"a": trio[0], "b": trio[2]},
    )
    meanings = client.get("/graph/relations").json["details"]
    seen = client.get("/associations", memory_id=trio[0]).json["associations"]
    assert len(seen) == len(TYPES) + 4
    for edge in seen:
        address = f"/associations/{edge['memory1_id']}/{edge['type']}/{edge['memory2_id']}"
        assert client.get(address).json["association"] == edge
        assert edge["type"] == "DISCOVERED" or meanings[edge["type"]]["description"]
        other = edge["memory2_id"] if edge["memory1_id"] == trio[0] else edge["memory1_id"]
        way = client.get("/graph/path", **{"from": trio[0], "to": other, "relation_types": edge["type"]}).json
        (step,) = way["path"]
        assert (step["type"], step["direction"]) == (edge["type"], "out" if edge["memory1_id"] == trio[0] else "in")
        assert client.delete(address).status_code == 200
        assert client.get(address).status_code == 404
    assert client.get("/associations", memory_id=trio[0]).json["associations"] == []
    assert client.get(f"/graph/neighbors/{trio[0]}").json["edges"] == []
