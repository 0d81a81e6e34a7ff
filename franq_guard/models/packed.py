"""Several continuations of one prompt in one row: the prompt's keys and values are never copied.

The continuations stand behind each other, and a mask lets each see the prompt and itself alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from franq_guard.errors import ModelError
from franq_guard.models.decoding import Pick, Written, append_tokens
from franq_guard.models.scoring import cache_argument, keep_logits

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import DynamicCache


def predict_behind(
    model: Any, cache: DynamicCache, first: Tensor, targets: Sequence[Sequence[int]]
) -> list[Tensor]:
    """Logits that predict several continuations of one prompt.

    Args:
        model: a causal language model of transformers that takes any attention mask.
        cache: the prompt's keys and values, one row; grows.
        first: logits behind the prompt, shape (V,).
        targets: the continuations, each of at least one token.

    Returns:
        For each continuation the logits that predict its tokens, shape (T, V).
    """
    import torch

    # The last token of a continuation predicts nothing that is asked for.
    rows = [list(target[:-1]) for target in targets]
    owners = [row for row, ids in enumerate(rows) for _ in ids]
    if not owners:
        return [first[None]] * len(targets)
    length = cache.get_seq_length()
    device = first.device
    ids = torch.tensor([[token for row in rows for token in row]], device=device)
    offsets = torch.tensor([place for row in rows for place in range(len(row))], device=device)
    owner = torch.tensor(owners, device=device)
    visible = (owner[:, None] == owner[None]) & (offsets[:, None] >= offsets[None])
    logits = _forward(model, cache, ids, length + offsets[None], visible, keep=ids.shape[1])
    found, start = [], 0
    for row in rows:
        found.append(torch.cat([first[None].to(logits.dtype), logits[start : start + len(row)]]))
        start += len(row)
    return found


def decode_behind(
    model: Any,
    cache: DynamicCache,
    first: Tensor,
    *,
    pick: Pick,
    end_ids: frozenset[int],
    max_new_tokens: int,
    copies: int = 1,
) -> list[Written]:
    """Continues one prompt several times, until each text has ended or is `max_new_tokens` long.

    Args:
        model: as for `predict_behind`.
        cache: the prompt's keys and values, one row; grows.
        first: logits behind the prompt, shape (V,).
        pick: chooses the next tokens.
        end_ids: tokens that end a text.
        max_new_tokens: most tokens of a text, its end token included.
        copies: how many texts.

    Raises:
        ModelError: if the model gives no finite log-probabilities.
    """
    import torch

    length = cache.get_seq_length()
    written = [Written() for _ in range(copies)]
    open_rows = list(range(copies))
    owner = torch.empty(0, dtype=torch.long, device=first.device)
    logits = first.float()[None].expand(copies, -1)
    for step in range(max_new_tokens):
        totals = logits.logsumexp(dim=-1, keepdim=True)
        if not totals.isfinite().all():
            raise ModelError("the language model gave numbers that are not finite; try dtype='float32'")
        log_probs = logits - totals
        chosen = pick(log_probs)
        going = append_tokens(written, open_rows, chosen, log_probs, end_ids)
        if not going or step + 1 == max_new_tokens:
            break
        open_rows = [open_rows[place] for place in going]
        rows = torch.tensor(open_rows, device=first.device)
        owner = torch.cat([owner, rows])
        positions = torch.full((1, len(rows)), length + step, device=first.device)
        ids = chosen[torch.tensor(going, device=first.device)][None]
        visible = rows[:, None] == owner[None]
        logits = _forward(model, cache, ids, positions, visible, keep=len(rows)).float()
    return written


def _forward(
    model: Any, cache: DynamicCache, ids: Tensor, positions: Tensor, visible: Tensor, *, keep: int
) -> Tensor:
    """Logits of the last `keep` ids; `visible` says which tokens behind the prompt each may see, (Q, K)."""
    import torch

    dtype = model.dtype
    hidden = torch.finfo(dtype).min
    behind = torch.zeros(visible.shape, dtype=dtype, device=ids.device).masked_fill(~visible, hidden)
    before = torch.zeros(
        (ids.shape[1], cache.get_seq_length() + ids.shape[1] - behind.shape[1]),
        dtype=dtype,
        device=ids.device,
    )
    logits: Tensor = model(
        input_ids=ids,
        attention_mask=torch.cat([before, behind], dim=1)[None, None],
        position_ids=positions,
        use_cache=True,
        **{cache_argument(model): cache},
        **keep_logits(model, keep),
    ).logits[0, -keep:]
    return logits
