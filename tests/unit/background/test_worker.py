"""The worker: each task again and again in its own thread, whatever a step comes to."""

import itertools
import threading

import pytest

from automem.background import worker as module
from automem.background.worker import Worker, _Loop
from automem.errors import EmbeddingUnavailable, GraphUnavailable, Refused, VectorsUnavailable

LONG = 3600.0
MORE, IDLE = True, False
"""What a step says: there is more to do at once, or nothing."""
WAIT = 30.0


class Task:
    """Does what it is told, step by step; the last instruction holds on."""

    name = "scripted"
    idle_seconds = LONG

    def __init__(self, *steps):
        self._steps = itertools.chain(steps, itertools.repeat(steps[-1]))
        self.ran = threading.Semaphore(0)

    def run_once(self):
        step = next(self._steps)
        self.ran.release()
        if isinstance(step, BaseException):
            raise step
        return step


class RecordedWake:
    """Stands for the wake-up event of a loop: notes for how long the loop would sleep, and ends it after `sleeps`."""

    def __init__(self, loop, sleeps):
        self._loop, self._sleeps, self.pauses = loop, sleeps, []

    def wait(self, timeout):
        self.pauses.append(timeout)
        if len(self.pauses) == self._sleeps:
            self._loop.stopping.set()

    def set(self):
        raise AssertionError("nothing wakes the loop in this test")

    def clear(self):
        pass


def pauses(task, sleeps):
    """Run a loop in this thread until it has slept so often; return the loop and how long it slept."""
    loop = _Loop(task)
    loop.wake = RecordedWake(loop, sleeps)
    loop._run()
    return loop, loop.wake.pauses


@pytest.fixture
def started():
    workers = []

    def start(*tasks):
        worker = Worker()
        for task in tasks:
            worker.add(task)
        workers.append(worker)
        worker.start()
        return worker

    yield start
    for worker in workers:
        worker.stop()


def settled(worker, ready):
    """Wait until the state of the only task is as wanted; a step counts its outcome just after it ran."""
    tick = threading.Event()
    for _ in range(3000):
        (state,) = worker.states()
        if ready(state):
            return state
        tick.wait(0.01)
    raise AssertionError(state)


@pytest.mark.parametrize("error", [GraphUnavailable(), VectorsUnavailable(), EmbeddingUnavailable("away")])
def test_it_backs_off_ever_longer_while_a_store_is_away(error):
    loop, slept = pauses(Task(error), 9)
    assert slept == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert loop.state.failures_in_a_row == 9
    assert loop.state.last_error == str(error)
    assert loop.state.last_success_at is None


def test_it_goes_on_as_usual_once_the_store_is_back():
    away = GraphUnavailable()
    loop, slept = pauses(Task(away, away, IDLE, away, IDLE), 5)
    assert slept == [0.5, 1.0, LONG, 0.5, LONG]
    assert loop.state.failures_in_a_row == 0
    assert loop.state.last_error is None
    assert loop.state.last_success_at is not None


def test_it_does_not_sleep_while_there_is_more_to_do():
    task = Task(MORE, MORE, MORE, IDLE)
    assert pauses(task, 1)[1] == [LONG]
    assert [task.ran.acquire(blocking=False) for _ in range(5)] == [True, True, True, True, False]


def test_a_very_long_outage_is_no_overflow(monkeypatch):
    loop = _Loop(Task(IDLE))
    loop.state = module.TaskState("scripted", None, "away", 2000)
    assert loop._pause() == module.LONGEST_BACKOFF_SECONDS


@pytest.mark.parametrize("error", [ValueError("a defect"), KeyError("x"), Refused("no"), RecursionError()])
def test_an_unexpected_error_is_logged_and_survived(error, caplog):
    loop, slept = pauses(Task(error, IDLE), 2)
    assert slept == [0.5, LONG]
    assert loop.state.failures_in_a_row == 0
    (record,) = [item for item in caplog.records if item.levelname == "ERROR"]
    assert "scripted" in record.getMessage()
    assert record.exc_info[1] is error


def test_the_thread_lives_on_after_an_unexpected_error(started):
    task = Task(ValueError("a defect"), IDLE)
    worker = started(task)
    assert settled(worker, lambda state: state.failures_in_a_row).last_error == "ValueError('a defect')"
    worker.wake()
    assert settled(worker, lambda state: state.last_success_at).last_error is None
    assert worker.running


def test_a_sleeping_task_is_woken(started):
    task = Task(IDLE)
    worker = started(task)
    for _ in range(3):
        assert task.ran.acquire(timeout=WAIT)
        settled(worker, lambda state: state.last_success_at)
        worker.wake()
    assert task.ran.acquire(timeout=WAIT)


@pytest.mark.parametrize("steps", [(IDLE,), (MORE,), (GraphUnavailable(),), (ValueError("a defect"),)])
def test_it_stops_from_sleep_from_work_and_from_backing_off(started, steps):
    task = Task(*steps)
    worker = started(task)
    assert task.ran.acquire(timeout=WAIT)
    assert worker.running
    worker.stop(timeout_seconds=WAIT)
    assert not worker.running
    assert not any(loop.alive for loop in worker._loops)


def test_a_step_is_finished_before_the_end(started):
    entered, go_on, finished = threading.Event(), threading.Event(), threading.Event()

    class Slow(Task):
        def run_once(self):
            entered.set()
            assert go_on.wait(WAIT)
            finished.set()
            return False

    worker = started(Slow(IDLE))
    assert entered.wait(WAIT)
    worker.stop(timeout_seconds=0.0)
    assert not worker.running
    assert not finished.is_set()
    go_on.set()
    worker.stop(timeout_seconds=WAIT)
    assert finished.is_set()


def test_stopping_twice_or_before_the_start_is_no_error():
    worker = Worker()
    worker.add(Task(IDLE))
    worker.stop()
    worker.stop()
    assert not worker.running


def test_one_task_that_fails_does_not_hold_up_another(started):
    sick, well = Task(ValueError("a defect")), Task(MORE, MORE, MORE, IDLE)
    worker = started(sick, well)
    for _ in range(4):
        assert well.ran.acquire(timeout=WAIT)
    assert sick.ran.acquire(timeout=WAIT)
    assert [state.name for state in worker.states()] == ["scripted", "scripted"]
