"""The sweep: index and graph agree afterwards, and old idempotency keys are gone."""

import uuid
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from automem.background.sweep import PAGE, SweepTask
from automem.domain import timestamps
from automem.stores.graph.memories import GraphMemories
from automem.stores.graph.outbox import Outbox
from automem.stores.vector.base import IndexEntry


@pytest.fixture
def woken():
    return []


@pytest.fixture
def task(service, woken):
    return SweepTask(
        GraphMemories(service.runner),
        Outbox(service.runner),
        service.vectors,
        interval_seconds=3600.0,
        idempotency_hours=24.0,
        wake_indexing=lambda: woken.append(1),
    )


def indexed(service):
    found, cursor = service.vectors.memory_ids(None, 10_000)
    assert cursor is None
    return set(found)


def ghosts(service, count):
    rng = np.random.default_rng(1)
    made = [str(uuid.UUID(int=int(number))) for number in rng.integers(1, 2**62, count)]
    service.vectors.put(
        [
            IndexEntry(memory_id, "ghost", rng.random((3, 128)).astype(np.float32), (), (), "Memory", timestamps.now())
            for memory_id in made
        ]
    )
    return set(made)


def test_an_empty_graph_beside_an_index_removes_nothing(service, task):
    made = ghosts(service, 20)
    service.runner.write("MATCH (m:Memory) DETACH DELETE m", {})
    task.run_once()
    assert made <= indexed(service)
    service.vectors.delete(sorted(made))


def test_entries_without_a_memory_are_removed_with_their_chunks(client, service, task, woken):
    kept = {client.store("kept"), client.store("also kept")}
    made = ghosts(service, PAGE // 3 + 50)
    assert made <= indexed(service)
    task.run_once()
    assert not made & indexed(service)
    assert kept <= indexed(service)
    assert woken == []


def test_memories_without_an_entry_are_queued(client, service, task, woken):
    lost = client.store("lost by the index")
    service.vectors.delete([lost])
    task.run_once()
    assert woken
    assert [item.work.memory.id for item in Outbox(service.runner).claim(10, 1.0)] == [lost]


def test_what_is_queued_already_is_not_taken_for_lost(client, service, task, woken):
    waiting = client.store("still waiting")
    service.vectors.delete([waiting])
    service.runner.write("MATCH (m:Memory {id: $id}) SET m.index_pending = 5, m.index_lease = 1e12", {"id": waiting})
    task.run_once()
    assert woken == []
    assert service.runner.read("MATCH (m:Memory {id: $id}) RETURN m.index_pending", {"id": waiting}) == [[5]]


def test_only_idempotency_keys_past_their_time_are_forgotten(service, task):
    now = datetime.now(UTC)
    ages = {"fresh": 0.0, "young": 23.9, "old": 24.1, "ancient": 9000.0}
    for key, hours in ages.items():
        service.runner.write(
            "CREATE (:IdempotencyKey {key: $key, created_at: $at})",
            {"key": key, "at": timestamps.canonical(now - timedelta(hours=hours))},
        )
    task.run_once()
    left = {key for (key,) in service.runner.read("MATCH (k:IdempotencyKey) RETURN k.key")}
    assert left == {"fresh", "young"}


def test_more_old_keys_than_a_page_are_all_forgotten(service, task):
    service.runner.write(
        "UNWIND range(1, $count) AS n CREATE (:IdempotencyKey {key: 'old' + toString(n), created_at: '2020'})",
        {"count": 2 * PAGE + 1},
    )
    task.run_once()
    assert service.runner.read("MATCH (k:IdempotencyKey) WHERE k.key STARTS WITH 'old' RETURN count(k)") == [[0]]


def test_a_wake_up_within_the_interval_sweeps_nothing(service, task):
    task.run_once()
    made = ghosts(service, 3)
    assert task.run_once() is False
    assert made <= indexed(service)
    task.sweep()
    assert not made & indexed(service)
