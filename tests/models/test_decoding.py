"""Decoding on a small random network, held against transformers' own forward pass and `generate`."""

from collections import Counter

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from franq_guard.errors import ModelError
from franq_guard.models.decoding import decode, greedy, sampler

VOCABULARY = 40
END = frozenset({1})
NO_END = frozenset({VOCABULARY})


@pytest.fixture
def model(tiny_llama):
    return tiny_llama


def prompts(*rows):
    width = max(map(len, rows))
    ids = torch.tensor([[0] * (width - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
    return ids, mask


def run(model, *rows, **options):
    ids, mask = prompts(*rows)
    options = {"pick": greedy, "end_ids": END, "max_new_tokens": 12, **options}
    with torch.inference_mode():
        return decode(model, ids, mask, **options)


def draw(seed=0, **options):
    options = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, **options}
    return sampler(seed=seed, device="cpu", **options)


def plain_log_probs(model, prompt, ids):
    with torch.inference_mode():
        logits = model(torch.tensor([prompt + ids])).logits[0].log_softmax(-1)
    return [float(logits[len(prompt) - 1 + t, token]) for t, token in enumerate(ids)]


PROMPT = [5, 9, 17, 3, 22, 8]


def test_log_probs_are_those_of_one_plain_pass_over_prompt_and_text(model):
    texts = run(model, PROMPT, pick=draw(temperature=1.7, top_k=20), copies=32)
    assert any(text.end_log_prob is not None for text in texts)
    assert any(len(text.ids) == 12 for text in texts)
    for text in texts:
        ended = text.end_log_prob is not None
        expected = plain_log_probs(model, PROMPT, text.ids + [1] * ended)
        assert text.log_probs + [text.end_log_prob] * ended == pytest.approx(expected, abs=1e-4)


def test_greedy_writes_what_generate_writes(model):
    for prompt in (PROMPT, [2], [30, 31, 32, 33, 2, 4, 6, 8, 10]):
        [text] = run(model, prompt, max_new_tokens=20)
        with torch.inference_mode():
            expected = model.generate(torch.tensor([prompt]), do_sample=False, max_new_tokens=20)
        written = expected[0, len(prompt) :].tolist()
        assert text.ids + [1] * (text.end_log_prob is not None) == written


def test_prompts_of_several_lengths_do_not_touch_each_other(model):
    rows = [PROMPT, [2], [30, 31, 32, 33, 2, 4, 6, 8, 10]]
    together = run(model, *rows)
    for row, text in zip(rows, together, strict=True):
        [alone] = run(model, row)
        assert text.ids == alone.ids
        assert text.log_probs == pytest.approx(alone.log_probs, abs=1e-5)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"temperature": 0.6},
        {"top_k": 5},
        {"top_p": 0.7},
        {"temperature": 1.5, "top_k": 8, "top_p": 0.8},
    ],
)
def test_samples_follow_the_distribution_that_was_asked_for(model, settings):
    copies = 4000
    texts = run(model, PROMPT, pick=draw(seed=1, **settings), end_ids=NO_END, max_new_tokens=1, copies=copies)
    counts = Counter(text.ids[0] for text in texts)
    with torch.inference_mode():
        logits = model(torch.tensor([PROMPT])).logits[0, -1] / settings.get("temperature", 1.0)
    expected = logits.softmax(-1).double().numpy()
    if k := settings.get("top_k"):
        expected[np.argsort(-expected)[k:]] = 0
        expected /= expected.sum()
    if p := settings.get("top_p"):
        order = np.argsort(-expected)
        before = np.cumsum(expected[order]) - expected[order]
        expected[order[before >= p]] = 0
        expected /= expected.sum()
    assert all(expected[token] > 0 for token in counts)
    found = np.array([counts[token] for token in range(VOCABULARY)]) / copies
    # Five standard errors of the most uncertain share.
    assert np.abs(found - expected).max() < 5 * 0.5 / copies**0.5


def test_a_prompt_is_read_once_for_all_copies(model):
    seen = []
    hook = model.register_forward_pre_hook(
        lambda module, args, kwargs: seen.append(tuple(kwargs["input_ids"].shape)), with_kwargs=True
    )
    try:
        run(model, PROMPT, pick=draw(), end_ids=NO_END, max_new_tokens=4, copies=10)
    finally:
        hook.remove()
    assert seen == [(1, len(PROMPT)), (10, 1), (10, 1), (10, 1)]


def test_finished_texts_leave_the_batch(model):
    sizes = []
    hook = model.register_forward_pre_hook(
        lambda module, args, kwargs: sizes.append(kwargs["input_ids"].shape[0]), with_kwargs=True
    )
    try:
        texts = run(model, PROMPT, pick=draw(temperature=2.0), max_new_tokens=30, copies=16)
    finally:
        hook.remove()
    assert sizes[1:] == sorted(sizes[1:], reverse=True)
    assert sum(sizes[1:]) < 16 * 29
    # All forwarded tokens but the prompt's are tokens of a text; a text's last one is not forwarded.
    last = sum(text.end_log_prob is None for text in texts)
    assert sum(sizes[1:]) == sum(len(text.ids) for text in texts) - last


def test_the_end_token_counts_towards_the_limit_and_is_not_part_of_the_text(model):
    texts = run(model, PROMPT, pick=lambda log_probs: torch.ones(len(log_probs), dtype=torch.long), copies=3)
    expected = plain_log_probs(model, PROMPT, [1])[0]
    for text in texts:
        assert (text.ids, text.log_probs) == ([], [])
        assert text.end_log_prob == pytest.approx(expected, abs=1e-5)
    assert all(text.end_log_prob is None for text in run(model, PROMPT, end_ids=NO_END))


def test_one_seed_gives_one_result_and_touches_no_other_random_state(model):
    def ids(seed):
        return [text.ids for text in run(model, PROMPT, pick=draw(seed=seed), copies=6)]

    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    assert ids(7) == ids(7)
    assert ids(7) != ids(8)
    assert ids(None) != ids(None)
    assert torch.equal(torch.rand(2), expected)


def test_numbers_that_are_not_finite_are_refused(model):
    broken = LlamaForCausalLM(model.config).eval()
    with torch.no_grad():
        broken.lm_head.weight.fill_(float("nan"))
    for pick in (greedy, draw()):
        with pytest.raises(ModelError, match="float32"):
            run(broken, PROMPT, pick=pick, copies=2)
