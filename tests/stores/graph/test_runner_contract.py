"""What every GraphRunner does, on each kind of server."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automem.errors import ConstraintViolated, GraphRefused, GraphUnavailable
from automem.stores.graph.link import RunnerLimits

THREADS = 16
SLOW_WRITE = "UNWIND range(1, 6000000) AS x WITH count(x) AS n CREATE (:Slow {n: n})"
COUNT_SLOW = "MATCH (s:Slow) RETURN count(s)"
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
INTEGERS = st.integers(-(2**63), 2**63 - 1)
KEYS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00`"), min_size=1)
VALUES = st.recursive(
    st.none() | st.booleans() | INTEGERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


class Colour(StrEnum):
    RED = "red"


def in_threads(work, count=THREADS):
    barrier = threading.Barrier(count)

    def start_together(number):
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return [future.result() for future in [pool.submit(start_together, number) for number in range(count)]]


def with_unique_ids(runner):
    runner.write("CREATE INDEX FOR (m:Memory) ON (m.id)")
    runner.create_unique_constraint("Memory", "id")
    deadline = time.monotonic() + 10
    while runner.read("CALL db.constraints() YIELD status RETURN status") != [["OPERATIONAL"]]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Values


@pytest.mark.parametrize(
    "value",
    [
        "",
        'it\'s "quoted", \\ back \\" slashed \\n',
        "line\nfeed\r\n\ttab",
        "".join(map(chr, range(1, 32))) + "\x7f\x85\u2028\ufeff\uffff",
        "naïve 记忆 память 👩‍👩‍👧",
        "$param `tick` {map} CYPHER x=1 // comment",
        "long " * 100_000,
        0,
        -(2**63),
        2**63 - 1,
        0.1,
        1e-7,
        -1.5e300,
        3.0,
        1e22,
        True,
        False,
        None,
        [],
        ["a", 1, 2.5, None, True, ["nested"]],
        {"key": {"inner key": [1, {"deepest": None}], "ключ": "\\"}},
    ],
)
def test_a_value_comes_back_as_it_was_sent(runner, value):
    (result,) = runner.read("RETURN $value", {"value": value})[0]
    assert result == value
    assert isinstance(result, type(value))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES)
def test_any_value_comes_back_as_it_was_sent(runner, value):
    assert runner.read("RETURN $value AS value", {"value": value}) == [[value]]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False))
def test_a_float_comes_back_with_fifteen_digits_and_is_compared_with_all(runner, value):
    ((result, equal),) = runner.read("UNWIND [$value] AS value RETURN value, value = $value", {"value": value})
    assert float(f"{result:.15g}") == float(f"{value:.15g}")
    assert equal is True


def test_members_of_an_enumeration_and_tuples_are_sent_as_their_base(runner):
    assert runner.read("RETURN $a, $b", {"a": Colour.RED, "b": ("x", Colour.RED)}) == [["red", ["x", "red"]]]


def test_rows_of_maps_are_stored_property_by_property(runner):
    rows = [{"id": "a", "tags": ["x", "y"], "none": None}, {"id": "b", "strength": 0.25, "on": False}]
    runner.write("UNWIND $rows AS row CREATE (m:Memory) SET m = row", {"rows": rows})
    assert runner.read("MATCH (m:Memory) RETURN properties(m) ORDER BY m.id") == [
        [{"id": "a", "tags": ["x", "y"]}],
        [{"id": "b", "strength": 0.25, "on": False}],
    ]


def test_a_query_without_return_has_no_rows(runner):
    assert runner.write("CREATE (:Memory)") == []
    assert runner.read("MATCH (n:Nothing) RETURN n.id") == []


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("a\x00b", "NUL"),
        ("\ud800", "surrogate"),
        (["deep", {"inside": "\udfff"}], "surrogate"),
        ({"key\x00": 1}, "NUL"),
        (float("nan"), "NaN"),
        ([1.0, float("inf")], "infinity"),
        (2**63, "64 bits"),
        (-(2**63) - 1, "64 bits"),
        (b"bytes", "bytes"),
        ({1: "one"}, "map key"),
        ({"": "empty"}, "map key"),
        ({"`": "tick"}, "map key"),
    ],
)
def test_a_parameter_that_cypher_cannot_carry_is_refused_before_anything_is_sent(runner, value, problem):
    with pytest.raises(ValueError, match=rf"'value' .*{problem}"):
        runner.write("CREATE (:Memory {id: $value})", {"fine": 1, "value": value})
    assert runner.round_trips == 0


def test_a_parameter_needs_an_identifier_for_a_name(runner):
    with pytest.raises(ValueError, match="identifier"):
        runner.read("RETURN 1", {"x`=1 RETURN 2 //": 1})


def test_a_batch_that_breaks_a_unique_constraint_writes_nothing(runner):
    with_unique_ids(runner)
    runner.write("CREATE (:Memory {id: 'a'})")
    with pytest.raises(ConstraintViolated):
        runner.write("UNWIND ['b', 'a'] AS id CREATE (:Memory {id: id})")
    assert runner.read("MATCH (m:Memory) RETURN m.id") == [["a"]]


def test_a_constraint_that_exists_is_kept(runner):
    with_unique_ids(runner)
    runner.create_unique_constraint("Memory", "id")


def test_a_constraint_without_an_index_is_refused(runner):
    runner.write("CREATE (:Memory {id: 'a'})")
    with pytest.raises(GraphRefused):
        runner.create_unique_constraint("Memory", "id")


@pytest.mark.parametrize("query", ["RETUN 1", "RETURN $missing", "RETURN 1 / 0", "UNWIND [2, 0] AS x RETURN 1 % x"])
def test_a_wrong_query_is_refused_without_the_servers_words(runner, query):
    with pytest.raises(GraphRefused, match=r"^FalkorDB refused the query$") as caught:
        runner.write(query)
    assert caught.value.__cause__ is not None


def test_a_read_cannot_write(runner):
    with pytest.raises(GraphRefused, match="read"):
        runner.read("CREATE (:Memory)")
    assert runner.read("MATCH (n) RETURN count(n)") == [[0]]


def test_a_graph_that_was_never_written_reads_as_empty(runner):
    assert runner.read("MATCH (n) RETURN n.id") == []
    assert runner.read("CALL db.indexes() YIELD label RETURN label") == []


def test_round_trips_count_the_queries_sent(runner):
    runner.write("CREATE (:Memory)")
    before = runner.round_trips
    runner.read("MATCH (m:Memory) RETURN count(m)")
    runner.write("CREATE (:Memory)")
    runner.ping()
    assert runner.round_trips - before == 2
    in_threads(lambda _: [runner.read("RETURN 1") for _ in range(20)])
    assert runner.round_trips - before == 2 + THREADS * 20


def test_sixteen_threads_share_a_runner(runner):
    def work(number):
        for step in range(25):
            mine = f"{number}:{step}"
            runner.write("CREATE (:Memory {id: $id})", {"id": mine})
            assert runner.read("MATCH (m:Memory {id: $id}) RETURN m.id", {"id": mine}) == [[mine]]

    in_threads(work)
    assert runner.read("MATCH (m:Memory) RETURN count(DISTINCT m.id)") == [[THREADS * 25]]


def test_a_closed_runner_is_unavailable_and_can_be_closed_again(graph_server, graph_name):
    runner = graph_server.runner(graph_name)
    runner.ping()
    runner.close()
    runner.close()
    with pytest.raises(GraphUnavailable):
        runner.read("RETURN 1")


# Outages


def test_an_outage_is_reported_and_over_with_the_server(graph_server, runner):
    runner.write("CREATE (:Memory {id: 'kept'})")
    graph_server.stop()
    for call in (lambda: runner.read("RETURN 1"), lambda: runner.write("CREATE (:Memory)"), runner.ping):
        with pytest.raises(GraphUnavailable):
            call()
    graph_server.start()
    runner.ping()
    assert runner.read("MATCH (m:Memory) RETURN m.id") == [["kept"]]


def test_connections_from_before_a_restart_do_not_surface_as_errors(graph_server, graph_name):
    prepared = []
    runner = graph_server.runner(graph_name, prepared.append)
    in_threads(lambda _: runner.write("UNWIND range(1, 100000) AS x WITH count(x) AS n CREATE (:Memory {n: n})"))
    graph_server.stop()
    graph_server.start()
    counts = in_threads(lambda _: runner.read("MATCH (m:Memory) RETURN count(m)"))
    runner.close()
    assert counts == [[[THREADS]]] * THREADS
    assert len(prepared) == 2


def test_a_write_that_outlasts_the_answer_timeout_is_sent_once(graph_server, graph_name, runner, eventually):
    impatient = graph_server.runner(graph_name, limits=RunnerLimits(answer_timeout_seconds=0.1))
    with pytest.raises(GraphUnavailable, match="in time"):
        impatient.write(SLOW_WRITE)
    eventually(lambda: runner.read(COUNT_SLOW) != [[0]], seconds=20)
    time.sleep(1.0)
    assert runner.read(COUNT_SLOW) == [[1]]
    assert impatient.read("RETURN 'the answer to this query'") == [["the answer to this query"]]
    impatient.close()


def test_a_query_over_its_time_limit_is_unavailable(graph_server, graph_name):
    hurried = graph_server.runner(graph_name, limits=RunnerLimits(query_timeout_ms=50))
    with pytest.raises(GraphUnavailable, match="time limit"):
        hurried.read("UNWIND range(1, 60000000) AS x WITH x WHERE x > 5 RETURN count(x)")
    assert hurried.read("RETURN 1") == [[1]]
    hurried.close()


def test_a_busy_pool_is_unavailable_after_its_wait(graph_server, graph_name):
    narrow = graph_server.runner(graph_name, limits=RunnerLimits(pool_size=1, pool_wait_seconds=0.05))
    narrow.ping()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(narrow.write, SLOW_WRITE)
        time.sleep(0.05)
        with pytest.raises(GraphUnavailable, match="busy"):
            narrow.read("RETURN 1")
        slow.result()
    assert narrow.read("RETURN 1") == [[1]]
    narrow.close()


# Preparation


def test_the_graph_is_prepared_once_before_the_first_query(graph_server, graph_name):
    seen = []

    def prepare(runner):
        assert runner.read("MATCH (m:Memory) RETURN m.id") == []
        time.sleep(0.1)
        runner.write("CREATE (:Memory {id: 'first'})")
        seen.append(runner.graph_name)

    runner = graph_server.runner(graph_name, prepare)
    runner.ping()
    assert seen == []
    results = in_threads(lambda _: runner.read("MATCH (m:Memory) RETURN m.id"))
    runner.close()
    assert results == [[["first"]]] * THREADS
    assert seen == [graph_name]
    assert runner.round_trips == THREADS


def test_the_graph_is_prepared_again_after_an_outage(graph_server, graph_name):
    prepared = []
    runner = graph_server.runner(graph_name, prepared.append)
    runner.write("CREATE (:Memory)")
    graph_server.stop()
    with pytest.raises(GraphUnavailable):
        runner.read("RETURN 1")
    graph_server.start()
    in_threads(lambda _: runner.read("RETURN 1"))
    runner.close()
    assert len(prepared) == 2


def test_a_graph_that_vanished_is_prepared_again(graph_server, graph_name):
    runner = graph_server.runner(graph_name, lambda plain: plain.write("MERGE (:Memory {id: 'prepared'})"))
    assert runner.read("MATCH (m:Memory) RETURN m.id") == [["prepared"]]
    runner.command("GRAPH.DELETE", graph_name)
    assert runner.read("MATCH (m:Memory) RETURN m.id") == [["prepared"]]
    runner.close()


def test_a_preparation_that_fails_is_tried_again_by_the_next_query(graph_server, graph_name):
    attempts = []

    def prepare(runner):
        attempts.append(runner)
        if len(attempts) < 3:
            raise GraphUnavailable("not yet")

    runner = graph_server.runner(graph_name, prepare)
    for _ in range(2):
        with pytest.raises(GraphUnavailable, match="not yet"):
            runner.read("RETURN 1")
    assert runner.write("RETURN 1") == [[1]]
    runner.close()
    assert len(attempts) == 3


def test_a_long_preparation_does_not_hold_up_other_threads_for_ever(graph_server, graph_name):
    entered, go_on = threading.Event(), threading.Event()

    def prepare(_runner):
        entered.set()
        assert go_on.wait(10)

    runner = graph_server.runner(graph_name, prepare, limits=RunnerLimits(prepare_wait_seconds=0.05))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(runner.write, "RETURN 1")
        assert entered.wait(10)
        with pytest.raises(GraphUnavailable, match="prepared"):
            runner.read("RETURN 1")
        go_on.set()
        assert first.result() == [[1]]
    runner.close()
