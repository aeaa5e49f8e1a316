"""The event stream: what happens in the service, told at once to whoever listens."""

import json
import threading

import pytest

from automem.services import events as module
from automem.services.events import Events


class Listener:
    """A client of the stream; reads one frame at a time."""

    def __init__(self, client):
        self.answer = client("GET", "/stream", buffered=False)
        self._frames = iter(self.answer.response)

    def frame(self):
        found = next(self._frames, None)
        return found.decode() if isinstance(found, bytes) else found

    def event(self):
        while (frame := self.frame()).startswith(":"):
            pass
        assert frame.startswith("data: ")
        assert frame.endswith("\n\n")
        return json.loads(frame[len("data: ") :])

    def close(self):
        self.answer.close()


@pytest.fixture
def listen(client, service):
    """Begin to listen; what happened before is over."""
    while service.events.publish(0):
        pass
    opened = []

    def begin():
        listener = Listener(client)
        opened.append(listener)
        assert listener.answer.status_code == 200
        assert listener.frame() == ": keepalive\n\n"
        return listener

    yield begin
    for listener in opened:
        listener.close()


def publish(service):
    assert service.events.publish(0)


def test_a_listener_hears_of_a_memory_that_is_stored(listen, client, service, tag):
    listener = listen()
    text = "Žižka said <b>hello</b>\n\ndata: 你好 " + "x" * 200
    stored = client.store(text, tags=[tag, "b", "c", "d", "e", "f"], importance=0.7)
    publish(service)
    event = listener.event()
    assert event["type"] == "memory.store"
    assert event["timestamp"].endswith("+00:00")
    data = event["data"]
    assert data.pop("elapsed_ms") > 0
    assert data == {
        "id": stored,
        "content_preview": text[:100],
        "type": "Memory",
        "importance": 0.7,
        "tags": [tag, "b", "c", "d", "e"],
        "size_bytes": len(text.encode()),
    }


def test_the_stream_is_one_of_server_sent_events(listen):
    headers = listen().answer.headers
    assert headers["Content-Type"].startswith("text/event-stream")
    assert headers["Cache-Control"] == "no-cache"
    assert headers["X-Accel-Buffering"] == "no"


def test_everything_that_changes_memories_is_told_in_order(listen, client, service, tag):
    listener = listen()
    first, second = client.post("/memory/batch", {"memories": [{"content": f"{tag} a"}, {"content": f"{tag} b"}]}).json[
        "memory_ids"
    ]
    client.associate(first, second)
    client.patch(f"/memory/{first}", {"importance": 0.1})
    client.recall(f"{tag} a", limit=3, tags=tag)
    client.delete(f"/memory/{second}")
    publish(service)
    heard = [listener.event() for _ in range(6)]
    assert [event["type"] for event in heard] == [
        "memory.store",
        "memory.store",
        "memory.associate",
        "memory.update",
        "memory.recall",
        "memory.delete",
    ]
    assert [event["data"].get("id") for event in heard] == [first, second, None, first, None, second]
    assert heard[2]["data"] == {"count": 1}
    recall = heard[4]["data"]
    assert (recall["query"], recall["limit"], recall["result_count"], recall["tags"]) == (f"{tag} a", 3, 0, [tag])


def test_what_fails_is_not_told(listen, client, service, tag):
    listener = listen()
    client.post("/memory", {"content": ""})
    client.delete("/memory/11111111-2222-4333-8444-555555555555")
    client.patch("/memory/11111111-2222-4333-8444-555555555555", {"importance": 0.1})
    stored = client.store(tag)
    publish(service)
    assert listener.event()["data"]["id"] == stored


def test_every_listener_hears_everything_and_is_counted(listen, client, service, tag):
    before = client.get("/stream/status").json["subscribers"]
    first, second = listen(), listen()
    assert client.get("/stream/status").json["subscribers"] == before + 2
    stored = client.store(tag)
    publish(service)
    assert first.event()["data"]["id"] == second.event()["data"]["id"] == stored
    first.close()
    assert client.get("/stream/status").json["subscribers"] == before + 1


