"""Several continuations in one row give what each gives alone."""

import pytest
import torch

from franq_guard.errors import ModelError
from franq_guard.models.decoding import decode, greedy, sampler
from franq_guard.models.packed import decode_behind, predict_behind
from franq_guard.models.prefix_cache import PrefixCache

PROMPT = [5, 9, 17, 3, 22, 8]


@pytest.fixture
def start(tiny_llama):
    prefixes = PrefixCache(tiny_llama)

    def start():
        prefix = prefixes.read(PROMPT)
        return prefixes.copy(prefix), prefix.logits

    return start


@torch.inference_mode()
def test_each_continuation_sees_the_prompt_and_itself_alone(tiny_llama, start):
    targets = [(4, 5, 6), (7,), (4, 5, 6, 8, 9), (39,)]
    for target, logits in zip(targets, predict_behind(tiny_llama, *start(), targets), strict=True):
        alone = tiny_llama(torch.tensor([[*PROMPT, *target]])).logits[0, len(PROMPT) - 1 : -1]
        assert logits.numpy() == pytest.approx(alone.numpy(), abs=1e-5)


@torch.inference_mode()
def test_single_tokens_need_no_pass(tiny_llama, start):
    cache, first = start()
    found = predict_behind(None, cache, first, [(3,), (4,)])
    assert [logits.tolist() for logits in found] == [[first.tolist()]] * 2


@pytest.mark.parametrize("copies", [1, 16])
@torch.inference_mode()
def test_drawn_texts_are_those_of_one_row_each(tiny_llama, start, copies):
    def pick():
        return sampler(temperature=1.7, top_k=20, top_p=0.99, seed=5, device="cpu")

    options = {"end_ids": frozenset({1}), "max_new_tokens": 24, "copies": copies}
    ids = torch.tensor([PROMPT])
    one_row_each = decode(tiny_llama, ids, torch.ones_like(ids), pick=pick(), **options)
    packed = decode_behind(tiny_llama, *start(), pick=pick(), **options)
    assert [text.ids for text in packed] == [text.ids for text in one_row_each]
    for text, expected in zip(packed, one_row_each, strict=True):
        assert text.log_probs == pytest.approx(expected.log_probs, abs=1e-5)
        assert (text.end_log_prob is None) == (expected.end_log_prob is None)
    assert copies == 1 or len({text.end_log_prob is None for text in packed}) == 2


@torch.inference_mode()
def test_numbers_that_are_not_finite_are_an_error(tiny_llama, start):
    cache, first = start()
    with pytest.raises(ModelError, match="not finite"):
        decode_behind(
            tiny_llama, cache, first * float("nan"), pick=greedy, end_ids=frozenset(), max_new_tokens=2
        )
