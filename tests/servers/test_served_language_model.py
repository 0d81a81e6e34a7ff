"""Scores, samples and texts of servers of several kinds."""

import numpy as np
import pytest

from franq_guard.errors import InputError, ModelError
from franq_guard.models.base import LanguageModel, Prompt
from franq_guard.models.local_tokenizer import LocalTokenizer
from franq_guard.models.shared import shared_language_model
from franq_guard.servers.address import parse_server
from franq_guard.servers.language_model import ServedLanguageModel
from tests.servers.model_server import CONTEXT

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

FLAVOURS = ["vllm", "echo", "text"]
PROMPT = Prompt("How tall is the tower?", "Answer in words.")
ANSWERS = ["The tower is 330 metres tall.", "Él é 😀 высокий.", " leading space", "\nnew line", "x"]


@pytest.fixture(params=FLAVOURS)
def lm(request, start, connect):
    return connect(start(request.param))


@pytest.fixture(scope="module")
def local(tokenizer_folder):
    return LocalTokenizer(str(tokenizer_folder))


def expected(tiny, local, prompt, tokens):
    ids = local.prompt_ids(prompt)
    return tiny.score([*ids, *tokens.ids])[len(ids) :]


def test_it_is_a_language_model_named_after_the_served_one(lm):
    assert isinstance(lm, LanguageModel)
    assert lm.id == "openai:tiny"


def test_it_needs_no_worker_of_its_own(lm):
    assert shared_language_model(lm) is lm


def test_contexts_are_told_or_given(start, connect):
    assert connect(start("vllm")).max_context == CONTEXT
    assert connect(start("text")).max_context == 2048
    assert connect(start("text"), context=300).max_context == 300


def test_scores_are_the_models_own(lm, tiny, local):
    requests = [(PROMPT, lm.tokenize(text)) for text in ANSWERS] + [(Prompt("Q"), lm.tokenize(ANSWERS[0]))]
    for (prompt, tokens), scores in zip(requests, lm.score(requests), strict=True):
        assert scores.tokens == tokens
        assert scores.log_probs == pytest.approx(expected(tiny, local, prompt, tokens), abs=1e-9)


def test_all_kinds_of_servers_give_the_same_numbers(start, connect):
    found = []
    for flavour in FLAVOURS:
        lm = connect(start(flavour))
        found.append([scores.log_probs for scores in lm.score([(PROMPT, lm.tokenize(a)) for a in ANSWERS])])
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_allclose(one, two, atol=1e-9)


def test_servers_tokenise_as_the_local_copy(start, connect, local):
    lm = connect(start("vllm"))
    for text in ANSWERS:
        assert lm.tokenize(text).ids == local.tokenize(text).ids
        assert lm.tokenize(text).offsets.tolist() == local.tokenize(text).offsets.tolist()


def test_a_template_without_system_role_gets_one_turn(start, connect, local):
    server = start("vllm")
    server.roles = {"user"}
    found = connect(server)._server.tokenizer.prompt_ids(PROMPT)
    assert found == local.prompt_ids(Prompt(f"{PROMPT.system}\n\n{PROMPT.user}"))


def test_a_model_without_template_gets_plain_text(start, connect, tiny):
    server = start("vllm")
    server.roles = set()
    lm = connect(server)
    assert lm._server.tokenizer.prompt_ids(PROMPT) == tiny.ids(f"{PROMPT.system}\n\n{PROMPT.user}\n\nAnswer:")
    [scores] = lm.score([(PROMPT, lm.tokenize("x"))])
    assert scores.log_probs.shape == (1,)


def test_an_empty_answer_has_no_scores(lm):
    [scores, other] = lm.score([(PROMPT, lm.tokenize("")), (PROMPT, lm.tokenize("x"))])
    assert scores.log_probs.shape == (0,)
    assert other.log_probs.shape == (1,)
    assert lm.score([]) == []


@pytest.mark.parametrize("text", ["It is <|over|> tall.", "<|turn|>", "a<|im_end|>b", "\ud800 broken"])
def test_control_tokens_in_an_answer_are_plain_text(lm, text):
    tokens = lm.tokenize(text)
    [scores] = lm.score([(PROMPT, tokens)])
    assert np.isfinite(scores.log_probs).all()
    assert not {0, 1} & set(tokens.ids)
    starts, ends = scores.tokens.offsets[:, 0], scores.tokens.offsets[:, 1]
    assert starts.min() == 0 and ends.max() == len(text)


