"""One guard, many threads and event loops."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fakes import BrokenLM, SlowLM, WordLM, make_guard

from franq_guard.errors import ModelError

QUESTION = "How tall is the tower?"
PASSAGES = ["The tower is 330 metres tall.", "The tower was built by Gustave Eiffel."]
ANSWER = "Sure! The tower is 330 metres tall. The castle burned down yesterday."


def test_threads_share_a_guard():
    guard = make_guard()
    answers = [f"The tower is {n} metres tall. It was built in {1800 + n}." for n in range(24)]
    expected = [guard.check(QUESTION, PASSAGES, answer).claims for answer in answers]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda answer: guard.check(QUESTION, PASSAGES, answer).claims, answers))
    assert found == expected


def test_threads_load_the_models_once(monkeypatch):
    import franq_guard.assembly

    real, calls = franq_guard.assembly.assemble, []

    def assemble(*args, **kwargs):
        calls.append(threading.get_ident())
        time.sleep(0.05)
        return real(*args, **kwargs)

    monkeypatch.setattr(franq_guard.assembly, "assemble", assemble)
    guard = make_guard()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: guard.check(QUESTION, PASSAGES, ANSWER), range(8)))
    assert len(calls) == 1


class Heartbeat:
    """Ticks as long as the loop is free, and knows the longest time that it was not."""

    async def __aenter__(self):
        self.ticks, self.largest_gap = 0, 0.0
        self.start = time.perf_counter()
        self.task = asyncio.create_task(self.beat())
        await asyncio.sleep(0)
        return self

    async def beat(self):
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.005)
            now = time.perf_counter()
            self.largest_gap = max(self.largest_gap, now - last)
            last = now
            self.ticks += 1

    async def __aexit__(self, *exc):
        self.task.cancel()
        self.duration = time.perf_counter() - self.start


async def test_a_check_leaves_the_loop_free():
    guard = make_guard(language_model=SlowLM())
    async with Heartbeat() as heart:
        report = await guard.acheck(QUESTION, PASSAGES, ANSWER)
    assert report.error is None
    assert heart.ticks > 5
    assert heart.largest_gap < heart.duration / 2
    guard.close()


async def test_loading_leaves_the_loop_free(monkeypatch):
    import franq_guard.assembly

    real = franq_guard.assembly.assemble

    def assemble(*args, **kwargs):
        time.sleep(0.5)
        return real(*args, **kwargs)

    monkeypatch.setattr(franq_guard.assembly, "assemble", assemble)
    guard = make_guard()
    async with Heartbeat() as heart:
        first = asyncio.create_task(guard.acheck(QUESTION, PASSAGES, ANSWER))
        await asyncio.sleep(0.1)  # the first is loading by now
        second = asyncio.create_task(guard.acheck(QUESTION, PASSAGES, ANSWER))
        await asyncio.gather(first, second)
    assert heart.ticks > 5
    assert heart.largest_gap < heart.duration / 2
    guard.close()


async def test_every_awaited_check_gets_its_own_result():
    guard = make_guard()
    answers = [f"The tower is {n} metres tall." for n in range(30)]
    reports = await asyncio.gather(*[guard.acheck(QUESTION, PASSAGES, answer) for answer in answers])
    assert [report.answer for report in reports] == answers
    assert all(report.claims[0].text == report.answer for report in reports)
    many = await guard.acheck_many(
        [{"question": QUESTION, "passages": PASSAGES, "answer": answer} for answer in answers]
    )
    assert [report.claims for report in many] == [report.claims for report in reports]
    guard.close()


async def test_a_failure_is_awaited_too():
    guard = make_guard(language_model=BrokenLM(RuntimeError("boom")), on_error="raise")
    with pytest.raises(ModelError, match="boom"):
        await guard.acheck(QUESTION, PASSAGES, ANSWER)
    guard.close()


def test_loops_one_after_the_other_share_a_guard():
    guard = make_guard()
    for _ in range(2):
        assert asyncio.run(guard.acheck(QUESTION, PASSAGES, ANSWER)).error is None
    guard.close()


async def test_a_closed_guard_starts_again():
    guard = make_guard()
    await guard.acheck(QUESTION, PASSAGES, ANSWER)
    guard.close()
    guard.close()
    assert (await guard.acheck(QUESTION, PASSAGES, ANSWER)).error is None
    guard.close()


async def test_handed_over_log_probs_can_be_awaited():
    lm = WordLM()
    report = await make_guard(language_model=lm).acheck(
        QUESTION, PASSAGES, "Tall.", token_log_probs=[("Tall.", -0.2)]
    )
    assert any("came with the answer" in note for note in report.notes)
    assert len(lm.requests) == 1
