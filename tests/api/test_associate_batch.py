"""POST /associate with `associations`."""

import json
import math
import uuid

import pytest
from association_cases import IDS_REQUIRED, OWN, SELF, TYPES, UNKNOWN_TYPE

from automem.errors import GraphRefused

MISSING = "One or both memories do not exist"


@pytest.fixture(scope="module")
def ids(client):
    return client.post("/memory/batch", {"memories": [{"content": f"m{n}"} for n in range(30)]}).json["memory_ids"]


@pytest.fixture
def fresh(client):
    return client.post("/memory/batch", {"memories": [{"content": f"m{n}"} for n in range(4)]}).json["memory_ids"]


def batch(client, items, **more):
    """Send JSON that may hold what the client's own encoder would not write."""
    return client(
        "POST", "/associate", data=json.dumps({"associations": items, **more}), content_type="application/json"
    )


def item(first, second, **fields):
    return {"memory1_id": first, "memory2_id": second, **fields}


def edges(client, memory_id):
    return client.get("/associations", memory_id=memory_id, limit=500).json["associations"]


def test_a_batch_that_succeeds_tells_of_every_item(client, fresh):
    a, b, c, _ = fresh
    answer = batch(
        client, [item(a, b, type="LEADS_TO", strength=0.9), item(b.upper(), c, type=" relates_to ", strength="0.8")]
    )
    assert (answer.status_code, answer.json) == (
        201,
        {
            "status": "success",
            "created_count": 2,
            "failed_count": 0,
            "succeeded": [
                {"index": 0, "memory1_id": a, "memory2_id": b, "relation_type": "LEADS_TO", "strength": 0.9},
                {"index": 1, "memory1_id": b, "memory2_id": c, "relation_type": "RELATES_TO", "strength": 0.8},
            ],
            "failed": [],
            "summary": "2/2 associations created successfully",
        },
    )
    assert [(edge["memory1_id"], edge["type"], edge["memory2_id"]) for edge in edges(client, a)] == [(a, "LEADS_TO", b)]


def test_items_take_the_defaults_of_a_single_pair(client, fresh):
    (made,) = batch(client, [item(fresh[0], fresh[1], type=None, strength=None)]).json["succeeded"]
    assert (made["relation_type"], made["strength"]) == ("RELATES_TO", 0.5)


def test_own_properties_are_stored_for_every_type_and_not_echoed(client, fresh):
    a, b, _, _ = fresh
    answer = batch(client, [item(a, b, type=relation, unknown=1, **OWN.get(relation, {})) for relation in TYPES])
    assert answer.status_code == 201
    assert all(
        set(made) == {"index", "memory1_id", "memory2_id", "relation_type", "strength"}
        for made in answer.json["succeeded"]
    )
    stored = {edge.pop("type"): edge for edge in edges(client, a)}
    for relation in TYPES:
        own = OWN.get(relation, {})
        assert set(stored[relation]) == {"memory1_id", "memory2_id", "strength", "created_at", "updated_at", *own}
        assert {name: stored[relation][name] for name in own} == own


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        *((value, "Association item must be an object") for value in (None, 5, "x", [], ["a"], True)),
        *(({"memory1_id": value}, IDS_REQUIRED) for value in (None, "", "  ")),
        ({"memory2_id": None}, IDS_REQUIRED),
        *(
            ({"memory1_id": value}, "'memory1_id' must be a valid UUID")
            for value in ("x", 5, [], {"a": 1}, "\x00", "\ud800")
        ),
        ({"memory2_id": "x"}, "'memory2_id' must be a valid UUID"),
        ({"memory1_id": "x", "memory2_id": "y"}, "'memory1_id' must be a valid UUID"),
        ({"memory1_id": "SECOND"}, SELF),
        *(({"type": value}, UNKNOWN_TYPE) for value in ("KNOWS", "SIMILAR_TO", 5, [], {"a": 1})),
        ({"memory1_id": "UNKNOWN"}, MISSING),
        ({"memory2_id": "UNKNOWN"}, MISSING),
        ({"type": "PART_OF", "role": {"a": 1}}, "'role' must be a string, number, boolean, or a list of these"),
        ({"type": "PART_OF", "role": math.nan}, "'role' must be a finite number"),
        ({"type": "PART_OF", "role": 10**400}, "'role' must fit into 64 bits"),
        (
            {"type": "PART_OF", "role": [["a"]]},
            "'role' must be a list of strings, numbers or booleans, without null and lists",
        ),
        ({"type": "PART_OF", "role": "\x00"}, "'role' must not contain the NUL character"),
        ({"type": "PART_OF", "role": "\ud800"}, "'role' must be valid Unicode, without lone surrogates"),
    ],
)  # fmt: skip
def test_a_bad_item_fails_alone_and_says_why(client, fresh, bad, reason):
    a, b, c, d = fresh
    if isinstance(bad, dict):
        names = {"SECOND": b, "UNKNOWN": str(uuid.uuid4())}
        bad = item(a, b, type="PART_OF") | {k: names.get(v, v) if isinstance(v, str) else v for k, v in bad.items()}
    answer = batch(client, [item(a, c, type="PART_OF", role="part"), bad, item(a, d, type="PART_OF")])
    assert (answer.status_code, answer.json["status"]) == (207, "partial_success")
    assert answer.json["failed"] == [{"index": 1, "reason": reason}]
    assert [made["index"] for made in answer.json["succeeded"]] == [0, 2]
    assert (answer.json["created_count"], answer.json["failed_count"]) == (2, 1)
    assert answer.json["summary"] == "2/3 associations created successfully"
    assert {edge["memory2_id"] for edge in edges(client, a)} == {c, d}


