"""Sinks that hang, raise, are slow or come late."""

import logging
import os
import subprocess
import sys
import threading

import pytest
from fakes import make_guard
from places import ANSWER, PASSAGES, QUESTION, ListSink

from franq_guard.tracing import RetryLaterError, Tracing, UncorrelatedError, worker

REPORT = make_guard().check(QUESTION, PASSAGES, ANSWER)


class HangingSink(ListSink):
    """Waits inside `emit` until it is let go."""

    def __init__(self, **attributes):
        super().__init__(**attributes)
        self.entered, self.go = threading.Event(), threading.Event()

    def emit(self, record):
        self.entered.set()
        self.go.wait()
        super().emit(record)


@pytest.fixture
def hanging():
    sink = HangingSink(queue_size=3)
    yield sink
    sink.go.set()


class RaisingSink(ListSink):
    def __init__(self, *errors):
        super().__init__()
        self.errors = list(errors)

    def emit(self, record):
        if self.errors:
            raise self.errors.pop(0)
        super().emit(record)


def test_a_sink_that_hangs_delays_nobody_and_drops_what_is_too_much(hanging, sink, caplog):
    guard = make_guard(tracing=[hanging, sink])
    reports = [guard.check(QUESTION, PASSAGES, ANSWER) for _ in range(10)]
    assert {report.text for report in reports} == {REPORT.text}
    assert hanging.entered.wait(10)
    assert not guard.tracing.flush(0.01)
    assert guard.tracing.stats()[1].emitted == len(sink.records) == 10
    stats = guard.tracing.stats()[0]
    assert (stats.emitted, stats.dropped, stats.waiting) == (0, 7, 3)
    [message] = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert message.startswith("tracing sink HangingSink is too slow: 1 records were dropped")
    hanging.go.set()
    assert guard.tracing.flush()
    assert guard.tracing.stats()[0].emitted == 3


@pytest.mark.parametrize("error", [OSError("refused"), SystemExit(1), KeyboardInterrupt()])
def test_a_sink_that_raises_is_counted_and_goes_on(error, sink, caplog):
    raising = RaisingSink(*[error] * 5)
    tracing = Tracing([raising, sink])
    for _ in range(6):
        tracing.emit(REPORT)
    assert tracing.flush()
    assert (tracing.stats()[0].failed, tracing.stats()[0].emitted) == (5, 1)
    assert len(sink.records) == 6
    [message] = caplog.messages
    assert f"failed: {type(error).__name__}: {error}" in message


def test_failures_are_said_once_a_minute(monkeypatch, caplog):
    clock = [0.0]
    monkeypatch.setattr(worker.time, "monotonic", lambda: clock[0])
    tracing = Tracing([RaisingSink(*[OSError("refused")] * 9)])
    for second in (0, 1, 59, 60, 61, 119, 121):
        clock[0] = float(second)
        tracing.emit(REPORT)
        assert tracing.flush()
    assert len(caplog.messages) == 3


def test_what_belongs_nowhere_is_counted_apart(caplog):
    tracing = Tracing([RaisingSink(UncorrelatedError("no run is known"))])
    tracing.emit(REPORT)
    assert tracing.flush()
    assert tracing.stats()[0].uncorrelated == 1
    assert "cannot place a record: no run is known" in caplog.text


def test_what_comes_too_early_is_tried_again(monkeypatch, caplog):
    monkeypatch.setattr(worker, "RETRY_FIRST_S", 0.001)
    late = RaisingSink(*[RetryLaterError("not there")] * 3)
    tracing = Tracing([late])
    tracing.emit(REPORT)
    for _ in range(4):
        tracing.flush()
    assert tracing.flush()
    assert len(late.records) == tracing.stats()[0].emitted == 1
    assert caplog.messages == []


def test_a_flush_that_leaves_something_waiting_says_so():
    late = RaisingSink(*[RetryLaterError("not there")] * 100)
    tracing = Tracing([late])
    tracing.emit(REPORT)
    assert not tracing.flush()
    assert tracing.stats()[0].waiting == 1
    late.errors.clear()
    assert tracing.flush()
    assert len(late.records) == 1


