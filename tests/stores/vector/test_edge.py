"""What only the store in this process has: a directory, its lock, and surviving the death of the process."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import qdrant_edge
from vector_cases import DIMENSION, all_ids, axis, by_meaning, by_words, entry, memory_id, numbers, rows

from automem.errors import DataDirectoryInUse, IncompatibleIndex, VectorsRefused, VectorsUnavailable
from automem.stores.vector import edge
from automem.stores.vector.base import Search
from automem.stores.vector.edge import EdgeVectorStore


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "deep" / "vectors"


@pytest.fixture
def open_store(directory):
    opened = []

    def make(dimension=DIMENSION, lock_wait_seconds=0.0):
        opened.append(EdgeVectorStore(directory, dimension, lock_wait_seconds))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


def test_the_directory_is_private(open_store, directory):
    open_store().prepare()
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_making_a_store_touches_nothing(open_store, directory):
    open_store().close()
    assert not directory.exists()


def test_what_was_written_is_there_after_reopening(open_store):
    store = open_store()
    store.put([entry(1, "kept words", rows(axis(0), axis(1)), ["a:b"]), entry(2, "no vector")])
    store.flush()
    store.put([entry(3, "after the flush", axis(2))])
    store.close()
    again = open_store()
    assert sorted(by_words(again, "words vector flush")) == [1, 2, 3]
    assert by_meaning(again, axis(1), tags=("a",)) == [1]
    assert (again.count(), again.count_unembedded()) == (3, 1)


def test_a_second_store_on_the_directory_is_refused(open_store, directory):
    first = open_store()
    first.put([entry(1, "x")])
    with pytest.raises(DataDirectoryInUse, match="in use by another process") as caught:
        open_store().prepare()
    assert caught.value.data["directory"] == str(directory)
    with pytest.raises(DataDirectoryInUse):
        open_store().count()
    assert first.count() == 1


def test_a_directory_opened_by_another_program_is_refused(open_store, directory):
    store = open_store()
    store.prepare()
    store.close()
    other = qdrant_edge.EdgeShard.load(str(directory / "shard"))
    with pytest.raises(DataDirectoryInUse):
        open_store().prepare()
    other.close()
    open_store().prepare()


def test_a_predecessor_about_to_let_go_is_waited_for(open_store):
    first = open_store()
    first.put([entry(1, "handed over")])
    closing = threading.Timer(0.3, first.close)
    closing.start()
    assert by_words(open_store(lock_wait_seconds=20), "handed over") == [1]
    closing.join()


def test_killing_the_process_loses_nothing_acknowledged(open_store, directory):
    for round_number, seen in enumerate((20, 40)):
        acknowledged = _write_until_killed(directory / f"round{round_number}", seen)
        store = EdgeVectorStore(directory / f"round{round_number}", DIMENSION)
        present = range(1, acknowledged + 1)
        by_word = store.search([Search(limit=5, words=f"word{number} old{number} gone{number}") for number in present])
        assert [numbers(hits) for hits in by_word] == [[number] for number in present]
        found = store.search([Search(limit=1000, dense=axis(number % DIMENSION)) for number in present])
        assert [n for n, hits in zip(present, found, strict=True) if n not in numbers(hits)] == []
        ids = all_ids(store)
        assert [n for n in present if ids.count(memory_id(n)) != 2] == []
        store.close()


def _write_until_killed(directory, seen):
    """Let a process write until it has acknowledged `seen` memories, kill it, and return what it acknowledged."""
    command = [sys.executable, str(Path(__file__).with_name("edge_writer.py")), str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        acknowledged = 0
        for line in writer.stdout:
            acknowledged = int(line)
            if acknowledged == seen:
                writer.send_signal(signal.SIGKILL)
    assert acknowledged >= seen
    return acknowledged


def test_a_half_made_shard_is_made_anew(open_store, directory):
    (directory / "shard.unfinished" / "segments").mkdir(parents=True)
    (directory / "shard.unfinished" / "edge_config.json").write_text("{")
    store = open_store()
    store.put([entry(1, "x")])
    assert store.count() == 1
    assert not (directory / "shard.unfinished").exists()


def test_a_directory_made_for_something_else_is_refused_with_the_way_out(open_store, directory):
    store = open_store()
    store.put([entry(1, "x")])
    store.close()
    marker = directory / "index.json"
    before = json.loads(marker.read_text())
    for change, message in [
        ({"format": 999}, "format 999"),
        ({"engine": "99.0.0"}, "newer than"),
        ({"dimension": 8}, "size 8"),
        ({"engine": "?"}, "unreadable"),
        ({"engine": None}, "unreadable"),
    ]:
        marker.write_text(json.dumps({**before, **change}))
        with pytest.raises(IncompatibleIndex, match=message) as caught:
            open_store().prepare()
        assert "move it away, and the index is rebuilt from the graph" in caught.value.message
    marker.write_text(json.dumps(before))
    assert open_store().count() == 1


def test_damaged_files_are_refused_with_the_way_out(open_store, directory):
    store = open_store()
    store.put([entry(1, "x")])
    store.close()
    damaged = [file for file in (directory / "shard" / "wal").rglob("*") if file.is_file()]
    assert damaged
    for file in damaged:
        file.write_bytes(b"\xff garbage" * 100)
    with pytest.raises(IncompatibleIndex, match="cannot be read") as caught:
        open_store().prepare()
    assert "move it away, and the index is rebuilt from the graph" in caught.value.message


def test_without_its_marker_the_engine_still_knows_the_vector_size(open_store, directory):
    store = open_store()
    store.put([entry(1, "x")])
    store.close()
    (directory / "index.json").unlink()
    with pytest.raises(IncompatibleIndex, match=f"size {DIMENSION}, but the embedding model gives 32"):
        open_store(dimension=32).prepare()
    assert open_store().count() == 1
    assert json.loads((directory / "index.json").read_text())["dimension"] == DIMENSION


def test_a_store_opened_before_a_fork_says_so_instead_of_hanging(open_store, monkeypatch):
    store = open_store()
    store.put([entry(1, "x")])
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: -1)
        with pytest.raises(VectorsUnavailable, match="fork"):
            store.count()
    assert store.count() == 1


def test_a_flush_comes_by_itself_after_many_points(open_store, monkeypatch):
    monkeypatch.setattr(edge, "POINTS_BETWEEN_FLUSHES", 10)
    store = open_store()
    store.prepare()
    before = store.round_trips
    store.put([entry(n, "x") for n in range(9)])
    assert store.round_trips == before + 2
    store.put([entry(9, "x")])
    assert store.round_trips == before + 5
    store.put([entry(10, "x")])
    assert store.round_trips == before + 7


def test_words_of_replaced_and_deleted_memories_do_not_count_as_common(open_store):
    store = open_store()
    store.put([entry(1, "apple"), *(entry(n, f"other{n}") for n in range(2, 12))])
    before = store.search([Search(limit=1, words="apple")])
    store.put([entry(n, "apple") for n in range(100, 150)])
    store.put([entry(n, "pear") for n in range(100, 125)])
    store.delete([memory_id(n) for n in range(100, 150)])
    assert store.search([Search(limit=1, words="apple")])[0][0].score == pytest.approx(before[0][0].score)
    assert all_ids(store) == [memory_id(n) for n in range(1, 12)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Service runtime error: Shard is not initialized", VectorsUnavailable),
        ("Service runtime error: No space left on device (os error 28)", VectorsUnavailable),
        ("Out of memory, free: 1, x", VectorsUnavailable),
        ("Service runtime error: failed to open WAL: Can't init WAL: Kind(WouldBlock)", DataDirectoryInUse),
        ("Vector dimension error: expected dim: 4, got 2", VectorsRefused),
        ("No point with id 7", VectorsRefused),
    ],
)
def test_every_error_of_the_engine_becomes_ours(tmp_path, text, expected):
    with pytest.raises(expected) as caught, edge._translated_errors(tmp_path):
        raise Exception(text)  # noqa: TRY002 - the engine knows no other class.
    assert str(caught.value.__cause__) == text


def test_an_error_that_is_not_the_engines_stays_as_it_is(tmp_path):
    with pytest.raises(KeyError), edge._translated_errors(tmp_path):
        raise KeyError("ours")


def test_a_call_that_the_engine_refuses_is_refused(open_store):
    store = open_store()
    with pytest.raises(VectorsRefused, match="nothing"), store._engine() as shard:
        shard.query(qdrant_edge.QueryRequest(limit=1, query=qdrant_edge.Query.Nearest([1.0], using="nothing")))


def test_quantised_vectors_find_the_true_neighbours(open_store):
    random = np.random.default_rng(7)
    centres = random.normal(size=(40, DIMENSION))
    vectors = centres[random.integers(0, 40, 2000)] + random.normal(size=(2000, DIMENSION))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    store = open_store()
    store.put([entry(n, dense=vector) for n, vector in enumerate(vectors)])
    queries = vectors[:50] + 0.05 * random.normal(size=(50, DIMENSION)).astype(np.float32)
    found = store.search([Search(limit=10, dense=query) for query in queries])
    true = np.argsort(-(queries @ vectors.T), axis=1)[:, :10]
    overlap = [len(set(numbers(hits)) & set(row.tolist())) / 10 for hits, row in zip(found, true, strict=True)]
    assert np.mean(overlap) > 0.97
    cosines = (queries / np.linalg.norm(queries, axis=1, keepdims=True)) @ vectors.T
    scores = np.array([[hit.score for hit in hits] for hits in found])
    cosines_found = np.take_along_axis(cosines, np.array([numbers(hits) for hits in found]), axis=1)
    assert np.abs(scores - cosines_found).max() < 0.02
