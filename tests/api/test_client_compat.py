"""What the public MCP client and its relatives send and read, on the routes of memories and associations.

They send `Content-Type: application/json` with every request, treat an answer that is no JSON as a failure, retry a 5xx
three times, and check answers against schemas in which an optional field may be absent but never null.
"""

import json
from datetime import UTC, datetime

import pytest

SENT_WITH_ALL = {"Content-Type": "application/json", "Accept": "application/json"}


@pytest.fixture
def call(client):
    """Send as that client does, and read as it does: JSON or failure."""

    def send(method, path, body=None, *, token=True):
        headers = {**SENT_WITH_ALL, **({"Authorization": "Bearer test-token"} if token else {})}
        data = None if body is None else json.dumps(body)
        answer = client.raw.open(path, method=method, data=data, headers=headers)
        assert answer.content_type == "application/json"
        assert answer.status_code != 204
        return answer.status_code, json.loads(answer.data)

    return send


def nulls(value, where="answer"):
    """Name every null in an answer."""
    if value is None:
        yield where
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from nulls(item, f"{where}.{name}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from nulls(item, f"{where}[{number}]")


def test_a_store_always_sends_tags_and_reads_the_id(call):
    for tags in ([], ["a", "b"]):
        status, body = call("POST", "/memory", {"content": "We use Redis", "tags": tags, "importance": 0.8})
        assert (status, isinstance(body["memory_id"], str), list(nulls(body))) == (201, True, [])
        assert not isinstance(body.get("message", ""), dict)


def test_a_batch_store_reads_ids_in_order_and_texts_for_both_queues(call):
    items = [{"content": f"item {number}", "tags": []} for number in range(3)]
    status, body = call("POST", "/memory/batch", {"memories": items})
    assert (status, body["stored"], len(body["memory_ids"]), list(nulls(body))) == (201, 3, 3, [])
    assert (type(body["qdrant"]), type(body["enrichment"])) == (str, str)
    assert body["query_time_ms"] >= 0
    for item, memory_id in zip(items, body["memory_ids"], strict=True):
        assert call("GET", f"/memory/{memory_id}")[1]["memory"]["content"] == item["content"]


@pytest.mark.parametrize("relation", ["INVALIDATED_BY", "EVOLVED_INTO"])
@pytest.mark.parametrize("reason", [{}, {"supersede_reason": "moved"}])
def test_the_four_steps_in_which_a_client_supersedes_a_memory(call, tag, relation, reason):
    _, stored = call(
        "POST", "/memory", {"content": "The office is in Oslo", "tags": [tag], "metadata": {"source": "chat"}}
    )
    old_id = stored["memory_id"]

    status, read = call("GET", f"/memory/{old_id}")
    assert (status, read["status"], type(read["memory"]["metadata"])) == (200, "success", dict)

    _, stored = call("POST", "/memory", {"content": "The office is in Bergen", "tags": [tag]})
    new_id = stored["memory_id"]

    closed = {
        "t_invalid": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        "metadata": {
            **read["memory"]["metadata"],
            "deprecated": True,
            "superseded_by": new_id,
            "supersede_relation": relation,
            **reason,
        },
    }
    status, changed = call("PATCH", f"/memory/{old_id}", closed)
    assert (status, changed) == (200, {"status": "success", "memory_id": old_id})

    pair = {"memory1_id": old_id, "memory2_id": new_id, "type": relation, "strength": 0.9}
    status, joined = call("POST", "/associate", pair)
    assert (status, joined["message"]) == (201, f"Association created between {old_id} and {new_id}")

    _, read = call("GET", f"/memory/{old_id}")
    assert read["memory"]["metadata"] == closed["metadata"]
    _, recalled = call("GET", f"/recall?query=office&tags={tag}")
    assert [result["id"] for result in recalled["results"]] == [new_id]


def test_a_client_whose_patch_failed_deletes_the_new_memory_again(call):
    _, stored = call("POST", "/memory", {"content": "new", "tags": []})
    status, body = call("PATCH", f"/memory/{stored['memory_id']}", {"importance": 7})
    assert (status, body["message"]) == (400, "'importance' must be between 0 and 1")
    assert call("DELETE", f"/memory/{stored['memory_id']}") == (
        200,
        {"status": "success", "memory_id": stored["memory_id"]},
    )


def test_reads_and_deletions_with_a_json_type_and_no_body_are_no_error(call, tag):
    _, first = call("POST", "/memory", {"content": "a", "tags": [tag]})
    _, second = call("POST", "/memory", {"content": "b", "tags": [tag]})
    pair = {"memory1_id": first["memory_id"], "memory2_id": second["memory_id"], "type": "PART_OF", "strength": 0.5}
    call("POST", "/associate", pair)
    edge = f"/associations/{first['memory_id']}/PART_OF/{second['memory_id']}"
    for method, path in [
        ("GET", f"/memory/{first['memory_id']}"),
        ("GET", f"/memory/by-tag?tags={tag}"),
        ("GET", "/associations"),
        ("GET", edge),
        ("GET", f"/memories/{first['memory_id']}/related"),
        ("GET", f"/graph/neighbors/{first['memory_id']}"),
        ("GET", "/graph/relations"),
        ("GET", "/graph/types"),
        ("GET", "/health"),
        ("DELETE", edge),
        ("DELETE", f"/memory/{first['memory_id']}"),
        ("DELETE", f"/memory/by-tag?tags={tag}"),
    ]:
        status, body = call(method, path)
        assert (status, list(nulls(body))) == (200, []), path


def test_a_body_on_a_deletion_is_read_by_nobody(client):
    memory_id = client.store("x")
    answer = client("DELETE", f"/memory/{memory_id}", data="{", content_type="application/json")
    assert (answer.status_code, answer.json["memory_id"]) == (200, memory_id)


def test_an_update_may_hold_nothing_at_all(call):
    _, stored = call("POST", "/memory", {"content": "x", "tags": []})
    assert call("PATCH", f"/memory/{stored['memory_id']}", {}) == (
        200,
        {"status": "success", "memory_id": stored["memory_id"]},
    )


def test_an_exhaustive_recall_pages_through_a_tag(call, tag):
    items = [{"content": f"m{number}", "tags": [tag, "x"]} for number in range(7)]
    _, stored = call("POST", "/memory/batch", {"memories": items})
    seen, offset = [], 0
    while True:
        status, body = call("GET", f"/memory/by-tag?tags={tag}&tags=unused&limit=3&offset={offset}")
        assert (status, body["limit"], body["offset"], body["tags"]) == (200, 3, offset, [tag, "unused"])
        assert (body["count"], list(nulls(body))) == (len(body["memories"]), [])
        seen += [memory["id"] for memory in body["memories"]]
        if not body["has_more"]:
            break
        offset += body["count"]
    assert sorted(seen) == sorted(stored["memory_ids"])


def test_a_deletion_by_tag_reads_the_count_and_the_tags(call, tag):
    call("POST", "/memory", {"content": "x", "tags": [tag]})
    assert call("DELETE", f"/memory/by-tag?tags={tag}") == (
        200,
        {"status": "success", "tags": [tag], "deleted_count": 1},
    )


def test_an_association_may_carry_properties_of_every_type(call):
    ids = [call("POST", "/memory", {"content": text, "tags": []})[1]["memory_id"] for text in "ab"]
    every = {
        "context": "c", "reason": "r", "pattern_type": "p", "confidence": 0.5, "resolution": "s", "observations": 2,
        "timestamp": "2026-01-01T00:00:00Z", "transformation": "t", "role": "o",
    }  # fmt: skip
    pair = {"memory1_id": ids[0], "memory2_id": ids[1], "type": "PREFERS_OVER", "strength": 0.7, **every}
    status, body = call("POST", "/associate", pair)
    assert (status, body["message"], list(nulls(body))) == (
        201, f"Association created between {ids[0]} and {ids[1]}", [],
    )  # fmt: skip
    assert (body["context"], body["reason"], "role" in body) == ("c", "r", False)


@pytest.mark.parametrize("failing", [False, True])
def test_a_batch_of_associations_is_a_2xx_that_lists_objects(call, failing):
    ids = [call("POST", "/memory", {"content": text, "tags": []})[1]["memory_id"] for text in "abc"]
    items = [
        {"memory1_id": ids[0], "memory2_id": ids[1], "type": "LEADS_TO", "strength": 0.8},
        {"memory1_id": ids[0], "memory2_id": "gone" if failing else ids[2], "type": "PART_OF", "strength": 0.8},
    ]
    status, body = call("POST", "/associate", {"associations": items})
    succeeded = body["failed_count"] == 0 and body["status"] != "partial_success"
    assert (status, succeeded) == ((207, False) if failing else (201, True))
    assert (body["created_count"], body["failed_count"]) == (len(body["succeeded"]), len(body["failed"]))
    assert body["summary"] == f"{2 - failing}/2 associations created successfully"
    assert [set(entry) for entry in body["failed"]] == [{"index", "reason"}] * failing
    assert list(nulls(body)) == []


def test_a_batch_is_not_taken_for_a_pair_as_older_services_do(call):
    status, body = call("POST", "/associate", {"associations": []})
    assert status == 400
    assert body["message"] != "'memory1_id' and 'memory2_id' are required"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/memory", {"content": ""}, 400),
        ("POST", "/memory", {"content": 5}, 400),
        ("PATCH", "/memory/none", {}, 400),
        ("GET", "/memory/11111111-2222-4333-8444-555555555555", None, 404),
        ("POST", "/associate", {}, 400),
        ("GET", "/no/such/route", None, 404),
        ("POST", "/health", {}, 405),
    ],
)
def test_the_text_of_an_error_is_in_message_and_a_mistake_is_never_retried(call, method, path, body, status):
    answered, error = call(method, path, body)
    assert (answered, error["status"], error["code"]) == (status, "error", status)
    assert error["message"]


def test_health_needs_no_token_and_is_healthy_or_degraded(call):
    status, body = call("GET", "/health", token=False)
    assert (status, body["status"] in {"healthy", "degraded"}) == (200, True)
    assert {
        "falkordb", "qdrant", "graph", "timestamp", "memory_count", "vector_count", "sync_status", "vector_dimensions",
        "enrichment",
    } <= set(body)  # fmt: skip


def test_a_viewer_sends_its_key_in_another_header(client):
    memory_id = client.store("x")
    headers = {**SENT_WITH_ALL, "X-API-Key": "test-token"}
    for method, body in (
        ("PATCH", {"importance": 0.9, "tags": ["a", "b"], "content": "y"}),
        ("GET", None),
        ("DELETE", None),
    ):
        answer = client.raw.open(f"/memory/{memory_id}", method=method, json=body, headers=headers)
        assert answer.status_code == 200
