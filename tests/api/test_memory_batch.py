"""POST /memory/batch: all memories of a request, or none."""

import json
import math

import pytest

from automem.errors import VectorsUnavailable

ARRAY_REQUIRED = "'memories' must be a non-empty array"


def store(client, memories, **headers):
    return client.post("/memory/batch", {"memories": memories}, **headers)


def read(client, memory_id):
    return client.get(f"/memory/{memory_id}").json["memory"]


def test_ids_come_in_the_order_of_the_items(client, tag):
    contents = [f"item {number} 界" for number in range(20)]
    answer = store(client, [{"content": content, "tags": [tag]} for content in contents])
    assert answer.status_code == 201
    assert answer.json == {
        "status": "success",
        "stored": 20,
        "memory_ids": answer.json["memory_ids"],
        "qdrant": "stored (20)",
        "enrichment": "disabled",
        "query_time_ms": answer.json["query_time_ms"],
    }
    assert [read(client, memory_id)["content"] for memory_id in answer.json["memory_ids"]] == contents


def test_items_of_one_text_are_memories_of_their_own(client, tag):
    answer = store(client, [{"content": "twice", "tags": [tag]}] * 2)
    assert len(set(answer.json["memory_ids"])) == 2


def test_every_field_of_a_single_store_is_kept_of_an_item_too(client):
    item = {
        "content": "We decided to wait",
        "tags": "One tag, with a comma",
        "importance": "0.9",
        "metadata": {"source": {"line": 1}},
        "timestamp": "2024-01-01",
        "t_valid": "2024-02-01",
        "t_invalid": "2034-03-01",
        "updated_at": "2024-04-01",
        "last_accessed": "2024-05-01",
        "type": "Insight",
        "confidence": 0.4,
        "supersedes": "not looked at in a batch",
    }
    (memory_id,) = store(client, [item]).json["memory_ids"]
    memory = read(client, memory_id)
    assert memory == {
        "id": memory_id,
        "content": "We decided to wait",
        "type": "Insight",
        "confidence": 0.4,
        "importance": 0.9,
        "tags": ["One tag, with a comma"],
        "tag_prefixes": ["one tag, with a comma"],
        "metadata": {"source": {"line": 1}},
        "timestamp": "2024-01-01T00:00:00+00:00",
        "updated_at": "2024-04-01T00:00:00+00:00",
        "last_accessed": "2024-05-01T00:00:00+00:00",
        "t_valid": "2024-02-01T00:00:00+00:00",
        "t_invalid": "2034-03-01T00:00:00+00:00",
        "processed": False,
    }


def test_an_item_that_is_no_longer_valid_is_not_recalled(client, tag):
    store(
        client,
        [
            {"content": "the old harbour", "tags": [tag], "t_invalid": "2020-01-01"},
            {"content": "the harbour to come", "tags": [tag], "t_valid": "2999-01-01"},
            {"content": "the harbour", "tags": [tag]},
        ],
    )
    assert [found["memory"]["content"] for found in client.recall("harbour", tags=tag)] == ["the harbour"]


def test_vectors_sent_along_are_used_beside_those_made_here(fragile, tag):
    vector = fragile.embedder.embed_query("volcano").tolist()
    texts = fragile.embedder.texts
    answer = store(
        fragile.client,
        [{"content": "silent", "tags": [tag], "embedding": vector}, {"content": "meadow", "tags": [tag]}],
    )
    assert (answer.json["qdrant"], fragile.embedder.texts - texts) == ("stored (2)", 1)
    assert fragile.client.recall("volcano", tags=tag)[0]["id"] == answer.json["memory_ids"][0]
    assert fragile.client.recall("meadow", tags=tag)[0]["id"] == answer.json["memory_ids"][1]


def test_five_hundred_items_are_stored_and_one_more_is_refused(client, tag):
    items = [{"content": f"number {number}", "tags": [tag]} for number in range(501)]
    refused = store(client, items)
    assert (refused.status_code, refused.json["message"]) == (400, "Batch size limit is 500 memories per request")
    assert client.get("/memory/by-tag", tags=tag).json["count"] == 0
    answer = store(client, items[:500])
    assert (answer.json["stored"], len(set(answer.json["memory_ids"]))) == (500, 500)
    assert client.recall("number 499", tags=tag, limit=1)[0]["id"] == answer.json["memory_ids"][499]


