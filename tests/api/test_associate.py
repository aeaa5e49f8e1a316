"""POST /associate with one pair."""

import json
import math
import threading
import uuid

import pytest
from association_cases import IDS_REQUIRED, OWN, SELF, TYPES, UNKNOWN_TYPE

from automem.errors import GraphRefused

INVALID_ID = "memory_id must be a valid UUID"


@pytest.fixture(scope="module")
def pair(client):
    return client.store("PostgreSQL decision"), client.store("MongoDB evaluation")


@pytest.fixture
def fresh(client):
    return client.store("first"), client.store("second")


def associate(client, body):
    """Send JSON that may hold what the client's own encoder would not write."""
    return client("POST", "/associate", data=json.dumps(body), content_type="application/json")


def edge(client, first, relation, second):
    answer = client.get(f"/associations/{first}/{relation}/{second}")
    assert answer.status_code == 200, answer.json
    return answer.json["association"]


def test_a_pair_is_joined_from_the_first_to_the_second(client, fresh):
    first, second = fresh
    body = {"memory1_id": first, "memory2_id": second, "type": "LEADS_TO", "strength": 0.9}
    answer = client.post("/associate", body)
    assert (answer.status_code, answer.json) == (
        201,
        {
            "status": "success",
            "message": f"Association created between {first} and {second}",
            "relation_type": "LEADS_TO",
            "strength": 0.9,
        },
    )
    stored = edge(client, first, "LEADS_TO", second)
    assert stored == {**body, "created_at": stored["updated_at"], "updated_at": stored["updated_at"]}
    assert stored["updated_at"].endswith("+00:00")
    assert client.get(f"/associations/{second}/LEADS_TO/{first}").status_code == 404


@pytest.mark.parametrize("relation", TYPES)
def test_every_authorable_type_keeps_and_echoes_its_own_properties(client, fresh, relation):
    own = OWN.get(relation, {})
    body = {"memory1_id": fresh[0], "memory2_id": fresh[1], "type": relation, "strength": 0.25, **own}
    answer = client.post("/associate", {**body, "unknown": "left out", "kind": "left out"})
    assert answer.status_code == 201
    assert set(answer.json) == {"status", "message", "relation_type", "strength", *own}
    assert {name: answer.json[name] for name in own} == own
    stored = edge(client, fresh[0], relation, fresh[1])
    assert set(stored) == {*body, "created_at", "updated_at"}
    assert {name: stored[name] for name in own} == own


def test_a_property_of_another_type_is_left_out(client, fresh):
    client.associate(*fresh, "LEADS_TO", reason="belongs to PREFERS_OVER")
    assert "reason" not in edge(client, fresh[0], "LEADS_TO", fresh[1])


@pytest.mark.parametrize(
    ("sent", "relation", "strength"),
    [
        ({}, "RELATES_TO", 0.5),
        ({"type": None, "strength": None}, "RELATES_TO", 0.5),
        ({"type": ""}, "RELATES_TO", 0.5),
        ({"type": " part_of "}, "PART_OF", 0.5),
        ({"strength": 0}, "RELATES_TO", 0.0),
        ({"strength": 1}, "RELATES_TO", 1.0),
        ({"strength": True}, "RELATES_TO", 1.0),
        ({"strength": False}, "RELATES_TO", 0.0),
        ({"strength": "0.7"}, "RELATES_TO", 0.7),
        ({"strength": " 1e-1 "}, "RELATES_TO", 0.1),
        ({"associations": None}, "RELATES_TO", 0.5),
        ({"associations": "x"}, "RELATES_TO", 0.5),
        ({"associations": {"memory1_id": "x"}}, "RELATES_TO", 0.5),
        ({"associations": 5}, "RELATES_TO", 0.5),
    ],
)
def test_what_is_absent_gets_its_default_and_what_is_sent_its_form(client, fresh, sent, relation, strength):
    answer = client.post("/associate", {"memory1_id": f" {fresh[0]} ", "memory2_id": fresh[1], **sent})
    assert (answer.status_code, answer.json["relation_type"], answer.json["strength"]) == (201, relation, strength)
    assert edge(client, fresh[0], relation, fresh[1])["strength"] == strength


@pytest.mark.parametrize("strength", ["", "strong", [], {}, [0.5], "0,5"])
def test_a_strength_that_is_no_number_is_refused(client, pair, strength):
    answer = associate(client, {"memory1_id": pair[0], "memory2_id": pair[1], "strength": strength})
    assert (answer.status_code, answer.json["message"]) == (400, "'importance' must be a number")


@pytest.mark.parametrize(
    "strength", [1.01, -0.01, 7, math.nan, math.inf, -math.inf, "nan", "inf", "-1", 10**400, -(10**400)]
)
def test_a_strength_outside_its_range_is_refused(client, pair, strength):
    answer = associate(client, {"memory1_id": pair[0], "memory2_id": pair[1], "strength": strength})
    assert (answer.status_code, answer.json["message"]) == (400, "'importance' must be between 0 and 1")