@pytest.mark.parametrize("flavour", ["vllm", "echo"])
def test_answers_longer_than_the_context_are_scored_in_stretches(start, connect, flavour):
    lm = connect(start(flavour), context=120)
    tokens = lm.tokenize("The tower is tall. " * 30)
    [scores] = lm.score([(PROMPT, tokens)])
    assert scores.stretches > 1
    assert scores.log_probs.shape == (len(tokens.ids),)


def test_servers_of_text_take_only_what_fits(start, connect):
    lm = connect(start("text"), context=120)
    with pytest.raises(InputError, match="takes 120"):
        lm.score([(PROMPT, lm.tokenize("The tower is tall. " * 30))])


def test_a_prompt_without_room_is_an_error(lm):
    with pytest.raises(InputError):
        lm.generate([Prompt("tower " * 3000)])


def test_greedy_texts_are_those_of_the_model(lm, tiny, local):
    prompts = [PROMPT, Prompt("Q")]
    for prompt, found in zip(prompts, lm.generate(prompts, max_new_tokens=8), strict=True):
        ids, values = tiny.write(local.prompt_ids(prompt), 8)
        ended = ids[-1] == 1
        ids, values = (ids[:-1], values[:-1]) if ended else (ids, values)
        assert found.text == tiny.tokenizer.decode(ids)
        assert found.scores.log_probs == pytest.approx(values)
        spelled = "".join(found.text[start:end] for start, end in found.scores.tokens.offsets)
        assert spelled == found.text


def test_vllm_tells_the_end_tokens_log_probability(start, connect, tiny, local):
    lm = connect(start("vllm"))
    prompts = [Prompt("x" * size) for size in range(1, 12)]
    found = lm.generate(prompts, max_new_tokens=20)
    assert any(one.end_log_prob is not None for one in found)
    for prompt, one in zip(prompts, found, strict=True):
        ids, values = tiny.write(local.prompt_ids(prompt), 20)
        assert one.end_log_prob == (pytest.approx(values[-1]) if ids[-1] == 1 else None)


def test_samples_are_as_many_as_asked_for_and_repeatable(lm):
    first = lm.sample(PROMPT, n=4, max_new_tokens=6, seed=3)
    assert len(first) == 4
    assert [one.text for one in first] == [
        one.text for one in lm.sample(PROMPT, n=4, max_new_tokens=6, seed=3)
    ]
    assert len({one.text for one in first}) > 1
    assert all((one.scores.log_probs <= 0).all() for one in first)


def test_sampling_is_asked_for_without_the_servers_own_settings(start, connect):
    server = start("vllm")
    connect(server).sample(PROMPT, n=2, temperature=0.7, top_k=0, top_p=0.9, max_new_tokens=4)
    sent = server.requests[-1]
    assert (sent["n"], sent["temperature"], sent["top_p"], sent["top_k"]) == (2, 0.7, 0.9, -1)
    assert (sent["min_p"], sent["repetition_penalty"]) == (0.0, 1.0)
    assert "seed" not in sent


@pytest.mark.parametrize("setting", [{"n": 0}, {"temperature": 0}, {"top_k": -1}, {"top_p": 0}])
def test_sampling_settings_out_of_range(lm, setting):
    with pytest.raises(InputError, match="sampling needs"):
        lm.sample(PROMPT, **setting)


def test_a_server_whose_numbers_are_shifted_by_a_token_is_found_out(start, connect):
    with pytest.raises(ModelError, match=r"nats off|no log-prob"):
        connect(start("shifted"))


def test_a_server_that_scores_only_what_it_writes_is_found_out(start, connect):
    with pytest.raises(ModelError, match="does not score prompts"):
        connect(start("generated"))


def test_a_server_that_does_not_tokenise_needs_a_tokeniser(start):
    with pytest.raises(ModelError, match="#tokenizer="):
        ServedLanguageModel(parse_server(f"openai:{start('echo').url}"))


def test_an_unknown_model_is_an_error_that_lists_the_known(start, connect):
    with pytest.raises(ModelError, match="serves tiny"):
        connect(start("vllm"), model="other")


def test_the_way_to_score_is_found_out_once(start, connect):
    server = start("vllm")
    lm = connect(server)
    asked = len(server.requests)
    lm.score([(PROMPT, lm.tokenize("x"))])
    lm.score([(PROMPT, lm.tokenize("x"))])
    assert len(server.requests) == asked + 2
