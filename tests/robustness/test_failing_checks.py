"""Each way to fail, under each failure policy, through each door: said each time, and never waved through."""

import asyncio
import logging

import pytest
from fakes import WordLM, make_guard
from faults import ANSWER, FAULTS, PASSAGES, QUESTION, StuckLM

from franq_guard import GuardReport, Policy
from franq_guard.errors import FranqGuardError, InputError
from franq_guard.outcome import WITHHELD
from franq_guard.schema import Verdict

# A server that is gone can only be missed where sockets are allowed.
pytestmark = pytest.mark.enable_socket

ITEM = {"question": QUESTION, "passages": PASSAGES, "answer": ANSWER}
PIECES = [ANSWER[at : at + 9] for at in range(0, len(ANSWER), 9)]


async def apieces():
    for piece in PIECES:
        yield piece


def stream(guard):
    pieces = list(guard.stream(QUESTION, PASSAGES, iter(PIECES)))
    return [whole(pieces)]


def astream(guard):
    async def run():
        return [piece async for piece in guard.astream(QUESTION, PASSAGES, apieces())]

    return [whole(asyncio.run(run()))]


def whole(pieces):
    report = pieces[-1].report
    assert "".join(piece.text for piece in pieces) == report.text
    return report


MODES = {
    "check": lambda guard: [guard.check(**ITEM)],
    "acheck": lambda guard: [asyncio.run(guard.acheck(**ITEM))],
    "check_many": lambda guard: guard.check_many([ITEM, ITEM]),
    "acheck_many": lambda guard: asyncio.run(guard.acheck_many([ITEM, ITEM])),
    "stream": stream,
    "astream": astream,
}


class ListSink:
    def __init__(self):
        self.records = []

    def emit(self, record):
        self.records.append(record)

    def flush(self):
        pass

    def close(self):
        pass


@pytest.fixture
def sink():
    return ListSink()


@pytest.fixture(params=FAULTS)
def fault(request, tmp_path):
    settings, kinds, message = FAULTS[request.param]
    settings = settings(tmp_path)
    yield settings, kinds.split("|"), message
    model = settings.get("language_model")
    if isinstance(model, StuckLM):
        model.go.set()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("on_error", ["pass", "block"])
def test_nothing_is_waved_through(fault, mode, on_error, sink, caplog):
    settings, kinds, message = fault
    guard = make_guard(**settings, on_error=on_error, tracing=[sink])
    with caplog.at_level(logging.WARNING, logger="franq_guard"):
        reports = MODES[mode](guard)
    assert guard.tracing.flush()
    guard.close()
    for report in reports:
        assert report.error.split(":")[0] in kinds
        assert message in report.error
        assert report.blocked is (on_error == "block")
        shown = WITHHELD if on_error == "block" else ANSWER
        assert report.text == shown
        assert_unchecked(report, kinds)
        assert GuardReport.from_json(report.to_json()) == report
    said = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert any(message in line and f"on_error={on_error}" in line for line in said)
    assert len(sink.records) == len(reports)
    for record in sink.records:
        assert record.error_type in kinds
        assert record.blocked is (on_error == "block")
        assert record.coverage.scored == 0
        assert any(claim.unchecked for claim in record.claims)
        assert not any(claim.checkworthy and not claim.unchecked for claim in record.claims)


@pytest.mark.parametrize("mode", MODES)
def test_the_caller_gets_the_exception(fault, mode, sink):
    settings, kinds, message = fault
    guard = make_guard(**settings, on_error="raise", tracing=[sink])
    with pytest.raises(FranqGuardError) as caught:
        MODES[mode](guard)
    assert not isinstance(caught.value, InputError)
    assert message in str(caught.value)
    assert guard.tracing.flush()
    guard.close()
    assert sink.records
    for record in sink.records:
        # What is not ours is raised as a ModelError, which names it.
        assert record.error_type in (*kinds, "ModelError")
        assert record.coverage.scored == 0


def assert_unchecked(report, kinds):
    assert report.coverage.scored == 0
    assert report.coverage.unchecked > 0
    assert any(claim.checkworthy for claim in report.claims)
    for claim in report.claims:
        assert claim.p_true is None
        assert claim.verdict in (Verdict.UNCHECKED, Verdict.NOT_CHECKWORTHY)
        if claim.checkworthy:
            assert claim.verdict is Verdict.UNCHECKED
            # Sentences of a stream may fail each in its own way.
            assert claim.unchecked_reason.split(":")[0] in kinds
            assert claim.review


# What fails in the middle of an answer, or of a batch.


class FailsLater(WordLM):
    """Fails from its n-th call on."""

    def __init__(self, calls):
        super().__init__()
        self.left = calls

    def score(self, requests):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("gone")
        return super().score(requests)


@pytest.mark.parametrize("on_error", ["pass", "block"])
def test_a_stream_that_fails_halfway_keeps_apart_what_was_checked(on_error):
    answer = "The tower is 330 metres tall. The tower was built by Gustave Eiffel. The castle burned down."
    lenient = Policy(annotate_below=None, hedge_below=None, block_below=None)
    guard = make_guard(language_model=FailsLater(1), on_error=on_error, policy=lenient)
    report = whole(list(guard.stream(QUESTION, PASSAGES, [answer[:40], answer[40:75], answer[75:]])))
    checked = [claim for claim in report.claims if claim.p_true is not None]
    assert report.error
    for claim in report.claims:
        assert claim in checked or claim.verdict is Verdict.UNCHECKED
    assert any(claim.verdict is Verdict.UNCHECKED for claim in report.claims)
    assert report.coverage.unchecked > 0
    assert report.blocked is (on_error == "block")
    assert "castle" not in report.text or on_error == "pass"