def test_what_never_comes_fails_in_the_end(monkeypatch, caplog):
    monkeypatch.setattr(worker, "GIVE_UP_S", -1.0)
    tracing = Tracing([RaisingSink(RetryLaterError("not there"))])
    tracing.emit(REPORT)
    assert tracing.flush()
    assert tracing.stats()[0].failed == 1
    assert "gave up on a record: not there" in caplog.text


def test_waiting_records_count_against_the_bound():
    sink = RaisingSink(*[RetryLaterError("not there")] * 100)
    sink.queue_size = 2
    tracing = Tracing([sink])
    for _ in range(5):
        tracing.emit(REPORT)
    tracing.flush()
    stats = tracing.stats()[0]
    assert stats.waiting + stats.dropped == 5
    assert stats.waiting == 2
    sink.errors.clear()
    assert tracing.flush()


def test_a_report_that_cannot_be_recorded_costs_nothing(sink, caplog):
    Tracing([sink]).emit("no report")
    assert "a report could not be traced" in caplog.text


def test_flushing_reaches_the_sink_and_survives_its_failure(sink, caplog):
    tracing = Tracing([sink])
    assert tracing.flush()
    tracing.emit(REPORT)
    assert tracing.flush()
    assert sink.flushes == 1

    def fail():
        raise OSError("refused")

    sink.flush = fail
    tracing.emit(REPORT)
    assert tracing.flush()
    assert "could not be flushed: OSError: refused" in caplog.text


def test_no_thread_before_the_first_record_and_none_after_a_rest(monkeypatch):
    def threads():
        return [thread for thread in threading.enumerate() if thread.name == "franq-guard-resting"]

    monkeypatch.setattr(worker, "IDLE_S", 0.001)
    sink = ListSink(name="resting")
    tracing = Tracing([sink])
    assert threads() == []
    for count in (1, 2):
        tracing.emit(REPORT)
        assert tracing.flush()
        assert len(sink.records) == count
        for thread in threads():
            thread.join(10)
        assert threads() == []


def test_one_thread_for_all_guards_with_the_same_sink(hanging):
    hanging.name = "shared"
    guards = [make_guard(tracing=[hanging]) for _ in range(3)]
    for guard in guards:
        guard.check(QUESTION, PASSAGES, ANSWER)
    assert hanging.entered.wait(10)
    threads = [thread for thread in threading.enumerate() if thread.name == "franq-guard-shared"]
    assert len(threads) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_traces_on_its_own(tmp_path):
    code = (
        "import os, sys, threading; sys.path[:0] = ['tests', 'tests/tracing']\n"
        "from fakes import make_guard\n"
        "from places import ANSWER, PASSAGES, QUESTION, ListSink\n"
        "class Pids(ListSink):\n"
        "    def emit(self, record):\n"
        f"        with open({str(tmp_path / 'pids')!r}, 'a') as file: file.write(f'{{os.getpid()}}\\n')\n"
        "guard = make_guard(tracing=[Pids()])\n"
        "guard.check(QUESTION, PASSAGES, ANSWER)\n"
        "assert guard.tracing.flush()\n"
        "child = os.fork()\n"
        "guard.check(QUESTION, PASSAGES, ANSWER)\n"
        "assert guard.tracing.flush()\n"
        "if not child: os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "pids = open(%r).read().split()\n"
        "assert sorted(pids) == sorted([str(os.getpid())] * 2 + [str(child)]), pids\n"
    ) % str(tmp_path / "pids")
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_what_is_queued_is_sent_when_the_interpreter_ends(tmp_path):
    code = (
        "import sys, time; sys.path[:0] = ['tests', 'tests/tracing']\n"
        "from fakes import make_guard\n"
        "from places import ANSWER, PASSAGES, QUESTION, ListSink\n"
        "class Late(ListSink):\n"
        "    def emit(self, record):\n"
        "        time.sleep(0.05); super().emit(record)\n"
        "    def close(self): print(len(self.records), self.flushes)\n"
        "class Hangs(ListSink):\n"
        "    def emit(self, record): time.sleep(1e6)\n"
        "from franq_guard.tracing import worker; worker.AT_EXIT_S = 0.5\n"
        "guard = make_guard(tracing=[Hangs(), Late()])\n"
        "for _ in range(3): guard.check(QUESTION, PASSAGES, ANSWER)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "3 1\n"
    assert "tracing sink Hangs: 3 records were not sent" in done.stderr
