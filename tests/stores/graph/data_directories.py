"""Embedded databases on directories of the tests, and damage to them."""

import os
from contextlib import contextmanager
from pathlib import Path

from automem.stores.graph.embedded import EmbeddedFalkorDB

COUNT = "MATCH (m:Memory) RETURN count(m)"


@contextmanager
def a_database(data_dir, **options):
    database = EmbeddedFalkorDB(data_dir, **options)
    database.start()
    try:
        yield database
    finally:
        database.stop()


def count_in(data_dir):
    with a_database(data_dir) as database:
        return database.runner("graph").read(COUNT)[0][0]


def write(data_dir, rows):
    with a_database(data_dir) as database:
        runner = database.runner("graph")
        for n in range(rows):
            runner.write("CREATE (:Memory {n: $n})", {"n": n})


def spoil(path):
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 700] = b"damage " * 100  # More than several commands of these tests take.
    path.write_bytes(content)


def is_alive(pid):
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.parents[1].exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
