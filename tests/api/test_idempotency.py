"""The header Idempotency-Key: a store that is sent again does not make a second memory."""

import threading

import pytest

from automem.background.sweep import SweepTask
from automem.stores.graph.memories import GraphMemories
from automem.stores.graph.outbox import Outbox

UNKNOWN = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def key(tag):
    return f"key of {tag}"


def store(client, key, body, route="/memory"):
    return client.post(route, body, **{"Idempotency-Key": key})


def how_many(client, tag):
    return client.get("/memory/by-tag", tags=tag).json["count"]


def test_the_same_request_again_gets_the_same_answer_and_stores_nothing(client, tag, key):
    body = {
        "content": "We decided to wait",
        "tags": [tag],
        "metadata": {"ß": [1]},
        "timestamp": "2024-01-01",
        "importance": 1,
    }
    first = store(client, key, body)
    again = store(client, key, dict(reversed(body.items())))
    changing = {"query_time_ms", "qdrant", "embedding_status"}
    assert (first.status_code, again.status_code) == (201, 201)
    assert set(first.json) == set(again.json)
    assert {n: v for n, v in first.json.items() if n not in changing} == {
        n: v for n, v in again.json.items() if n not in changing
    }
    assert how_many(client, tag) == 1


def test_a_batch_sent_again_gets_the_same_ids(client, tag, key):
    body = {"memories": [{"content": f"m{n}", "tags": [tag]} for n in range(5)]}
    first, again = store(client, key, body, "/memory/batch"), store(client, key, body, "/memory/batch")
    assert (again.status_code, again.json["memory_ids"], again.json["stored"]) == (201, first.json["memory_ids"], 5)
    assert how_many(client, tag) == 5


def test_a_key_used_for_another_request_is_a_conflict(client, tag, key):
    store(client, key, {"content": "one", "tags": [tag]})
    answer = store(client, key, {"content": "two", "tags": [tag]})
    assert (answer.status_code, answer.json["code"], answer.json["status"]) == (409, 409, "error")
    assert "Idempotency-Key" in answer.json["message"]
    assert how_many(client, tag) == 1


def test_each_route_has_keys_of_its_own(client, tag, key):
    store(client, key, {"content": "one", "tags": [tag]})
    answer = store(client, key, {"memories": [{"content": "two", "tags": [tag]}]}, "/memory/batch")
    assert (answer.status_code, how_many(client, tag)) == (201, 2)


@pytest.mark.parametrize("blank", ["", "   "])
def test_a_blank_key_is_no_key(client, tag, blank):
    for _ in range(2):
        assert store(client, blank, {"content": "x", "tags": [tag]}).status_code == 201
    assert how_many(client, tag) == 2


@pytest.mark.parametrize("bad", ["x" * 256, "a\x07b", "tab\there"])
def test_a_key_that_is_too_long_or_not_printable_is_refused(client, tag, bad):
    answer = store(client, bad, {"content": "x", "tags": [tag]})
    assert (answer.status_code, answer.json["message"]) == (
        400,
        "Idempotency-Key must be 1 to 255 printable characters",
    )
    assert how_many(client, tag) == 0


@pytest.mark.parametrize("good", ["x" * 255, "é", "a b \"c\" 'd' \\ `e`", "{t}"])
def test_any_printable_text_of_up_to_255_characters_is_a_key(client, tag, good):
    ids = {store(client, good, {"content": "x", "tags": [tag]}).json.get("memory_id") for _ in range(2)}
    assert (len(ids), None in ids, how_many(client, tag)) == (1, False, 1)


def test_a_refused_request_does_not_use_its_key_up(fragile, tag, key):
    client = fragile.client
    assert store(client, key, {"content": ""}).status_code == 400
    assert store(client, key, {"content": "x", "tags": [tag], "supersedes": UNKNOWN}).status_code == 404
    with fragile.graph.failing():
        assert store(client, key, {"content": "x", "tags": [tag]}).status_code == 503
    assert store(client, key, {"content": "x", "tags": [tag]}).status_code == 201
    assert how_many(client, tag) == 1


@pytest.mark.parametrize("body", [{}, {"supersedes": True}], ids=["plain", "superseding"])
def test_a_store_whose_answer_was_lost_is_not_repeated(fragile, tag, key, body):
    client = fragile.client
    if body:
        body = {"supersedes": client.store("old")}
    body = {"content": "sent twice", "tags": [tag], **body}
    with fragile.graph.losing_answers(lambda query: "IdempotencyKey" in query):
        assert store(client, key, body).status_code == 503
    assert how_many(client, tag) == 1
    again = store(client, key, body)
    assert (again.status_code, how_many(client, tag)) == (201, 1)
    assert client.get(f"/memory/{again.json['memory_id']}").json["memory"]["content"] == "sent twice"


def test_clients_that_send_one_key_at_once_make_one_memory(client, app, tag, key):
    answers, start = [], threading.Barrier(8)

    def send():
        own = type(client)(app)
        start.wait()
        answers.append(store(own, key, {"content": "race", "tags": [tag]}))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json["memory_id"] for answer in answers}) == 1
    assert how_many(client, tag) == 1


def test_keys_are_forgotten_when_their_time_is_over(client, service, tag, key):
    outbox, memories = Outbox(service.runner), GraphMemories(service.runner)
    body = {"content": "again", "tags": [tag]}
    store(client, key, body)
    for hours, count in ((24, 1), (1e-9, 2)):
        sweep = SweepTask(
            memories, outbox, service.vectors, interval_seconds=60, idempotency_hours=hours, wake_indexing=lambda: None
        )
        sweep.sweep()
        store(client, key, body)
        assert how_many(client, tag) == count
