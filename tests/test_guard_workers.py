"""What guards share: one worker for each model, deadlines that hold in the midst of a batch."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from fakes import WordAligner, WordLM, make_guard

from franq_guard.errors import CheckTimeoutError, ModelError

QUESTION = "How tall is the tower?"
PASSAGES = ["The tower is 330 metres tall.", "The tower was built by Gustave Eiffel."]
ANSWER = "The tower is 330 metres tall. The castle burned down yesterday."


class GatedLM(WordLM):
    """Scores only while its gate is open."""

    def __init__(self):
        super().__init__()
        self.gate, self.running = threading.Event(), threading.Event()
        self.sizes = []

    def score(self, requests):
        self.sizes.append(len(requests))
        self.running.set()
        assert self.gate.wait(30)
        return super().score(requests)


def answers(count):
    return [f"The tower is {n} metres tall. It was built in {1800 + n}." for n in range(count)]


def test_checks_of_several_threads_are_scored_together():
    lm = GatedLM()
    guards = [make_guard(language_model=lm) for _ in range(2)]
    plain = make_guard()
    expected = [plain.check(QUESTION, PASSAGES, answer).claims for answer in answers(8)]
    with ThreadPoolExecutor(8) as pool:
        jobs = [
            pool.submit(guards[n % 2].check, QUESTION, PASSAGES, answer)
            for n, answer in enumerate(answers(8))
        ]
        assert lm.running.wait(30)
        lm.gate.set()
        assert [job.result().claims for job in jobs] == expected
    assert sum(lm.sizes) == 16
    assert len(lm.sizes) < 8


async def test_awaited_checks_are_scored_together():
    lm = GatedLM()
    guard = make_guard(language_model=lm)
    tasks = [asyncio.create_task(guard.acheck(QUESTION, PASSAGES, answer)) for answer in answers(8)]
    await asyncio.to_thread(lm.running.wait, 30)
    await asyncio.sleep(0.05)
    lm.gate.set()
    assert [report.answer for report in await asyncio.gather(*tasks)] == answers(8)
    assert len(lm.sizes) < 8
    guard.close()


@pytest.mark.parametrize("on_error", ["pass", "block"])
def test_a_deadline_holds_while_the_model_runs(on_error):
    lm = GatedLM()
    guard = make_guard(language_model=lm, timeout=0.1, on_error=on_error)
    report = guard.check(QUESTION, PASSAGES, ANSWER)
    assert not lm.gate.is_set()
    assert report.error.startswith("CheckTimeoutError")
    assert report.blocked == (on_error == "block")
    lm.gate.set()


def test_a_deadline_raises_where_it_is_wanted():
    lm = GatedLM()
    guard = make_guard(language_model=lm, timeout=0.1, on_error="raise")
    with pytest.raises(CheckTimeoutError):
        guard.check(QUESTION, PASSAGES, ANSWER)
    lm.gate.set()


async def test_a_deadline_runs_while_all_threads_are_busy(monkeypatch):
    monkeypatch.setattr("franq_guard.guard._THREADS", 1)
    lm = GatedLM()
    busy = make_guard(language_model=lm)
    hurried = busy.with_policy(busy.config.policy)
    hurried._config = busy.config.model_copy(update={"timeout": 0.1})
    first = asyncio.create_task(busy.acheck(QUESTION, PASSAGES, ANSWER))
    await asyncio.to_thread(lm.running.wait, 30)
    late = await hurried.acheck(QUESTION, PASSAGES, ANSWER)
    assert late.error.startswith("CheckTimeoutError")
    assert not first.done()
    lm.gate.set()
    assert (await first).error is None
    busy.close()


async def test_a_cancelled_check_is_not_begun():
    lm, aligner = GatedLM(), WordAligner()
    guard = make_guard(language_model=lm, alignment_model=aligner)
    first = asyncio.create_task(guard.acheck(QUESTION, PASSAGES, ANSWER))
    await asyncio.to_thread(lm.running.wait, 30)
    second = asyncio.create_task(guard.acheck(QUESTION, PASSAGES, "The moon is made of cheese."))
    await asyncio.sleep(0.05)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    lm.gate.set()
    assert (await first).error is None
    assert (await guard.acheck(QUESTION, PASSAGES, ANSWER)).error is None
    guard.close()


def test_memory_that_runs_out_is_a_failure_that_says_what_to_do():
    class HungryLM(WordLM):
        def score(self, requests):
            if len(requests) > self.room:
                raise MemoryError
            return super().score(requests)

    lm = HungryLM()
    lm.room = 1
    report = make_guard(language_model=lm).check(QUESTION, PASSAGES, ANSWER)
    assert report.claims == make_guard().check(QUESTION, PASSAGES, ANSWER).claims
    lm = HungryLM()
    lm.room = 0
    report = make_guard(language_model=lm).check(QUESTION, PASSAGES, ANSWER)
    assert report.error.startswith("ModelError")
    assert "smaller model" in report.error
    with pytest.raises(ModelError, match="smaller model"):
        make_guard(language_model=lm, on_error="raise").check(QUESTION, PASSAGES, ANSWER)


def test_equal_pairs_of_several_checks_are_judged_once():
    aligner = WordAligner()
    guard = make_guard(alignment_model=aligner)
    first = guard.check(QUESTION, PASSAGES, ANSWER)
    assert len(aligner.pairs) == len(set(aligner.pairs)) > 0
    judged = len(aligner.pairs)
    assert guard.check(QUESTION, PASSAGES, ANSWER).claims == first.claims
    assert len(aligner.pairs) == judged
