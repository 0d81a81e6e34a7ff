"""Writing texts token by token, from prompts that are read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from franq_guard.errors import ModelError
from franq_guard.models.scoring import cache_argument, keep_logits

if TYPE_CHECKING:
    from torch import Tensor

Pick = Callable[["Tensor"], "Tensor"]
"""Chooses the next token of each row: log-probabilities of shape (B, V) to ids of shape (B,)."""


@dataclass(slots=True)
class Written:
    """One decoded text.

    Attributes:
        ids: its tokens, without the end token.
        log_probs: of `ids` under the model's own distribution, whatever picked them.
        end_log_prob: of the end token; None if the length limit cut the text.
    """

    ids: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    end_log_prob: float | None = None


def greedy(log_probs: Tensor) -> Tensor:
    """Picks the likeliest token."""
    return log_probs.argmax(dim=-1)


def sampler(*, temperature: float, top_k: int, top_p: float, seed: int | None, device: str) -> Pick:
    """Draws tokens from the tempered and truncated distribution, with a random state of its own.

    Args:
        temperature: divides the log-probabilities; above 0.
        top_k: only the k likeliest tokens can be drawn; 0 for all.
        top_p: only the fewest tokens that reach this probability can be drawn; 1 for all.
        seed: the same seed draws the same tokens; None draws a new one.
        device: where the log-probabilities are.
    """
    import torch
    from transformers.generation.logits_process import (
        LogitsProcessorList,
        TemperatureLogitsWarper,
        TopKLogitsWarper,
        TopPLogitsWarper,
    )

    random = torch.Generator(device=device)
    if seed is None:
        random.seed()
    else:
        random.manual_seed(seed)
    warp = LogitsProcessorList([TemperatureLogitsWarper(float(temperature))])
    if top_k > 0:
        warp.append(TopKLogitsWarper(top_k))
    if top_p < 1:
        warp.append(TopPLogitsWarper(top_p))

    def pick(log_probs: Tensor) -> Tensor:
        weights = warp(None, log_probs).softmax(dim=-1)  # type: ignore[arg-type]  # they read no ids
        return torch.multinomial(weights, 1, generator=random)[:, 0]

    return pick


def decode(
    model: Any,
    ids: Tensor,
    mask: Tensor,
    *,
    pick: Pick,
    end_ids: frozenset[int],
    max_new_tokens: int,
    copies: int = 1,
) -> list[Written]:
    """Continues prompts until each has ended or is `max_new_tokens` long; finished texts cost nothing more.

    Args:
        model: a causal language model of transformers.
        ids: prompts, padded on the left, shape (B, P).
        mask: 1 for tokens and 0 for padding, shape (B, P).
        pick: chooses the next tokens.
        end_ids: tokens that end a text.
        max_new_tokens: most tokens of a text, its end token included.
        copies: how many texts continue each prompt; it is read once for all of them.

    Returns:
        B x `copies` texts, those of the first prompt first.

    Raises:
        ModelError: if the model gives no finite log-probabilities.
    """
    import torch
    from transformers import DynamicCache

    cache = DynamicCache(config=model.config)
    options: dict[str, Any] = {cache_argument(model): cache, **keep_logits(model, 1)}

    def forward(ids: Tensor, mask: Tensor, positions: Tensor) -> Tensor:
        output = model(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=True, **options)
        logits: Tensor = output.logits[:, -1].float()
        totals = logits.logsumexp(dim=-1, keepdim=True)
        if not totals.isfinite().all():
            raise ModelError("the language model gave numbers that are not finite; try dtype='float32'")
        return logits - totals

    log_probs = forward(ids, mask, (mask.cumsum(-1) - 1).clamp(min=0))
    if copies > 1:
        cache.batch_repeat_interleave(copies)
        mask, log_probs = mask.repeat_interleave(copies, 0), log_probs.repeat_interleave(copies, 0)
    written = [Written() for _ in range(len(mask))]
    open_rows = list(range(len(mask)))
    for step in range(max_new_tokens):
        chosen = pick(log_probs)
        going = append_tokens(written, open_rows, chosen, log_probs, end_ids)
        if not going or step + 1 == max_new_tokens:
            break
        if len(going) < len(open_rows):
            open_rows = [open_rows[place] for place in going]
            rows = torch.tensor(going, device=mask.device)
            cache.batch_select_indices(rows)
            mask, chosen = mask[rows], chosen[rows]
        mask = torch.cat([mask, mask.new_ones(len(open_rows), 1)], dim=1)
        log_probs = forward(chosen[:, None], mask, mask.sum(-1, keepdim=True) - 1)
    return written


def append_tokens(
    written: Sequence[Written],
    open_rows: Sequence[int],
    chosen: Tensor,
    log_probs: Tensor,
    end_ids: frozenset[int],
) -> list[int]:
    """Adds one token to each text that goes on.

    Args:
        written: all texts.
        open_rows: which of them go on, B of them.
        chosen: their next tokens, shape (B,).
        log_probs: that the tokens were chosen from, shape (B, V).
        end_ids: tokens that end a text.

    Returns:
        Places in `open_rows` of the texts that have not ended.
    """
    values = log_probs.gather(-1, chosen[:, None])[:, 0].clamp(max=0.0).tolist()
    going = []
    for place, (row, token, value) in enumerate(zip(open_rows, chosen.tolist(), values, strict=True)):
        if token in end_ids:
            written[row].end_log_prob = value
        else:
            written[row].ids.append(token)
            written[row].log_probs.append(value)
            going.append(place)
    return going