@pytest.mark.parametrize(
    "body", [{"memories": []}, {"memories": None}, {"memories": "x"}, {"memories": {"content": "x"}}, {"memories": 5}]
)  # fmt: skip
def test_memories_that_are_no_filled_array_are_refused(client, body):
    answer = client.post("/memory/batch", body)
    assert (answer.status_code, answer.json["message"]) == (400, ARRAY_REQUIRED)


@pytest.mark.parametrize("data", [b"", b"{", b"{}", b'[{"content": "x"}]', b"null", b"\xff\xfe"])
def test_a_body_that_is_no_object_with_memories_is_refused(client, data):
    answer = client("POST", "/memory/batch", data=data, content_type="application/json")
    assert (answer.status_code, answer.json["message"]) == (400, "JSON body with 'memories' array required")


@pytest.mark.parametrize(
    ("item", "message"),
    [
        *((item, "Memory at index 1 must be an object") for item in (None, 5, "x", [], ["x"], True)),
        *(
            (item, "Memory at index 1 missing 'content'")
            for item in ({}, {"content": None}, {"content": "  "}, {"tags": ["x"]})
        ),
        ({"content": 5}, "'content' must be a string"),
        ({"content": "x\x00"}, "'content' must not contain the NUL character"),
        ({"content": "x" * 32_001}, "Memory at index 1 exceeds content limit (32001/32000)"),
        ({"content": "x", "tags": 5}, "'tags' must be a list of strings or a single string"),
        ({"content": "x", "importance": 2}, "'importance' must be between 0 and 1"),
        ({"content": "x", "importance": math.nan}, "'importance' must be between 0 and 1"),
        ({"content": "x", "importance": "high"}, "'importance' must be a number"),
        ({"content": "x", "metadata": []}, "'metadata' must be an object"),
        ({"content": "x", "type": []}, "'type' must be a string"),
        ({"content": "x", "timestamp": "soon"}, "Invalid ISO timestamp"),
        ({"content": "x", "t_invalid": 5}, "Invalid t_invalid: Timestamp must be a non-empty ISO formatted string"),
        ({"content": "x", "embedding": [1]}, "Embedding must contain exactly 128 values"),
    ],
)
def test_one_bad_item_refuses_the_request_and_says_which(client, tag, item, message):
    body = json.dumps({"memories": [{"content": "fine", "tags": [tag]}, item, {"content": ""}]})
    answer = client("POST", "/memory/batch", data=body, content_type="application/json")
    assert (answer.status_code, answer.json["code"], answer.json["status"]) == (400, 400, "error")
    assert (answer.json["message"], answer.json["index"]) == (message, 1)
    assert client.get("/memory/by-tag", tags=tag).json["count"] == 0


def test_without_the_graph_nothing_is_stored_anywhere(fragile, tag):
    indexed = fragile.vectors.count()
    with fragile.graph.failing():
        answer = store(fragile.client, [{"content": "x", "tags": [tag]}] * 3)
    assert (answer.status_code, answer.json["message"]) == (503, "FalkorDB is unavailable")
    assert fragile.vectors.count() == indexed
    assert fragile.client.get("/memory/by-tag", tags=tag).json["count"] == 0


@pytest.mark.parametrize("part", ["vectors", "embedder"])
def test_without_the_index_or_the_embedder_items_are_queued_and_caught_up(fragile, tag, part):
    with getattr(fragile, part).failing():
        answer = store(fragile.client, [{"content": f"slate {number}", "tags": [tag]} for number in range(3)])
    assert (answer.status_code, answer.json["stored"], answer.json["qdrant"]) == (201, 3, "queued")
    fragile.catch_up()
    found = fragile.client.recall("slate", tags=tag)
    assert {result["id"] for result in found} == set(answer.json["memory_ids"])
    assert {result["match_type"] for result in found} == {"vector"}


def test_an_index_that_fails_between_slices_leaves_no_item_behind(fragile, tag, monkeypatch):
    put = fragile.vectors.put

    def put_one_and_fail(entries):
        put(entries[:1])
        raise VectorsUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(fragile.vectors, "put", put_one_and_fail, raising=False)
        answer = store(fragile.client, [{"content": f"basalt {number}", "tags": [tag]} for number in range(3)])
    assert (answer.status_code, answer.json["qdrant"]) == (201, "queued")
    fragile.catch_up()
    assert [found["match_type"] for found in fragile.client.recall("basalt", tags=tag)] == ["vector"] * 3
