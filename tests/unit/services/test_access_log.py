"""The access log: notes during requests, one write beside them, nothing lost while the graph is away."""

import threading

import pytest

from automem.errors import GraphUnavailable
from automem.services import access
from automem.services.access import AccessLog


class Memories:
    def __init__(self):
        self.written = []
        self.error = None

    def touch(self, memory_ids, now):
        if self.error is not None:
            raise self.error
        self.written.append((list(memory_ids), now))


@pytest.fixture
def memories():
    return Memories()


@pytest.fixture
def log(memories):
    return AccessLog(memories)


def test_what_was_noted_is_written_once_each_in_one_go(log, memories):
    log.note(["b", "a"])
    log.note(iter(["a", "c"]))
    assert log.flush() is True
    ((ids, now),) = memories.written
    assert ids == ["a", "b", "c"]
    assert now.endswith("+00:00")


def test_nothing_noted_is_nothing_to_write(log, memories):
    assert log.flush() is False
    log.note(["a"])
    log.flush()
    assert log.flush() is False


def test_notes_are_kept_while_the_graph_is_away(log, memories):
    log.note(["a"])
    memories.error = GraphUnavailable()
    with pytest.raises(GraphUnavailable):
        log.flush()
    log.note(["b"])
    memories.error = None
    assert log.flush() is True
    assert memories.written[0][0] == ["a", "b"]


def test_notes_are_bounded_while_the_graph_is_away(log, memories, monkeypatch):
    monkeypatch.setattr(access, "MOST_NOTED", 3)
    for n in range(10):
        log.note([f"m{n}"])
    log.flush()
    assert memories.written[0][0] == ["m0", "m1", "m2"]


def test_threads_may_note_while_another_one_writes(log, memories):
    def note(thread):
        for n in range(300):
            log.note([f"{thread}-{n}"])

    threads = [threading.Thread(target=note, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        log.flush()
    log.flush()
    written = [memory_id for ids, _ in memories.written for memory_id in ids]
    assert len(written) == len(set(written)) == 1200


def test_last_accessed_is_written_to_the_graph(client, service):
    stored = client.store("read later", last_accessed="2020-01-01")
    client.get(f"/memory/{stored}")
    assert client.get(f"/memory/{stored}").json["memory"]["last_accessed"] == "2020-01-01T00:00:00+00:00"
    service.access.flush()
    assert client.get(f"/memory/{stored}").json["memory"]["last_accessed"] > "2024"