@pytest.mark.parametrize("name", ["memory1_id", "memory2_id"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_both_ids_are_required(client, pair, name, value):
    body = {"memory1_id": pair[0], "memory2_id": pair[1], name: value}
    assert associate(client, body).json["message"] == IDS_REQUIRED
    body.pop(name)
    answer = associate(client, body)
    assert (answer.status_code, answer.json) == (400, {"status": "error", "code": 400, "message": IDS_REQUIRED})


@pytest.mark.parametrize("name", ["memory1_id", "memory2_id"])
@pytest.mark.parametrize("value", ["x", 5, 0.5, True, ["a"], {"a": 1}, "\x00", "\ud800", 10**400])
def test_an_id_that_is_no_uuid_is_refused(client, pair, name, value):
    answer = associate(client, {"memory1_id": pair[0], "memory2_id": pair[1], name: value})
    assert (answer.status_code, answer.json["message"]) == (400, INVALID_ID)


@pytest.mark.parametrize(
    "value", ["SIMILAR_TO", "PRECEDED_BY", "DISCOVERED", "EXPLAINS", "KNOWS", 5, ["LEADS_TO"], {}, "\x00", "\ud800"]
)
def test_a_type_that_is_not_authorable_is_refused(client, pair, value):
    answer = associate(client, {"memory1_id": pair[0], "memory2_id": pair[1], "type": value})
    assert (answer.status_code, answer.json["message"]) == (400, UNKNOWN_TYPE)


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b'"x"'])
def test_a_body_that_is_no_json_object_is_refused(client, data):
    answer = client("POST", "/associate", data=data, content_type="application/json")
    assert (answer.status_code, answer.json["message"]) == (400, "JSON body is required")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": 1}, "'reason' must be a string, number, boolean, or a list of these"),
        ([{"a": 1}], "'reason' must be a string, number, boolean, or a list of these"),
        ([["a"]], "'reason' must be a list of strings, numbers or booleans, without null and lists"),
        ([None], "'reason' must be a list of strings, numbers or booleans, without null and lists"),
        (math.nan, "'reason' must be a finite number"),
        ([math.inf], "'reason' must be a finite number"),
        (2**63, "'reason' must fit into 64 bits"),
        (10**400, "'reason' must fit into 64 bits"),
        ("a\x00", "'reason' must not contain the NUL character"),
        ("\ud800", "'reason' must be valid Unicode, without lone surrogates"),
    ],
)
def test_a_property_that_an_edge_cannot_hold_is_refused_by_name(client, pair, value, message):
    body = {"memory1_id": pair[0], "memory2_id": pair[1], "type": "PREFERS_OVER", "reason": value}
    answer = associate(client, body)
    assert (answer.status_code, answer.json["message"]) == (400, message)
    assert client.get(f"/associations/{pair[0]}/PREFERS_OVER/{pair[1]}").status_code == 404


@pytest.mark.parametrize(
    "value", ["", 'a "quoted" \\ `text`\n\t\x01', 0, -(2**63), 2**63 - 1, 0.1, -1e300, False, [], ["a", 1, True, 2.5]]
)
def test_any_scalar_or_list_of_scalars_is_a_property(client, fresh, value):
    client.associate(*fresh, "PREFERS_OVER", reason=value)
    assert edge(client, fresh[0], "PREFERS_OVER", fresh[1])["reason"] == value


def test_the_checks_run_in_the_documented_order_and_the_first_fault_ends_the_request(fragile):
    client = fragile.client
    known, unknown = client.store("x"), str(uuid.uuid4())
    steps = [
        ({"strength": "strong"}, "'importance' must be a number"),
        ({"strength": 7}, "'importance' must be between 0 and 1"),
        ({}, IDS_REQUIRED),
        ({"memory1_id": "x"}, IDS_REQUIRED),
        ({"memory1_id": "x", "memory2_id": "y"}, INVALID_ID),
        ({"memory1_id": known, "memory2_id": "y"}, INVALID_ID),
        ({"memory1_id": known, "memory2_id": known}, SELF),
        ({"memory1_id": known, "memory2_id": unknown}, UNKNOWN_TYPE),
    ]
    with fragile.graph.failing():
        for fields, message in steps:
            answer = client.post("/associate", {"type": "KNOWS", **fields})
            assert (answer.status_code, answer.json["message"]) == (400, message)
        answer = client.post("/associate", {"memory1_id": known, "memory2_id": unknown})
        assert (answer.status_code, answer.json["message"]) == (503, "FalkorDB is unavailable")
    answer = client.post("/associate", {"memory1_id": known, "memory2_id": unknown})
    assert (answer.status_code, answer.json["message"]) == (404, "One or both memories do not exist")


@pytest.mark.parametrize("missing", [(0,), (1,), (0, 1)])
def test_both_memories_must_exist(client, pair, missing):
    ids = [str(uuid.uuid4()) if place in missing else pair[place] for place in (0, 1)]
    answer = client.post("/associate", {"memory1_id": ids[0], "memory2_id": ids[1]})
    assert (answer.status_code, answer.json) == (
        404,
        {"status": "error", "code": 404, "message": "One or both memories do not exist"},
    )


