"""One guard under several policies."""

import asyncio

import pytest
from fakes import make_guard

from franq_guard import ConfigError, Policy

QUESTION, PASSAGES = "How tall is it?", ["It is 330 metres tall."]
ANSWER = "It is green and old."
STRICT = Policy(annotate_below=None, hedge_below=None, block_below=1.0, answer_message="No.")
LOOSE = Policy(annotate_below=None, hedge_below=None, block_below=None)


@pytest.fixture
def guard():
    return make_guard(policy=LOOSE)


def test_another_policy_acts_on_the_same_models(guard):
    strict = guard.with_policy(STRICT)
    assert strict.check(QUESTION, PASSAGES, ANSWER).text == "No."
    assert guard.check(QUESTION, PASSAGES, ANSWER).text == ANSWER
    assert (strict.config.policy, guard.config.policy) == (STRICT, LOOSE)
    assert strict._loaded() is guard._loaded()
    assert strict.with_policy(LOOSE).check(QUESTION, PASSAGES, ANSWER).text == ANSWER


def test_it_loads_no_models_of_its_own(guard):
    guard.with_policy(STRICT).check(QUESTION, PASSAGES, ANSWER)
    assert guard._pipeline is not None


async def test_it_shares_the_thread_and_outlives_none(guard):
    strict = guard.with_policy(STRICT)
    reports = await asyncio.gather(
        strict.acheck(QUESTION, PASSAGES, ANSWER), guard.acheck(QUESTION, PASSAGES, ANSWER)
    )
    assert [report.text for report in reports] == ["No.", ANSWER]
    assert strict._own_threads() is guard._own_threads()
    strict.close()
    assert (await guard.acheck(QUESTION, PASSAGES, ANSWER)).text == ANSWER
    guard.close()


def test_streams_follow_it_too(guard):
    pieces = list(guard.with_policy(STRICT).stream(QUESTION, PASSAGES, [ANSWER]))
    assert "".join(piece.text for piece in pieces) == "No."


@pytest.mark.parametrize("policy", [None, {"block_below": 0.5}, "strict"])
def test_other_things_are_refused(guard, policy):
    with pytest.raises(ConfigError, match="expected a Policy"):
        guard.with_policy(policy)