def test_the_checks_of_an_item_run_in_order(client, fresh):
    a, b, _, _ = fresh
    bad = {"a": 1}
    items = [
        {"type": "KNOWS", "role": bad},
        item("x", "y", type="KNOWS"),
        item(a, "y", type="KNOWS"),
        item(a, a, type="KNOWS"),
        item(a, b, type="KNOWS", role=bad),
        item(a, str(uuid.uuid4()), type="PART_OF", role=bad),
    ]
    assert [failed["reason"] for failed in batch(client, items).json["failed"]] == [
        IDS_REQUIRED,
        "'memory1_id' must be a valid UUID",
        "'memory2_id' must be a valid UUID",
        SELF,
        UNKNOWN_TYPE,
        "'role' must be a string, number, boolean, or a list of these",
    ]


def test_a_batch_of_which_everything_failed_is_a_207(client):
    answer = batch(client, [5, item("x", "y")])
    assert (answer.status_code, answer.json["status"], answer.json["created_count"], answer.json["failed_count"]) == (
        207, "partial_success", 0, 2,
    )  # fmt: skip
    assert (answer.json["succeeded"], answer.json["summary"]) == ([], "0/2 associations created successfully")


@pytest.mark.parametrize(
    ("strength", "message"),
    [
        *((value, "'importance' must be a number") for value in ("strong", "", [], {})),
        *((value, "'importance' must be between 0 and 1") for value in (1.5, -1, math.nan, math.inf, 10**400)),
    ],
)
def test_one_bad_strength_rejects_the_whole_batch_before_anything_is_written(client, fresh, strength, message):
    a, b, c, _ = fresh
    answer = batch(client, [item(a, b), 5, {"strength": strength}, item(a, c, strength=strength)])
    assert (answer.status_code, answer.json) == (
        400,
        {"status": "error", "code": 400, "message": message, "index": 2, "field": "strength"},
    )
    assert edges(client, a) == []


@pytest.mark.parametrize("count", [0, 501])
def test_a_batch_holds_1_to_500_items(client, ids, count):
    answer = batch(client, [item(ids[0], ids[1])] * count)
    message = (
        "'associations' must be a non-empty array" if count == 0 else "Batch size limit is 500 associations per request"
    )
    assert (answer.status_code, answer.json["message"]) == (400, message)


def test_the_size_of_a_batch_is_checked_before_its_strengths(client, ids):
    answer = batch(client, [item(ids[0], ids[1], strength=7)] * 501)
    assert answer.json["message"] == "Batch size limit is 500 associations per request"


def test_five_hundred_items_are_joined_in_one_request(client, ids):
    pairs = [(a, b) for a in ids for b in ids if a != b][:500]
    answer = batch(client, [item(a, b, type="REINFORCES", observations=n) for n, (a, b) in enumerate(pairs)])
    assert (answer.status_code, answer.json["created_count"]) == (201, 500)
    assert [made["index"] for made in answer.json["succeeded"]] == list(range(500))
    stored = {(edge["memory1_id"], edge["memory2_id"]): edge["observations"] for edge in edges(client, ids[0])}
    expected = {pair: n for n, pair in enumerate(pairs) if ids[0] in pair}
    assert stored == expected


