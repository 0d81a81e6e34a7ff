"""What was read last, held against plain forward passes of a small random network."""

import copy

import numpy as np
import pytest
import torch
from transformers import Gemma3ForCausalLM, Gemma3TextConfig

from franq_guard.models.prefix_cache import PrefixCache
from franq_guard.models.scoring import cache_argument

IDS = [5, 9, 17, 3, 22, 8, 30, 31, 7, 6, 2, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 23, 24, 25]


class Counting:
    """Counts the tokens that pass through a model."""

    def __init__(self, model):
        self._model = model
        self.tokens = 0
        self.config, self.device, self.dtype, self.forward = (
            model.config,
            model.device,
            model.dtype,
            model.forward,
        )

    def __call__(self, *, input_ids, **options):
        self.tokens += input_ids.numel()
        return self._model(input_ids=input_ids, **options)


@pytest.fixture
def model(tiny_llama):
    return Counting(tiny_llama)


@pytest.fixture
def read(model):
    prefixes = PrefixCache(model)

    def read(ids, scored_from=None):
        before = model.tokens
        with torch.inference_mode():
            prefix = prefixes.read(ids, scored_from)
        return prefix, model.tokens - before

    read.prefixes = prefixes
    return read


def plain(tiny_llama, ids):
    with torch.inference_mode():
        return tiny_llama(torch.tensor([ids])).logits[0].log_softmax(-1)


def expected(tiny_llama, ids, scored_from):
    log_probs = plain(tiny_llama, ids)
    return [float(log_probs[place - 1, ids[place]]) for place in range(scored_from, len(ids))]


def same_logits(prefix, log_probs):
    assert prefix.logits.log_softmax(-1).numpy() == pytest.approx(log_probs[-1].numpy(), abs=1e-5)


def test_a_known_prompt_costs_nothing(read, tiny_llama):
    first, cost = read(IDS)
    assert cost == len(IDS)
    again, cost = read(IDS)
    assert cost == 0
    assert again is first
    same_logits(again, plain(tiny_llama, IDS))


@pytest.mark.parametrize("length", [1, 2, 17, 20, 23])
def test_what_a_longer_prompt_begins_with_is_read_off_it(read, tiny_llama, length):
    read(IDS)
    prefix, cost = read(IDS[:length])
    assert cost == 1  # its last token, for the logits behind it
    same_logits(prefix, plain(tiny_llama, IDS[:length]))
    assert len(read.prefixes) == 2


def test_an_answer_that_grows_is_read_once(read, tiny_llama):
    costs = []
    for end in (20, 21, 24):
        prefix, cost = read(IDS[:end], 18)
        costs.append(cost)
        assert prefix.log_probs[18 - prefix.scored_from :] == pytest.approx(
            expected(tiny_llama, IDS[:end], 18), abs=1e-5
        )
        same_logits(prefix, plain(tiny_llama, IDS[:end]))
    assert costs == [20, 1, 3]
    assert len(read.prefixes) == 1


def test_an_answer_that_changes_is_read_from_where_it_changes(read, tiny_llama):
    read(IDS, 16)
    other = [*IDS[:19], 33, 34, 35]
    prefix, cost = read(other, 16)
    assert cost == 4  # the last token that is shared, for what it predicts, and the three that differ
    assert prefix.log_probs == pytest.approx(expected(tiny_llama, other, 16), abs=1e-5)


@pytest.mark.parametrize("first", [None, 20, 12])
@pytest.mark.parametrize("then", [1, 12, 16, 20, 23, 24])
@pytest.mark.parametrize("end", [18, 24])
def test_scores_are_the_same_whatever_was_known(read, tiny_llama, first, then, end):
    read(IDS[:end], first if first is None else min(first, end))
    prefix, _ = read(IDS, then)
    found = prefix.log_probs[then - prefix.scored_from :]
    assert found == pytest.approx(expected(tiny_llama, IDS, then), abs=1e-5)
    same_logits(prefix, plain(tiny_llama, IDS))


def test_long_prompts_are_read_in_pieces(read, tiny_llama, monkeypatch):
    monkeypatch.setattr("franq_guard.models.prefix_cache._TOKENS_AT_ONCE", 5)
    prefix, cost = read(IDS, 3)
    assert cost == len(IDS)
    assert prefix.log_probs == pytest.approx(expected(tiny_llama, IDS, 3), abs=1e-5)
    same_logits(prefix, plain(tiny_llama, IDS))


def test_going_on_from_a_copy_changes_nothing_that_is_kept(read, tiny_llama):
    prefix, _ = read(IDS)
    before = copy.deepcopy(prefix.cache.layers[0].keys)
    cache = read.prefixes.copy(prefix, 10)
    with torch.inference_mode():
        tiny_llama(torch.tensor([[1, 2, 3]]), **{cache_argument(tiny_llama): cache}, use_cache=True)
    assert cache.get_seq_length() == 13
    assert torch.equal(prefix.cache.layers[0].keys, before)
    assert prefix.cache.get_seq_length() == len(IDS)


def test_memory_is_bounded_and_the_newest_always_stays(model):
    one = PrefixCache(model).read(IDS).size
    prefixes = PrefixCache(model, budget=int(2.5 * one))
    for start in range(6):
        prefixes.read([start + 30, *IDS[1:]])
    assert len(prefixes) == 2
    assert prefixes.holds([35, *IDS[1:]])
    assert not prefixes.holds([30, *IDS[1:]])
    tight = PrefixCache(model, budget=1)
    tight.read(IDS)
    assert tight.holds(IDS)


def test_models_that_forget_are_not_supported(tiny_llama):
    assert PrefixCache.supports(tiny_llama)
    torch.manual_seed(0)
    forgetful = Gemma3ForCausalLM(
        Gemma3TextConfig(
            vocab_size=40,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=16,
            sliding_window=8,
            layer_types=["sliding_attention", "full_attention"],
        )
    )
    assert not PrefixCache.supports(forgetful)


def test_scores_are_numbers(read):
    prefix, _ = read(IDS, 1)
    assert prefix.log_probs.shape == (len(IDS) - 1,)
    assert np.isfinite(prefix.log_probs).all()
    assert (prefix.log_probs <= 0).all()