def test_a_listener_may_leave_before_its_first_event_and_more_than_once(listen, client):
    before = client.get("/stream/status").json["subscribers"]
    for _ in range(20):  # More than there are places.
        answer = client("GET", "/stream", buffered=False)
        assert answer.status_code == 200
        answer.close()
        answer.close()
    assert client.get("/stream/status").json["subscribers"] == before


def test_a_listener_too_many_is_told_what_to_do(listen, client, settings):
    listeners = [listen() for _ in range(settings.stream_clients)]
    refused = client("GET", "/stream")
    assert refused.status_code == 503
    assert "AUTOMEM_STREAM_CLIENTS" in refused.json["message"]
    assert refused.headers["Retry-After"]
    listeners[0].close()
    assert listen().answer.status_code == 200


def test_silence_is_broken_by_comments(listen, monkeypatch):
    listener = listen()
    monkeypatch.setattr(module, "SILENCE_SECONDS", 0.1)
    assert listener.frame() == ": keepalive\n\n"


def test_only_the_last_events_wait_to_be_published(listen, service):
    listener = listen()
    for number in range(module.MOST_WAITING + 5):
        service.events.emit("test.many", {"number": number})
    publish(service)
    assert listener.event()["data"]["number"] == 5
    assert not service.events.publish(0)


def test_an_event_is_published_as_soon_as_it_is_emitted(listen, service):
    listener = listen()
    waiting = threading.Thread(target=service.events.publish, args=(30.0,))
    waiting.start()
    service.events.emit("test.soon", {})
    waiting.join(10)
    assert not waiting.is_alive()
    assert listener.event()["type"] == "test.soon"


def test_a_stream_outlasts_the_graph(fragile, tag, monkeypatch):
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)
    listener = Listener(fragile.client)
    assert listener.frame() == ": keepalive\n\n"
    monkeypatch.setattr(module, "SILENCE_SECONDS", 0.05)
    with fragile.graph.failing():
        assert listener.frame() == ": keepalive\n\n"
    gap = listener.event()  # By now it listens again.
    assert (gap["type"], gap["data"]) == ("stream.gap", {})
    stored = fragile.client.store(tag)
    while fragile.service.events.publish(0):
        pass
    heard = listener.event()
    while heard["data"].get("id") != stored:
        heard = listener.event()
    listener.close()


def test_without_the_graph_there_is_no_stream(fragile):
    with fragile.graph.failing():
        assert fragile.client.get("/stream").status_code == 503
        assert fragile.client.get("/stream/status").status_code == 503
    answer = fragile.client("GET", "/stream", buffered=False)
    assert answer.status_code == 200
    answer.close()


def test_services_on_one_graph_hear_one_another(listen, falkordb, service):
    runner = falkordb.runner(service.runner.graph_name, stop_on_close=False)
    elsewhere = Events(runner.channel("events"), 1)
    listener = listen()
    try:
        assert elsewhere.listeners() == service.events.listeners()
        elsewhere.emit("test.elsewhere", {"number": 1})
        assert elsewhere.publish(0)
        heard = listener.event()
        assert (heard["type"], heard["data"]) == ("test.elsewhere", {"number": 1})
    finally:
        elsewhere.close()
        runner.close()


def test_the_streams_of_a_service_that_ends_are_ended(falkordb, service):
    runner = falkordb.runner(service.runner.graph_name, stop_on_close=False)
    ending = Events(runner.channel("events"), 1)
    stream = ending.listen()
    frames = iter(stream)
    assert next(frames) is None
    ending.end_streams()
    assert list(frames) == []
    stream.close()
    ending.close()
    runner.close()


def test_strangers_hear_nothing(client):
    assert client.raw.get("/stream").status_code == 401
    assert client.raw.get("/stream/status").status_code == 401