@pytest.mark.parametrize(
    "spelling", [str.upper, "{{{}}}".format, "urn:uuid:{}".format, lambda text: text.replace("-", "")]
)
def test_two_spellings_of_one_id_are_one_memory(client, fresh, spelling):
    answer = client.post("/associate", {"memory1_id": spelling(fresh[0]), "memory2_id": fresh[0]})
    assert (answer.status_code, answer.json["message"]) == (400, SELF)
    answer = client.post("/associate", {"memory1_id": spelling(fresh[0]), "memory2_id": spelling(fresh[1])})
    assert answer.json["message"] == f"Association created between {fresh[0]} and {fresh[1]}"
    assert edge(client, *[fresh[0], "RELATES_TO", fresh[1]])["memory1_id"] == fresh[0]


def test_a_repeated_association_updates_the_one_edge_and_keeps_its_creation_and_unsent_properties(client, fresh):
    client.associate(*fresh, "PREFERS_OVER", 0.3, reason="old", context="kept")
    created = edge(client, fresh[0], "PREFERS_OVER", fresh[1])
    client.associate(*fresh, "prefers_over", 0.8, reason="new")
    updated = edge(client, fresh[0], "PREFERS_OVER", fresh[1])
    assert updated == {**created, "strength": 0.8, "reason": "new", "updated_at": updated["updated_at"]}
    assert updated["updated_at"] > created["updated_at"]
    assert client.get("/associations", memory_id=fresh[0]).json["count"] == 1


def test_a_null_property_is_echoed_and_removes_the_stored_one(client, fresh):
    client.associate(*fresh, "PREFERS_OVER", reason="old")
    body = {"memory1_id": fresh[0], "memory2_id": fresh[1], "type": "PREFERS_OVER", "reason": None}
    assert client.post("/associate", body).json["reason"] is None
    assert "reason" not in edge(client, fresh[0], "PREFERS_OVER", fresh[1])


def test_both_directions_and_several_types_are_edges_of_their_own(client, fresh):
    first, second = fresh
    for ends, relation in (((first, second), "LEADS_TO"), ((second, first), "LEADS_TO"), ((first, second), "PART_OF")):
        client.associate(*ends, relation)
    assert client.get("/associations", memory_id=first).json["count"] == 3


def test_clients_that_send_one_association_at_once_make_one_edge(client, app, fresh):
    statuses, start = [], threading.Barrier(8)
    body = {"memory1_id": fresh[0], "memory2_id": fresh[1], "type": "REINFORCES"}

    def send():
        own = type(client)(app)
        start.wait()
        statuses.append(own.post("/associate", body).status_code)

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [201] * 8
    assert client.get("/associations", memory_id=fresh[0]).json["count"] == 1


def test_an_association_touches_neither_the_index_nor_the_memories(fragile, fresh):
    client = fragile.client
    first, second = client.store("one"), client.store("two")
    before = [client.get(f"/memory/{memory_id}").json for memory_id in (first, second)]
    calls, texts = fragile.vectors.round_trips, fragile.embedder.texts
    with fragile.vectors.failing():
        client.associate(first, second)
    assert (fragile.vectors.round_trips, fragile.embedder.texts) == (calls, texts)
    assert [client.get(f"/memory/{memory_id}").json for memory_id in (first, second)] == before


def test_a_refused_query_is_a_server_error_with_its_own_message(fragile):
    client = fragile.client
    first, second = client.store("one"), client.store("two")
    with fragile.graph.failing(error=GraphRefused("secret detail of the engine")):
        answer = client.post("/associate", {"memory1_id": first, "memory2_id": second})
    assert (answer.status_code, answer.json) == (
        500,
        {"status": "error", "code": 500, "message": "Failed to create association"},
    )


def test_an_association_whose_answer_was_lost_can_be_sent_again(fragile):
    client = fragile.client
    first, second = client.store("one"), client.store("two")
    with fragile.graph.losing_answers():
        assert client.post("/associate", {"memory1_id": first, "memory2_id": second}).status_code == 503
    client.associate(first, second)
    assert client.get("/associations", memory_id=first).json["count"] == 1


def test_clearing_own_properties_leaves_every_other_one(client):
    first, second = client.store("tea"), client.store("coffee")
    edge = {"memory1_id": first, "memory2_id": second, "type": "PREFERS_OVER", "strength": 0.8}
    assert client.post("/associate", {**edge, "context": "mornings", "reason": "taste"}).status_code == 201
    assert client.post("/associate", {**edge, "context": None, "reason": None}).status_code == 201
    shown = client.get(f"/associations/{first}/PREFERS_OVER/{second}").json["association"]
    assert not {"context", "reason"} & set(shown)
    assert {"created_at", "updated_at", "strength"} <= set(shown)
