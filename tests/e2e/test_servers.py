"""Real weights behind real servers."""

import os
import shlex
import socket
import subprocess
import time

import httpx
import numpy as np
import pytest

from franq_guard import Guard
from franq_guard.config import GuardConfig
from franq_guard.models.base import Prompt
from franq_guard.models.loading import load_alignment_model
from franq_guard.models.presets import SMOLLM2
from franq_guard.models.sources import parse, resolve
from franq_guard.pipeline.prompts import question_prompt, rag_prompt
from franq_guard.schema import Passage
from franq_guard.servers.address import parse_server
from franq_guard.servers.language_model import ServedLanguageModel
from franq_guard.serving.alignment import offered_alignment
from franq_guard.serving.app import create_app
from tests.serving.service import running

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

QUESTION = "How tall is the Eiffel Tower?"
PASSAGES = ["The Eiffel Tower is 330 metres tall. It was finished in 1889.", "Paris lies on the Seine."]
ANSWER = "The Eiffel Tower is 330 metres tall. It was finished in 1925."
LONG_FORM = {
    "form": "long",
    "calibration": "none",
    "max_prompt_tokens": 128,
    "device": "cpu",
    "dtype": "float32",
    "on_error": "raise",
}

# Measured with llama-cpp-python 0.3.36 on x86-64: over 141 tokens 0.08 on average, 0.13 for the worst answer,
# 0.42 for the worst token. It multiplies 4-bit weights with 8-bit activations, where the in-process model
# multiplies the same weights in float32.
MEAN_NATS, MOST_NATS = 0.2, 1.0


@pytest.fixture(scope="module")
def alignment_url():
    config = GuardConfig.load(preset="mini", device="cpu", dtype="float32")
    with running(create_app(None, alignment=lambda: offered_alignment(config))) as url:
        yield url


def test_the_embedded_alignment_model_gives_equal_scores_through_a_server(alignment_url):
    local = load_alignment_model("align_mini", device="cpu", dtype="float32")
    served = load_alignment_model(f"franq:{alignment_url}")
    assert (served.id, served.languages) == (local.id, local.languages)
    pairs = [
        (passage, claim) for passage in PASSAGES for claim in (ANSWER, "It is tall.", "Ça pèse 3 kg. 😀")
    ]
    np.testing.assert_allclose(served.score(pairs), local.score(pairs), rtol=0, atol=1e-6)


def test_guards_share_an_alignment_model_and_get_equal_reports(lm, alignment_url):
    local = Guard(language_model=lm, alignment_model="align_mini", **LONG_FORM)
    remote = Guard(language_model=lm, alignment_model=f"franq:{alignment_url}", **LONG_FORM)
    one, two = (guard.check(QUESTION, PASSAGES, ANSWER) for guard in (local, remote))
    assert one.models == two.models
    assert [claim.verdict for claim in one.claims] == [claim.verdict for claim in two.claims]
    np.testing.assert_allclose(
        [claim.p_true for claim in one.claims], [claim.p_true for claim in two.claims], rtol=0, atol=1e-5
    )


def test_a_whole_check_over_http(guard):
    with (
        running(create_app(guard)) as url,
        httpx.Client(base_url=url, trust_env=False, timeout=120) as client,
    ):
        got = client.post("/v1/check", json={"question": QUESTION, "passages": PASSAGES, "answer": ANSWER})
    own = guard.check(QUESTION, PASSAGES, ANSWER)
    assert got.status_code == 200
    assert [claim["p_true"] for claim in got.json()["claims"]] == pytest.approx(
        [claim.p_true for claim in own.claims], abs=1e-5
    )
    assert got.json()["text"] == own.text


@pytest.fixture(scope="module")
def llama_cpp():
    """llama.cpp's server over the weights that `lm` de-quantises."""
    command = os.environ.get("FRANQ_GUARD_LLAMA_SERVER")
    if not command:
        pytest.skip("FRANQ_GUARD_LLAMA_SERVER names no server: see docs/servers.md, Testing")
    weights = resolve(parse(SMOLLM2))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--model", str(weights), "--model_alias", "smollm2", "--n_ctx", "1024", "--logits_all", "true"]
    process = subprocess.Popen(
        [*shlex.split(command), *options, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        end = time.monotonic() + 120
        while True:
            assert process.poll() is None and time.monotonic() < end, "the server did not start"
            try:
                httpx.get(f"{url}/models", trust_env=False).raise_for_status()
                break
            except httpx.HTTPError:
                time.sleep(0.2)
        yield ServedLanguageModel(
            parse_server(f"openai:{url}#tokenizer={weights}&context=1024&timeout=600&concurrency=1")
        )
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.slow
def test_llama_cpp_scores_as_the_same_weights_in_process(lm, llama_cpp):
    passages = [Passage(text) for text in PASSAGES]
    prompts = [question_prompt(QUESTION), rag_prompt(QUESTION, passages), Prompt("Say something.")]
    answers = [ANSWER, "Der Turm ist 330 Meter hoch – très haut, 高い 😀.", "It <|im_end|> is tall."]
    for prompt in prompts:
        for answer in answers:
            tokens = lm.tokenize(answer)
            assert llama_cpp.tokenize(answer).ids == tokens.ids
            [own], [served] = lm.score([(prompt, tokens)]), llama_cpp.score([(prompt, tokens)])
            if "<|" in answer:  # servers of text get it broken up
                assert np.isfinite(served.log_probs).all()
                continue
            assert served.tokens == tokens
            off = np.abs(served.log_probs - own.log_probs)
            assert off.mean() < MEAN_NATS
            assert off.max() < MOST_NATS


@pytest.mark.slow
def test_llama_cpp_writes_and_samples(llama_cpp):
    prompt = question_prompt("What is the capital of France?")
    [written] = llama_cpp.generate([prompt], max_new_tokens=16)
    assert "Paris" in written.text
    again = llama_cpp.score([(prompt, written.scores.tokens)])[0]
    np.testing.assert_allclose(again.log_probs, written.scores.log_probs, atol=0.2)
    drawn = llama_cpp.sample(prompt, n=3, max_new_tokens=12, seed=1)
    assert len(drawn) == 3
    assert [one.text for one in drawn] == [
        one.text for one in llama_cpp.sample(prompt, n=3, max_new_tokens=12, seed=1)
    ]


@pytest.mark.slow
def test_a_guard_over_llama_cpp_checks_as_one_in_process(lm, llama_cpp):
    reports = [
        Guard(language_model=model, alignment_model="align_mini", **LONG_FORM).check(
            QUESTION, PASSAGES, ANSWER
        )
        for model in (lm, llama_cpp)
    ]
    assert reports[1].models["language_model"] == "openai:smollm2"
    assert [claim.verdict for claim in reports[0].claims] == [claim.verdict for claim in reports[1].claims]
    np.testing.assert_allclose(
        *([claim.p_true for claim in report.claims] for report in reports), rtol=0, atol=0.1
    )
