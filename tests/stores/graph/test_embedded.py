"""The processes of the embedded FalkorDB: its owner and its server are killed, and a second owner comes along."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from data_directories import COUNT, a_database, count_in, is_alive, spoil, write

from automem.errors import DataDirectoryInUse, GraphUnavailable
from automem.stores.graph.embedded import EmbeddedFalkorDB, attach

NUMBERS = "MATCH (m:Memory) RETURN m.n"

# An owner in a process of its own: prints the server's pid, then runs the statements given.
OWNER = """
import sys, time
from pathlib import Path
from automem.stores.graph.embedded import EmbeddedFalkorDB
database = EmbeddedFalkorDB(Path(sys.argv[1]), lock_wait_seconds=10.0)
database.start()
runner = database.runner("graph")
print(database.pid, flush=True)
"""
WRITE_FOR_EVER = """
n = 0
while True:
    runner.write("CREATE (:Memory {n: $n})", {"n": n})
    print(n, flush=True)
    n += 1
"""
WAIT_FOR_EVER = "time.sleep(600)"
END_WITHOUT_STOPPING = "runner.write('CREATE (:Memory)')"
FORK_A_COPY_THAT_STOPS = """
import os, warnings
warnings.simplefilter("ignore")
copy = os.fork()
if copy == 0:
    database.stop()
    os._exit(0)
os.waitpid(copy, 0)
runner.write("CREATE (:Memory)")
print(runner.read("MATCH (m:Memory) RETURN count(m)"), flush=True)
"""


@contextmanager
def an_owner(data_dir, then=WAIT_FOR_EVER):
    command = [sys.executable, "-c", OWNER + then, str(data_dir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as owner:
        try:
            line = owner.stdout.readline()
            assert line, owner.stderr.read()
            yield owner, int(line)
        finally:
            owner.kill()


# The owner dies


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_the_server_ends_with_an_owner_that_is_killed_and_all_it_acknowledged_is_kept(data_dir, eventually):
    with an_owner(data_dir, WRITE_FOR_EVER) as (owner, server):
        while int(owner.stdout.readline()) < 500:
            pass
        owner.kill()
        acknowledged = owner.stdout.read().count("\n") + 500
        eventually(lambda: not is_alive(server), seconds=2)
    assert count_in(data_dir) > acknowledged


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_the_next_owner_can_start_at_once_after_a_kill(data_dir):
    for _ in range(5):
        with an_owner(data_dir) as (owner, _):
            owner.kill()
            with a_database(data_dir) as database:
                database.runner("graph").write("CREATE (:Memory)")
    assert count_in(data_dir) == 5


def test_the_server_ends_with_an_owner_that_exits_without_stopping_it(data_dir):
    with an_owner(data_dir, END_WITHOUT_STOPPING) as (owner, server):
        assert owner.wait(20) == 0
        assert owner.stderr.read() == ""
        assert not is_alive(server)
    assert not (data_dir / "falkordb.sock").exists()
    assert count_in(data_dir) == 1


def test_a_forked_copy_of_the_owner_does_not_stop_the_server(data_dir):
    with an_owner(data_dir, FORK_A_COPY_THAT_STOPS) as (owner, _):
        assert owner.stdout.readline() == "[[1]]\n"


def test_the_server_outlives_a_thread_that_started_it(data_dir):
    database = EmbeddedFalkorDB(data_dir)
    starter = threading.Thread(target=database.start)
    starter.start()
    starter.join()
    try:
        pid = database.pid
        time.sleep(0.3)
        database.runner("graph").ping()
        assert database.pid == pid
    finally:
        database.stop()


# The server dies


def test_a_server_that_is_killed_is_started_again_with_all_it_acknowledged(data_dir, eventually):
    acknowledged, refused = [], []

    def write_until(ended):
        n = 0
        while not ended.is_set():
            mine = f"{threading.get_ident()}:{n}"
            try:
                runner.write("CREATE (:Memory {n: $n})", {"n": mine})
                acknowledged.append(mine)
            except GraphUnavailable:
                refused.append(mine)
            n += 1

    with a_database(data_dir) as database:
        prepared = []
        runner = database.runner("graph", prepared.append)
        runner.write("CREATE INDEX FOR (m:Memory) ON (m.n)")
        ended = threading.Event()
        with ThreadPoolExecutor(4) as pool:
            for _ in range(4):
                pool.submit(write_until, ended)
            try:
                for _ in range(3):
                    before, pid = len(acknowledged), database.pid
                    eventually(lambda before=before: len(acknowledged) > before + 200)
                    os.kill(pid, signal.SIGKILL)
                    eventually(lambda pid=pid: database.pid not in {None, pid})
                eventually(lambda: answers(runner))
            finally:
                ended.set()
        present = {n for (n,) in runner.read(NUMBERS)}
    assert refused
    assert set(acknowledged) <= present
    assert len(prepared) >= 4


def test_a_server_that_dies_again_and_again_is_reported_with_its_log_and_tried_on(data_dir, eventually):
    write(data_dir, 300)
    with a_database(data_dir) as database:
        runner = database.runner("graph")
        (log,) = (data_dir / "appendonlydir").glob("*.incr.aof")
        good = log.read_bytes()
        spoil(log)
        os.kill(database.pid, signal.SIGKILL)
        eventually(lambda: not answers(runner))
        time.sleep(0.3)
        with pytest.raises(GraphUnavailable, match=r"started again.*falkordb\.log"):
            runner.ping()
        with pytest.raises(GraphUnavailable):
            runner.read("RETURN 1")
        log.write_bytes(good)
        eventually(lambda: answers(runner), seconds=10)
        assert runner.read(COUNT) == [[300]]


def answers(runner):
    try:
        runner.ping()
    except GraphUnavailable:
        return False
    return True


# One owner


def test_a_second_owner_in_the_same_process_is_refused(data_dir):
    with a_database(data_dir):
        with pytest.raises(DataDirectoryInUse, match=rf"process {os.getpid()} .*AUTOMEM_DATA_DIR"):
            EmbeddedFalkorDB(data_dir, lock_wait_seconds=0.1).start()
        assert attach(data_dir, "graph") is not None


def test_a_second_owner_in_another_process_is_refused_and_told_who_holds_the_directory(data_dir):
    with an_owner(data_dir) as (owner, server):
        with pytest.raises(DataDirectoryInUse) as caught:
            EmbeddedFalkorDB(data_dir, lock_wait_seconds=0.1).start()
        assert caught.value.data == {"owner": owner.pid, "server": server}
        assert str(owner.pid) in caught.value.message
        assert is_alive(server)


def test_another_process_can_attach_and_leaves_the_server_running(data_dir):
    assert attach(data_dir, "graph") is None
    with an_owner(data_dir, "runner.write('CREATE (:Memory)'); print(flush=True);" + WAIT_FOR_EVER) as (owner, server):
        owner.stdout.readline()
        runner = attach(data_dir, "graph")
        assert runner.read(COUNT) == [[1]]
        runner.close()
        assert is_alive(server)


def test_attaching_is_refused_where_the_socket_serves_another_directory(data_dir, tmp_path):
    other = tmp_path / "other"
    with a_database(data_dir) as database, a_database(other):
        (other / "falkordb.sock").unlink()
        (other / "falkordb.sock").symlink_to(database.socket_path)
        with pytest.raises(GraphUnavailable, match="instead"):
            attach(other, "graph")
