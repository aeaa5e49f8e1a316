"""GET /associations, and GET and DELETE of one association."""

import uuid

import pytest

REGISTERED = (
    "CONTRADICTS", "DERIVED_FROM", "DISCOVERED", "EVOLVED_INTO", "EXEMPLIFIES", "INVALIDATED_BY", "LEADS_TO",
    "OCCURRED_BEFORE", "PART_OF", "PRECEDED_BY", "PREFERS_OVER", "REINFORCES", "RELATES_TO", "SIMILAR_TO",
)  # fmt: skip
UNKNOWN_TYPE = f"Relation type must be one of {list(REGISTERED)}"


@pytest.fixture
def three(client):
    return [client.store(name) for name in ("first", "second", "third")]


@pytest.fixture
def star(client, three):
    """The first memory with two edges out and one in."""
    centre, second, third = three
    client.associate(centre, second, "LEADS_TO", 0.9)
    client.associate(centre, third, "PART_OF", 0.4, role="wheel")
    client.associate(third, centre, "LEADS_TO", 0.2)
    return three


def listed(client, **params):
    answer = client.get("/associations", **params)
    assert answer.status_code == 200, answer.json
    return {(edge["memory1_id"], edge["type"], edge["memory2_id"]) for edge in answer.json["associations"]}


def test_an_edge_is_listed_with_its_times_and_own_properties(client, three):
    client.associate(three[0], three[1], "PART_OF", 0.4, role="wheel", context="界")
    answer = client.get("/associations", memory_id=three[0])
    (edge,) = answer.json["associations"]
    assert answer.json == {
        "status": "success",
        "associations": [edge],
        "count": 1,
        "limit": 50,
        "offset": 0,
        "has_more": False,
    }
    assert edge == {
        "memory1_id": three[0],
        "memory2_id": three[1],
        "type": "PART_OF",
        "strength": 0.4,
        "role": "wheel",
        "context": "界",
        "created_at": edge["created_at"],
        "updated_at": edge["updated_at"],
    }


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, {"out1", "out2", "in"}),
        ({"direction": "both"}, {"out1", "out2", "in"}),
        ({"direction": "out"}, {"out1", "out2"}),
        ({"direction": " IN "}, {"in"}),
        ({"direction": ""}, {"out1", "out2", "in"}),
        ({"type": "LEADS_TO"}, {"out1", "in"}),
        ({"type": "leads_to", "direction": "in"}, {"in"}),
        ({"type": "LEADS_TO, part_of"}, {"out1", "out2", "in"}),
        ({"type": "REINFORCES"}, set()),
    ],
)
def test_direction_and_type_narrow_the_list(client, star, params, found):
    centre, second, third = star
    edges = {
        "out1": (centre, "LEADS_TO", second),
        "out2": (centre, "PART_OF", third),
        "in": (third, "LEADS_TO", centre),
    }
    assert listed(client, memory_id=centre.upper(), **params) == {edges[name] for name in found}


def test_without_a_memory_the_edges_of_all_are_listed(client, star):
    centre, second, third = star
    everything = listed(client, limit=500)
    assert {(centre, "LEADS_TO", second), (centre, "PART_OF", third), (third, "LEADS_TO", centre)} <= everything
    assert {kind for _, kind, _ in listed(client, limit=500, type="PART_OF")} == {"PART_OF"}


def test_pages_cover_every_edge_once_in_a_stable_order(client):
    hub = client.store("hub")
    spokes = client.post("/memory/batch", {"memories": [{"content": f"s{n}"} for n in range(7)]}).json["memory_ids"]
    for spoke in spokes:
        client.associate(hub, spoke)
    seen, more, offset = [], True, 0
    while more:
        page = client.get("/associations", memory_id=hub, limit=3, offset=offset).json
        assert (page["count"], page["limit"], page["offset"]) == (len(page["associations"]), 3, offset)
        seen += [edge["memory2_id"] for edge in page["associations"]]
        more, offset = page["has_more"], offset + 3
    assert seen == sorted(spokes)


@pytest.mark.parametrize(
    ("sent", "limit", "offset"),
    [
        ({}, 50, 0),
        ({"limit": 0, "offset": -1}, 1, 0),
        ({"limit": 501}, 500, 0),
        ({"limit": "x", "offset": "y"}, 50, 0),
        ({"limit": "9" * 400, "offset": "9" * 400}, 500, 2**31),
    ],
)
def test_limits_are_clamped_and_unreadable_ones_are_the_default(client, three, sent, limit, offset):
    answer = client.get("/associations", memory_id=three[0], **sent).json
    assert (answer["limit"], answer["offset"]) == (limit, offset)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"memory_id": "x"}, "memory_id must be a valid UUID"),
        ({"memory_id": "\x00"}, "memory_id must be a valid UUID"),
        ({"type": "KNOWS"}, UNKNOWN_TYPE),
        ({"type": "LEADS_TO,\x00"}, UNKNOWN_TYPE),
        ({"direction": "sideways"}, "'direction' must be out, in or both"),
    ],
)
def test_a_bad_parameter_is_refused(client, params, message):
    answer = client.get("/associations", **params)
    assert (answer.status_code, answer.json["message"]) == (400, message)


