"""Servers that are slow, busy, broken or gone: every check ends, in time, with a defined result."""

import gc
import logging
import socket
import threading
import time

import pytest
from fakes import WordAligner

from franq_guard import Guard
from franq_guard.errors import CheckTimeoutError, ModelError
from franq_guard.models.base import Prompt
from franq_guard.models.loading import load_language_model
from franq_guard.outcome import WITHHELD
from franq_guard.pipeline.deadline import Deadline
from franq_guard.runtime.time_limit import limited
from franq_guard.schema import Verdict
from tests.servers.model_server import body, cut, drip, hang_up, silent, status

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

PROMPT = Prompt("A secret question")
ANSWER = "The tower is 330 metres tall."
PASSING = {
    "429": status(429),
    "429 with a time": status(429, Retry_After=0),
    "500": status(500),
    "503": status(503, Retry_After="Mon, 01 Jan 2024 00:00:00 GMT"),
    "a cut connection": cut,
    "no answer at all": hang_up,
}
LASTING = {
    "no JSON": body(b"<html>secret</html>"),
    "an empty body": body(b""),
    "cut JSON": body(b'{"choices": ['),
    "no object": body(b"[]"),
    "no choices": body(b'{"choices": []}'),
    "nothing in a choice": body(b'{"choices": [{}]}'),
    "no list": body(b'{"choices": [{"prompt_logprobs": 3}]}'),
    "too few": body(b'{"choices": [{"prompt_logprobs": [null]}]}'),
    "deep JSON": body(b"[" * 100_000),
    "400": status(400),
    "403": status(403),
}


