"""Teacher forcing: log-probabilities of given tokens behind given prompts."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from franq_guard.errors import ModelError
from franq_guard.models.base import FloatArray

if TYPE_CHECKING:
    from torch import Tensor

_ROWS_AT_ONCE = 64


def score_padded(model: Any, ids: Tensor, mask: Tensor, targets: Sequence[Sequence[int]]) -> list[FloatArray]:
    """Scores the last tokens of each row.

    Args:
        model: a causal language model of transformers.
        ids: prompts with their targets behind them, padded on the left, shape (B, P).
        mask: 1 for tokens and 0 for padding, shape (B, P).
        targets: the last tokens of each row, at least one.

    Returns:
        For each row log p(target t | what stands before it).

    Raises:
        ModelError: if the model gives no finite log-probabilities.
    """
    predictions = predict_padded(model, ids, mask, targets)
    return [log_probs_of(logits, wanted) for logits, wanted in zip(predictions, targets, strict=True)]


def predict_padded(
    model: Any, ids: Tensor, mask: Tensor, targets: Sequence[Sequence[int]]
) -> Iterator[Tensor]:
    """For each row of `score_padded` the logits that predict its targets, shape (T, V); a view."""
    keep = max(map(len, targets)) + 1
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    logits = model(
        input_ids=ids,
        attention_mask=mask,
        position_ids=positions,
        use_cache=False,
        **keep_logits(model, keep),
    ).logits[:, -keep:]
    # The logits before a token predict it: the last position predicts what comes after the target.
    for row, wanted in enumerate(targets):
        yield logits[row, -len(wanted) - 1 : -1]


def score_behind(model: Any, prompt: Tensor, targets: Sequence[Sequence[int]], pad: int) -> list[FloatArray]:
    """Scores several continuations of one prompt, which is read once.

    Args:
        model: a causal language model of transformers.
        prompt: token ids, shape (1, P).
        targets: the continuations, each of at least one token.
        pad: any token id, to fill up shorter rows.

    Returns:
        For each continuation log p(target t | prompt, targets before t).

    Raises:
        ModelError: if the model gives no finite log-probabilities.
    """
    import torch
    from transformers import DynamicCache

    cache = DynamicCache(config=model.config)
    name = cache_argument(model)
    first = model(input_ids=prompt, use_cache=True, **{name: cache}, **keep_logits(model, 1)).logits[0, -1:]
    starts = [log_probs_of(first, wanted[:1]) for wanted in targets]
    longest = max(map(len, targets)) - 1
    if longest == 0:
        return starts
    cache.batch_repeat_interleave(len(targets))
    length = prompt.shape[1]
    ids = torch.full((len(targets), longest), pad, device=prompt.device)
    mask = torch.ones((len(targets), length + longest), dtype=torch.long, device=prompt.device)
    for row, wanted in enumerate(targets):
        ids[row, : len(wanted) - 1] = torch.tensor(wanted[:-1], device=prompt.device)
        mask[row, length + len(wanted) - 1 :] = 0
    positions = torch.arange(length, length + longest, device=prompt.device).expand(len(targets), -1)
    logits = model(
        input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=True, **{name: cache}
    ).logits
    return [
        np.concatenate([start, log_probs_of(logits[row, : len(wanted) - 1], wanted[1:])])
        for row, (start, wanted) in enumerate(zip(starts, targets, strict=True))
    ]


def cache_argument(model: Any) -> str:
    """What the model calls its key-value cache; transformers 5 renamed it along the way."""
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


def keep_logits(model: Any, positions: int) -> dict[str, int]:
    """Only the logits that are needed, where the model can be told so."""
    known = "logits_to_keep" in inspect.signature(model.forward).parameters
    return {"logits_to_keep": positions} if known else {}


def log_probs_of(logits: Tensor, wanted: Sequence[int]) -> FloatArray:
    """Log-probabilities of the wanted ids, one for each row of logits; shape (T,).

    Raises:
        ModelError: if the model gives no finite log-probabilities.
    """
    import torch

    if not wanted:
        return np.zeros(0)
    pieces = []
    # Each logsumexp makes a copy of what it is given.
    for start in range(0, len(wanted), _ROWS_AT_ONCE):
        values = logits[start : start + _ROWS_AT_ONCE].float()
        ids = torch.tensor(wanted[start : start + _ROWS_AT_ONCE], device=values.device)
        pieces.append(values.gather(-1, ids[:, None])[:, 0] - values.logsumexp(-1))
    log_probs = torch.cat(pieces).clamp(max=0.0).double().cpu().numpy()
    if not np.isfinite(log_probs).all():
        raise ModelError("the language model gave numbers that are not finite; try dtype='float32'")
    return np.asarray(log_probs)