def test_edges_of_background_work_and_of_older_stores_are_listed_under_their_type(client, service, three):
    first, second, third = three
    service.runner.write(
        "MATCH (a:Memory {id: $a}), (b:Memory {id: $b}), (c:Memory {id: $c}) "
        "CREATE (a)-[:SIMILAR_TO {score: 0.8}]->(b), (a)-[:SHARES_THEME {similarity: 0.6}]->(c), "
        "(a)-[:SUMMARIZES]->(b)",
        {"a": first, "b": second, "c": third},
    )
    edges = client.get("/associations", memory_id=first).json["associations"]
    shown = {(edge["type"], edge["memory2_id"], edge["strength"], edge.get("kind")) for edge in edges}
    assert shown == {("SIMILAR_TO", second, 0.8, None), ("DISCOVERED", third, 0.6, "shares_theme")}
    assert listed(client, memory_id=first, type="DISCOVERED") == {(first, "DISCOVERED", third)}
    one = client.get(f"/associations/{first}/DISCOVERED/{third}").json["association"]
    assert (one["type"], one["kind"]) == ("DISCOVERED", "shares_theme")


@pytest.mark.parametrize("relation", ["LEADS_TO", "leads_to", " Leads_To "])
@pytest.mark.parametrize("spelling", [str, str.upper, lambda text: text.replace("-", "")])
def test_one_edge_is_read_by_its_ends_and_type_in_any_spelling(client, star, relation, spelling):
    centre, second, _ = star
    answer = client.get(f"/associations/{spelling(centre)}/{relation}/{spelling(second)}")
    assert (answer.status_code, answer.json["status"]) == (200, "success")
    edge = answer.json["association"]
    assert (edge["memory1_id"], edge["type"], edge["memory2_id"], edge["strength"]) == (centre, "LEADS_TO", second, 0.9)


def test_one_edge_is_removed_and_nothing_else(client, star):
    centre, second, third = star
    answer = client.delete(f"/associations/{centre}/part_of/{third}")
    assert (answer.status_code, answer.json) == (
        200,
        {"status": "success", "memory1_id": centre, "memory2_id": third, "type": "PART_OF"},
    )
    assert client.delete(f"/associations/{centre}/PART_OF/{third}").status_code == 404
    assert listed(client, memory_id=centre) == {(centre, "LEADS_TO", second), (third, "LEADS_TO", centre)}
    assert client.get(f"/memory/{third}").status_code == 200


def test_a_removed_edge_made_again_is_a_new_one(client, three):
    first, second, _ = three
    client.associate(first, second, "PART_OF", role="old")
    before = client.get(f"/associations/{first}/PART_OF/{second}").json["association"]
    client.delete(f"/associations/{first}/PART_OF/{second}")
    client.associate(first, second, "PART_OF")
    after = client.get(f"/associations/{first}/PART_OF/{second}").json["association"]
    assert ("role" in after, after["created_at"] > before["created_at"]) == (False, True)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize(
    "path", ["{second}/LEADS_TO/{first}", "{first}/PART_OF/{second}", "{first}/LEADS_TO/{unknown}"]
)
def test_an_edge_that_is_not_there_is_not_found(client, three, method, path):
    client.associate(three[0], three[1], "LEADS_TO")
    path = path.format(first=three[0], second=three[1], unknown=uuid.uuid4())
    answer = client(method, f"/associations/{path}")
    assert (answer.status_code, answer.json["message"]) == (404, "Association not found")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("x/LEADS_TO/{id}", "'memory1_id' must be a valid UUID"),
        ("{id}/LEADS_TO/x", "'memory2_id' must be a valid UUID"),
        ("{id}/KNOWS/{id}", UNKNOWN_TYPE),
        ("{id}/%00/{id}", UNKNOWN_TYPE),
        ("%00/LEADS_TO/{id}", "'memory1_id' must be a valid UUID"),
    ],
)
def test_a_bad_address_is_refused(client, three, method, path, message):
    answer = client(method, f"/associations/{path.format(id=three[0])}")
    assert (answer.status_code, answer.json["message"]) == (400, message)


def test_without_the_graph_every_answer_is_503(fragile):
    first, second = fragile.client.store("a"), fragile.client.store("b")
    fragile.client.associate(first, second)
    path = f"/associations/{first}/RELATES_TO/{second}"
    with fragile.graph.failing():
        answers = [fragile.client.get("/associations"), fragile.client.get(path), fragile.client.delete(path)]
    assert {(answer.status_code, answer.json["message"]) for answer in answers} == {(503, "FalkorDB is unavailable")}
    assert fragile.client.get(path).status_code == 200