@pytest.fixture(autouse=True)
def no_garbage_collection():
    """Finalisers that ran in the depths of nested JSON would fail for want of stack."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def vllm(start):
    return start("vllm")


@pytest.fixture
def lm(vllm, connect):
    return connect(vllm)


def score(lm):
    [scores] = lm.score([(PROMPT, lm.tokenize(ANSWER))])
    return scores


@pytest.mark.parametrize("trouble", PASSING.values(), ids=PASSING)
def test_what_passes_is_tried_again(vllm, lm, trouble):
    expected = score(lm).log_probs
    vllm.trouble = [trouble, trouble]
    asked = len(vllm.requests)
    assert score(lm).log_probs.tolist() == expected.tolist()
    assert len(vllm.requests) == asked + 3


@pytest.mark.parametrize("trouble", [status(500), cut], ids=["500", "cut"])
def test_what_does_not_pass_ends_after_a_few_attempts(vllm, lm, trouble):
    vllm.always = trouble
    asked = len(vllm.requests)
    with pytest.raises(ModelError, match="the model server at http"):
        score(lm)
    assert len(vllm.requests) == asked + 5


@pytest.mark.parametrize("trouble", LASTING.values(), ids=LASTING)
def test_what_will_not_pass_is_an_error_at_once(vllm, lm, trouble):
    vllm.always = trouble
    asked = len(vllm.requests)
    with pytest.raises(ModelError) as caught:
        score(lm)
    assert "secret" not in str(caught.value)
    assert len(vllm.requests) == asked + 1


@pytest.mark.parametrize("value", ["NaN", "null", '"-1"', "0.5", "true", "[]"])
def test_numbers_that_are_no_log_probabilities_are_an_error(vllm, lm, value):
    ids = [*lm._server.tokenizer.prompt_ids(PROMPT), *lm.tokenize(ANSWER).ids]
    entries = ["null", *(f'{{"{token}": {{"logprob": {value}}}}}' for token in ids[1:])]
    vllm.always = body(f'{{"choices": [{{"prompt_logprobs": [{",".join(entries)}]}}]}}'.encode())
    with pytest.raises(ModelError, match="no log-probability"):
        score(lm)


def test_an_impossible_token_has_a_finite_log_probability(vllm, lm):
    ids = [*lm._server.tokenizer.prompt_ids(PROMPT), *lm.tokenize(ANSWER).ids]
    entries = ["null", *(f'{{"{token}": {{"logprob": -Infinity}}}}' for token in ids[1:])]
    vllm.always = body(f'{{"choices": [{{"prompt_logprobs": [{",".join(entries)}]}}]}}'.encode())
    assert score(lm).log_probs.max() == -1e4


@pytest.mark.parametrize("trouble", [silent, drip], ids=["silent", "drip"])
def test_a_slow_server_costs_no_more_than_the_time_limit(vllm, lm, trouble):
    vllm.always = trouble
    with limited(Deadline(0.2)), pytest.raises(CheckTimeoutError):
        score(lm)


@pytest.mark.parametrize("trouble", [silent, drip], ids=["silent", "drip"])
def test_a_slow_server_costs_no_more_than_its_own_timeout(vllm, connect, trouble):
    lm = connect(vllm, timeout=3)
    vllm.always = trouble
    lm._client.address = connect_again(lm, timeout=0.2)
    with pytest.raises(ModelError, match="did not answer in time"):
        score(lm)


def connect_again(lm, **changes):
    from dataclasses import replace

    return replace(lm._client.address, **changes)


def test_no_attempt_is_begun_that_the_time_limit_would_cut(vllm, lm):
    vllm.always = status(503, Retry_After=30)
    asked = len(vllm.requests)
    started = time.monotonic()
    with limited(Deadline(20)), pytest.raises(ModelError, match="answered with 503"):
        score(lm)
    assert time.monotonic() - started < 20
    assert len(vllm.requests) == asked + 1


def test_a_limit_that_has_passed_sends_nothing(vllm, lm):
    deadline = Deadline(100)
    deadline.cancel()
    asked = len(vllm.requests)
    with limited(deadline), pytest.raises(CheckTimeoutError):
        lm.generate([PROMPT])
    assert len(vllm.requests) == asked


def test_one_failure_drops_what_was_not_sent(vllm, connect):
    lm = connect(vllm, concurrency=1)
    requests = [(Prompt(f"Q{number}"), lm.tokenize(ANSWER)) for number in range(20)]
    vllm.always = status(400)
    asked = len(vllm.requests)
    with pytest.raises(ModelError):
        lm.score(requests)
    assert len(vllm.requests) < asked + 20


def test_no_more_requests_are_in_flight_than_allowed(vllm, connect):
    lm = connect(vllm, concurrency=3)
    vllm.delay, vllm.most_running = 0.01, 0
    requests = [(Prompt(f"Q{number}"), lm.tokenize(ANSWER)) for number in range(10)]
    threads = [threading.Thread(target=lm.score, args=(requests,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 < vllm.most_running <= 3


def test_a_server_that_is_not_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"openai:http://127.0.0.1:{free.getsockname()[1]}/v1#timeout=0.3"
        with pytest.raises(ModelError, match="cannot be reached"):
            load_language_model(address)


def test_the_key_is_sent_and_never_shown(vllm, connect, monkeypatch, caplog):
    vllm.key = "s3cret-key"
    with pytest.raises(ModelError, match="FRANQ_GUARD_API_KEY"):
        connect(vllm)
    monkeypatch.setenv("FRANQ_GUARD_API_KEY", "s3cret-key")
    with caplog.at_level(logging.DEBUG):
        lm = connect(vllm)
        score(lm)
        vllm.always = status(403)
        with pytest.raises(ModelError) as caught:
            score(lm)
    assert "s3cret" not in f"{caplog.text}{caught.value}{lm.id}{lm._client.address}"
    assert "secret question" not in f"{caplog.text}{caught.value}"


def guard_over(lm, **settings):
    return Guard(language_model=lm, alignment_model=WordAligner(), form="long", **settings)


TROUBLE = {**PASSING, **{name: LASTING[name] for name in ("no JSON", "no choices", "400")}, "silence": silent}


@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
@pytest.mark.parametrize("trouble", TROUBLE.values(), ids=TROUBLE)
def test_checks_over_a_broken_server_end_as_the_settings_say(vllm, lm, trouble, on_error):
    vllm.always = trouble
    guard = guard_over(lm, on_error=on_error, timeout=0.5)
    if on_error == "raise":
        with pytest.raises((ModelError, CheckTimeoutError)):
            guard.check("How tall?", ["It is 330 metres tall."], ANSWER)
        return
    report = guard.check("How tall?", ["It is 330 metres tall."], ANSWER)
    assert report.error is not None and report.error.startswith(
        ("ModelError", "MalformedAnswer", "ServerRefusal", "CheckTimeout")
    )
    assert report.blocked is (on_error == "block")
    assert report.text == (WITHHELD if on_error == "block" else ANSWER)
    assert all(claim.verdict is Verdict.UNCHECKED for claim in report.claims)


def test_a_guard_recovers_with_its_server(vllm, lm):
    guard = guard_over(lm, on_error="pass")
    vllm.always = status(400)
    assert guard.check("How tall?", ["It is 330 metres tall."], ANSWER).error is not None
    vllm.always = None
    report = guard.check("How tall?", ["It is 330 metres tall."], ANSWER)
    assert report.error is None
    assert report.models["language_model"] == "openai:tiny"
