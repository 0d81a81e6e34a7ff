"""Entropy and likeliest alternatives of every token, read off the logits of a forward pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from franq_guard.errors import ModelError
from franq_guard.models.base import FloatArray, IntArray, TokenDistributions, Tokens, TokenScores

if TYPE_CHECKING:
    from torch import Tensor

_POSITIONS_AT_ONCE = 64
"""Positions whose distributions are held in full precision at the same time."""


@dataclass(frozen=True, slots=True)
class Distributions:
    """Of T positions; see `TokenDistributions`.

    Attributes:
        log_probs: of the given tokens, shape (T,).
        entropies: in nats, shape (T,).
        top_ids: likeliest tokens, likeliest first, shape (T, K).
        top_log_probs: theirs, shape (T, K).
    """

    log_probs: FloatArray
    entropies: FloatArray
    top_ids: IntArray
    top_log_probs: FloatArray


def read_distributions(logits: Tensor, wanted: Sequence[int], top: int) -> Distributions:
    """Reads logits piece by piece, so that no second array of their size is made.

    Args:
        logits: that predict the tokens, shape (T, V), T at least 1.
        wanted: ids of the tokens, length T.
        top: how many alternatives, K; at most V are returned.

    Raises:
        ModelError: if the logits are not finite.
    """
    pieces = [
        _read(logits[start : start + _POSITIONS_AT_ONCE], wanted[start : start + _POSITIONS_AT_ONCE], top)
        for start in range(0, len(wanted), _POSITIONS_AT_ONCE)
    ]
    return join(pieces)


def assemble_distributions(
    tokens: Tokens, pieces: Sequence[Distributions], text_of: Callable[[int], str]
) -> TokenDistributions:
    """Puts consecutive stretches of an answer together.

    Args:
        tokens: the answer.
        pieces: in order; none for an answer without tokens.
        text_of: decodes one token.
    """
    if not pieces:
        empty = np.zeros((0, 0))
        scores = TokenScores(tokens, np.zeros(0))
        return TokenDistributions(scores, np.zeros(0), (), empty.astype(np.int64), empty)
    whole = join(pieces)
    texts = {token: text_of(token) for token in np.unique(whole.top_ids).tolist()}
    return TokenDistributions(
        scores=TokenScores(tokens, whole.log_probs, stretches=len(pieces)),
        entropies=whole.entropies,
        top_texts=tuple(tuple(texts[token] for token in row) for row in whole.top_ids.tolist()),
        top_ids=whole.top_ids,
        top_log_probs=whole.top_log_probs,
    )


def join(pieces: Sequence[Distributions]) -> Distributions:
    """Puts the distributions of consecutive positions behind each other."""
    return Distributions(
        np.concatenate([piece.log_probs for piece in pieces]),
        np.concatenate([piece.entropies for piece in pieces]),
        np.concatenate([piece.top_ids for piece in pieces]),
        np.concatenate([piece.top_log_probs for piece in pieces]),
    )


def _read(logits: Tensor, wanted: Sequence[int], top: int) -> Distributions:
    import torch

    log_probs = logits.float().log_softmax(-1)
    chosen = log_probs.gather(-1, torch.tensor(wanted, device=log_probs.device)[:, None])[:, 0]
    if not chosen.isfinite().all():
        raise ModelError("the language model gave numbers that are not finite; try dtype='float32'")
    best = log_probs.topk(min(top, log_probs.shape[-1]), dim=-1)
    # A token that is ruled out (-inf) adds nothing: 0 log 0 = 0.
    entropies = -(log_probs.exp() * log_probs.clamp(min=torch.finfo(log_probs.dtype).min)).sum(-1)
    return Distributions(
        chosen.clamp(max=0.0).double().cpu().numpy(),
        entropies.clamp(min=0.0).double().cpu().numpy(),
        best.indices.cpu().numpy(),
        best.values.clamp(max=0.0).double().cpu().numpy(),
    )
