"""Distributions held against a plain forward pass of a small random network."""

import numpy as np
import pytest
import torch

from franq_guard.errors import ModelError
from franq_guard.models.base import Tokens
from franq_guard.models.distributions import assemble_distributions, read_distributions
from franq_guard.models.scoring import predict_padded, score_padded

VOCABULARY = 40
ROWS = [([5, 6, 7], [8, 9]), ([3], [4, 4, 30, 2, 1]), ([1, 2, 3, 4, 5, 6], [39])]


@pytest.fixture
def model(tiny_llama):
    return tiny_llama


def padded():
    rows = [prompt + targets for prompt, targets in ROWS]
    width = max(map(len, rows))
    ids = torch.tensor([[0] * (width - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
    return ids, mask


def plain(model, prompt, targets):
    with torch.inference_mode():
        logits = model(torch.tensor([prompt + targets])).logits[0].double()
    return logits.log_softmax(-1)[len(prompt) - 1 : -1].numpy()


def test_a_padded_batch_gives_what_plain_forward_passes_give(model):
    targets = [wanted for _, wanted in ROWS]
    with torch.inference_mode():
        found = [
            read_distributions(logits, wanted, top=5)
            for logits, wanted in zip(predict_padded(model, *padded(), targets), targets, strict=True)
        ]
        scores = score_padded(model, *padded(), targets)
    for (prompt, wanted), one, log_probs in zip(ROWS, found, scores, strict=True):
        whole = plain(model, prompt, wanted)
        assert one.log_probs == pytest.approx(log_probs, abs=1e-5)
        assert one.log_probs == pytest.approx(whole[np.arange(len(wanted)), wanted], abs=1e-5)
        assert one.entropies == pytest.approx(-(np.exp(whole) * whole).sum(-1), abs=1e-5)
        order = np.argsort(-whole, axis=-1)[:, :5]
        assert (one.top_ids == order).all()
        assert one.top_log_probs == pytest.approx(np.take_along_axis(whole, order, -1), abs=1e-5)


def test_long_answers_are_read_piece_by_piece():
    logits = torch.randn(150, 12)
    wanted = [index % 12 for index in range(150)]
    whole = read_distributions(logits, wanted, top=3)
    parts = [read_distributions(logits[a : a + 7], wanted[a : a + 7], top=3) for a in range(0, 150, 7)]
    assert whole.entropies == pytest.approx(np.concatenate([part.entropies for part in parts]), abs=1e-6)
    assert whole.top_ids.shape == (150, 3)


def test_ruled_out_tokens_add_no_entropy():
    logits = torch.tensor([[0.0, 0.0, -torch.inf]])
    assert read_distributions(logits, [0], top=9).entropies == pytest.approx([np.log(2)])


def test_no_more_alternatives_than_tokens_exist():
    assert read_distributions(torch.zeros(1, 4), [0], top=10).top_ids.shape == (1, 4)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_an_error(bad):
    with pytest.raises(ModelError, match="float32"):
        read_distributions(torch.tensor([[0.0, bad]]), [0], top=2)


def test_stretches_are_put_together():
    logits = torch.randn(5, 6)
    pieces = [read_distributions(logits[:3], [0, 1, 2], 2), read_distributions(logits[3:], [3, 4], 2)]
    tokens = Tokens("abcde", (0, 1, 2, 3, 4), np.array([[i, i + 1] for i in range(5)]))
    found = assemble_distributions(tokens, pieces, "abcdef".__getitem__)
    assert found.scores.stretches == 2
    assert found.scores.log_probs.shape == found.entropies.shape == (5,)
    assert found.top_texts[4][0] == "abcdef"[found.top_ids[4, 0]]


def test_an_answer_without_tokens():
    found = assemble_distributions(Tokens("", (), np.zeros((0, 2), dtype=np.int64)), [], str)
    assert found.entropies.shape == (0,) and found.top_texts == ()