def test_a_model_that_fails_for_one_of_many_fails_all_of_them_in_the_same_way():
    class Picky(WordLM):
        def score(self, requests):
            if any("poison" in tokens.text for _, tokens in requests):
                raise RuntimeError("poison")
            return super().score(requests)

    items = [ITEM, ITEM | {"answer": "The poison is strong."}, ITEM]
    reports = make_guard(language_model=Picky()).check_many(items)
    assert {report.error for report in reports} == {"RuntimeError: poison"}
    assert not any(claim.p_true for report in reports for claim in report.claims)


# Cancelled, closed, and loops that are gone.


async def test_a_cancelled_check_raises_cancelled_and_leaves_the_guard_as_it_was(sink):
    lm = StuckLM()
    guard = make_guard(language_model=lm, on_error="block", tracing=[sink])
    task = asyncio.create_task(guard.acheck(**ITEM))
    await asyncio.to_thread(lm.begun.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    lm.go.set()
    assert (await guard.acheck(**ITEM)).error is None
    guard.close()


async def test_a_cancelled_stream_raises_cancelled_and_closes_its_source():
    closed = []

    async def source():
        try:
            for piece in PIECES:
                yield piece
        finally:
            closed.append(True)

    lm = StuckLM()
    guard = make_guard(language_model=lm)

    async def read():
        async for _ in guard.astream(QUESTION, PASSAGES, source()):
            pass

    task = asyncio.create_task(read())
    await asyncio.to_thread(lm.begun.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    lm.go.set()
    assert closed
    assert (await guard.acheck(**ITEM)).error is None
    guard.close()


@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
async def test_a_check_that_waits_while_the_guard_is_closed_fails_by_policy(on_error, monkeypatch):
    monkeypatch.setattr("franq_guard.guard._THREADS", 1)
    lm = StuckLM()
    guard = make_guard(language_model=lm, on_error=on_error)
    first = asyncio.create_task(guard.acheck(**ITEM))
    await asyncio.to_thread(lm.begun.wait, 20)
    waiting = asyncio.create_task(guard.acheck(**ITEM))
    await asyncio.sleep(0.02)
    guard.close()
    if on_error == "raise":
        with pytest.raises(FranqGuardError, match="the guard was closed before this check was begun"):
            await waiting
    else:
        report = await waiting
        assert report.error == "ClosedError: the guard was closed before this check was begun"
        assert report.blocked is (on_error == "block")
        assert_unchecked(report, ["ClosedError"])
    lm.go.set()
    # What was under way is finished, and the guard starts again when it is asked.
    assert (await first).error is None
    assert (await guard.acheck(**ITEM)).error is None
    guard.close()


@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
async def test_a_stream_that_waits_while_the_guard_is_closed_fails_by_policy(on_error, monkeypatch):
    monkeypatch.setattr("franq_guard.guard._THREADS", 1)
    lm = StuckLM()
    guard = make_guard(language_model=lm, on_error=on_error)
    first = asyncio.create_task(guard.acheck(**ITEM))
    await asyncio.to_thread(lm.begun.wait, 20)

    async def read():
        return [piece async for piece in guard.astream(QUESTION, PASSAGES, apieces())]

    waiting = asyncio.create_task(read())
    await asyncio.sleep(0.02)
    guard.close()
    lm.go.set()
    if on_error == "raise":
        with pytest.raises(FranqGuardError, match="the guard was closed"):
            await waiting
    else:
        report = whole(await waiting)
        assert "the guard was closed" in report.error
        assert report.blocked is (on_error == "block")
    assert (await first).error is None
    guard.close()


def test_a_loop_that_is_closed_in_the_midst_of_a_check_harms_nobody(caplog):
    lm = StuckLM()
    guard = make_guard(language_model=lm)
    loop = asyncio.new_event_loop()
    task = loop.create_task(guard.acheck(**ITEM))
    loop.run_until_complete(asyncio.sleep(0.05))
    task.cancel()
    loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
    loop.close()
    lm.go.set()
    assert guard.check(**ITEM).error is None
    assert asyncio.run(guard.acheck(**ITEM)).error is None
    guard.close()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


# Loading that takes longer than there is time.


@pytest.mark.parametrize("mode", MODES)
def test_a_deadline_holds_while_models_are_loaded(mode, monkeypatch):
    import threading

    import franq_guard.assembly

    real, go, calls = franq_guard.assembly.assemble, threading.Event(), []

    def slow(*args, **settings):
        calls.append(1)
        go.wait(20)
        return real(*args, **settings)

    assert make_guard().check(**ITEM).error is None  # what is imported late is imported now
    monkeypatch.setattr(franq_guard.assembly, "assemble", slow)
    guard = make_guard(timeout=0.6)  # more than a check takes on a busy machine
    for _ in range(2):
        for report in MODES[mode](guard):
            assert report.error.startswith("CheckTimeoutError")
            assert_unchecked(report, ["CheckTimeoutError"])
    assert len(calls) == 1  # not once a check
    go.set()
    assert guard.warm_up().check(**ITEM).error is None
    assert len(calls) == 1
    guard.close()


def test_loading_that_fails_in_time_says_why_and_is_tried_again(tmp_path):
    path = tmp_path / "nowhere"
    guard = make_guard(alignment_model=str(path), timeout=30)
    for _ in range(2):
        assert "no file or folder" in guard.check(**ITEM).error