def test_the_keys_of_a_single_pair_beside_a_batch_are_left_out(client, fresh):
    a, b, c, _ = fresh
    answer = batch(client, [item(a, b)], memory1_id=a, memory2_id=c, strength="not looked at", type="KNOWS")
    assert answer.status_code == 201
    assert [edge["memory2_id"] for edge in edges(client, a)] == [b]


@pytest.mark.parametrize("existing", [False, True], ids=["new edge", "existing edge"])
def test_of_duplicates_the_last_values_hold_and_every_one_succeeds(client, fresh, existing):
    a, b, _, _ = fresh
    if existing:
        client.associate(a, b, "PREFERS_OVER", 0.1, reason="before", context="kept")
    items = [item(a, b, type="PREFERS_OVER", strength=n / 10, reason=str(n)) for n in (1, 2, 3)]
    items.insert(1, item(b, a, type="PREFERS_OVER"))
    items.append(item(a.upper(), b, type="prefers_over", strength=0.9, reason="last"))
    answer = batch(client, items)
    assert (answer.status_code, answer.json["created_count"], answer.json["failed"]) == (201, 5, [])
    assert [made["index"] for made in answer.json["succeeded"]] == [0, 1, 2, 3, 4]
    (edge,) = [edge for edge in edges(client, a) if edge["memory1_id"] == a]
    assert (edge["strength"], edge["reason"], edge.get("context")) == (0.9, "last", "kept" if existing else None)


def test_duplicates_of_an_edge_that_cannot_be_made_all_fail(client, fresh):
    unknown = str(uuid.uuid4())
    answer = batch(client, [item(fresh[0], unknown), item(fresh[0], fresh[1]), item(fresh[0], unknown)])
    assert [(failed["index"], failed["reason"]) for failed in answer.json["failed"]] == [(0, MISSING), (2, MISSING)]


def test_a_repeated_batch_changes_no_edge_but_its_update_time(client, fresh):
    a, b, c, _ = fresh
    items = [item(a, b, strength=0.3), item(a, c, type="PART_OF", role="x")]
    batch(client, items)
    before = edges(client, a)
    assert batch(client, items).status_code == 201
    after = edges(client, a)
    assert [{**edge, "updated_at": ""} for edge in after] == [{**edge, "updated_at": ""} for edge in before]
    assert all(new["updated_at"] > old["updated_at"] for new, old in zip(after, before, strict=True))


def test_a_refused_query_fails_the_items_of_its_type_only(fragile):
    client = fragile.client
    a, b = client.store("a"), client.store("b")
    items = [item(a, b, type="PART_OF"), item(a, b, type="LEADS_TO"), item(b, a, type="PART_OF")]
    with fragile.graph.failing(lambda query: ":PART_OF]" in query, GraphRefused("detail")):
        answer = batch(client, items)
    reason = "Failed to create association batch for relation type PART_OF"
    assert answer.json["failed"] == [{"index": 0, "reason": reason}, {"index": 2, "reason": reason}]
    assert (answer.status_code, [made["index"] for made in answer.json["succeeded"]]) == (207, [1])


@pytest.mark.parametrize("when", ["at once", "after the first type"])
def test_an_outage_is_503_for_the_whole_request_which_can_be_sent_again(fragile, when):
    client = fragile.client
    a, b = client.store("a"), client.store("b")
    items = [item(a, b, type="LEADS_TO"), item(a, b, type="PART_OF"), 5]
    with fragile.graph.failing(lambda query: when == "at once" or ":PART_OF]" in query):
        answer = batch(client, items)
    assert (answer.status_code, answer.json) == (
        503,
        {"status": "error", "code": 503, "message": "FalkorDB is unavailable"},
    )
    assert batch(client, items).json["created_count"] == 2
    assert client.get("/associations", memory_id=a).json["count"] == 2


def test_a_batch_without_a_valid_item_needs_no_graph(fragile):
    with fragile.graph.failing():
        assert batch(fragile.client, [5, item("x", "y")]).status_code == 207
