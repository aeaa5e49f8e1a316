"""Writing down which memories were read."""

from automem.background.access import AccessTask


class Log:
    flushed = 0

    def flush(self):
        self.flushed += 1
        return True


def test_a_step_writes_what_was_noted_and_asks_for_no_further_one():
    log = Log()
    assert AccessTask(log).run_once() is False
    assert log.flushed == 1
