"""Threads and event loops over the real models."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from reports import assert_sound

QUESTION = "How tall is the Eiffel Tower?"
PASSAGES = ["With its antennas the Eiffel Tower is 330 metres tall."]
ANSWERS = [f"The Eiffel Tower is {height} metres tall." for height in (330, 12, 45, 101, 7, 99, 3, 1000)]


@pytest.fixture(scope="module")
def expected(uncalibrated):
    return [uncalibrated.check(QUESTION, PASSAGES, answer) for answer in ANSWERS]


def assert_same(reports, expected):
    for one, other in zip(reports, expected, strict=True):
        assert_sound(one)
        assert one.answer == other.answer
        for a, b in zip(one.claims, other.claims, strict=True):
            assert (a.text, a.verdict, a.evidence[0].start) == (b.text, b.verdict, b.evidence[0].start)
            assert a.p_true == pytest.approx(b.p_true, abs=1e-6)
            assert a.p_faithful == pytest.approx(b.p_faithful, abs=1e-4)


def test_eight_threads_agree_with_one(uncalibrated, expected):
    uncalibrated.forget()
    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(lambda answer: uncalibrated.check(QUESTION, PASSAGES, answer), ANSWERS))
    assert_same(reports, expected)


async def test_many_awaited_checks_each_get_their_own_result(uncalibrated, expected):
    uncalibrated.forget()
    reports = await asyncio.gather(
        *[uncalibrated.acheck(QUESTION, PASSAGES, answer) for answer in ANSWERS[:5]]
    )
    assert_same(reports, expected[:5])


async def test_many_at_once_can_be_awaited(uncalibrated, expected):
    uncalibrated.forget()
    reports = await uncalibrated.acheck_many(
        {"question": QUESTION, "passages": PASSAGES, "answer": answer} for answer in ANSWERS
    )
    assert_same(reports, expected)


async def test_the_loop_goes_on_while_a_check_runs(uncalibrated):
    uncalibrated.forget()
    ticks, largest_gap = 0, 0.0
    start = last = time.perf_counter()
    check = asyncio.create_task(uncalibrated.acheck(QUESTION, PASSAGES, " ".join(ANSWERS[:4])))
    while not check.done():
        await asyncio.sleep(0.01)
        now = time.perf_counter()
        largest_gap, last, ticks = max(largest_gap, now - last), now, ticks + 1
    duration = time.perf_counter() - start
    assert check.result().error is None
    assert ticks > 3
    assert largest_gap < duration / 2
