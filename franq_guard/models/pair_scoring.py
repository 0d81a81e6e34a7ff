"""Batched scoring of (context, claim) pairs, the same whatever else is in the batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from franq_guard.errors import InputError, ModelError
from franq_guard.models.base import FloatArray
from franq_guard.models.batching import batches
from franq_guard.models.text import neutralise
from franq_guard.runtime.device import capacity
from franq_guard.runtime.locks import ForkLock

if TYPE_CHECKING:
    import torch

_LARGEST_SANE_LENGTH = 100_000  # tokenisers without a limit report 1e30


def usable_length(tokenizer: Any, positions: int) -> int:
    """Largest number of tokens a pair may have: what both the tokeniser and the weights allow."""
    declared = int(tokenizer.model_max_length)
    limits = [limit for limit in (declared, positions) if 0 < limit <= _LARGEST_SANE_LENGTH]
    return min(limits, default=512)


def positions_of(config: Any) -> int:
    """Tokens the position embeddings allow; RoBERTa's kin reserve the padding index and those before it."""
    positions = int(getattr(config, "max_position_embeddings", 0) or 0)
    reserved = config.model_type in {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "longformer"}
    return positions - int(config.pad_token_id) - 1 if reserved else positions


class PairScorer:
    """Tokenises pairs, batches them by length, runs the network, restores the order.

    Args:
        tokenizer: a fast Hugging Face tokeniser.
        forward: maps padded tensors to probabilities, shape (B, 3), float32.
        device: where the tensors go.
        max_length: largest number of tokens of a pair, special tokens included.
        batch_tokens: most tokens of a batch, padding included; a single longer pair goes alone. None for what
            suits the device.
    """

    def __init__(
        self,
        tokenizer: Any,
        forward: Callable[[dict[str, torch.Tensor]], torch.Tensor],
        *,
        device: str,
        max_length: int,
        batch_tokens: int | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self._forward = forward
        self._device = device
        self._max_length = max_length
        liked = capacity(device)
        self.batch_tokens = batch_tokens or liked.batch_tokens
        self._overhead = liked.pass_overhead
        self._special_tokens = tuple(tokenizer.all_special_tokens)
        self._lock = ForkLock()  # fast tokenisers and module state are not thread-safe

    def score(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """See `AlignmentModel.score`. Equal pairs are scored once."""
        if not pairs:
            return np.zeros((0, 3))
        special = self._special_tokens
        texts = {text: neutralise(text, special) for text in set(itertools.chain.from_iterable(pairs))}
        cleaned = [(texts[context], texts[claim]) for context, claim in pairs]
        unique = {pair: index for index, pair in enumerate(dict.fromkeys(cleaned))}
        with self._lock:
            rows = self._score_unique(list(unique))
        return rows[[unique[pair] for pair in cleaned]]

    def _score_unique(self, pairs: list[tuple[str, str]]) -> FloatArray:
        import torch

        self._refuse_long_claims({claim for _, claim in pairs})
        encoded = self._tokenizer(
            [context for context, _ in pairs],
            [claim for _, claim in pairs],
            truncation="only_first",
            max_length=self._max_length,
        )
        lengths = [len(ids) for ids in encoded["input_ids"]]
        result = np.zeros((len(pairs), 3))
        for batch in batches(lengths, budget=self.batch_tokens, overhead=self._overhead):
            tensors = {
                name: self._padded(name, [encoded[name][index] for index in batch]) for name in encoded
            }
            with torch.inference_mode():
                rows = self._forward(tensors).double().cpu().numpy()
            if not np.isfinite(rows).all():
                raise ModelError(
                    "the alignment model returned values that are not numbers; load it with dtype='float32'"
                )
            result[batch] = rows / rows.sum(axis=1, keepdims=True)
        return result

    def _refuse_long_claims(self, claims: set[str]) -> None:
        room = self._max_length - self._tokenizer.num_special_tokens_to_add(pair=True) - 1
        # A token covers a byte or more; a few may be added at the start of a text.
        suspects = [claim for claim in claims if len(claim.encode()) + 2 > room]
        if not suspects:
            return
        for claim, ids in zip(
            suspects,
            self._tokenizer(suspects, add_special_tokens=False, verbose=False)["input_ids"],
            strict=True,
        ):
            if len(ids) > room:
                raise InputError(
                    f"a claim of {len(ids)} tokens does not fit the alignment model, which has room for "
                    f"{room}: split it into shorter claims (it starts with {claim[:60]!r})"
                )

    def _padded(self, name: str, rows: list[list[int]]) -> torch.Tensor:
        import torch

        fill = int(self._tokenizer.pad_token_id) if name == "input_ids" else 0
        width = max(map(len, rows))
        padded = [row + [fill] * (width - len(row)) for row in rows]
        return torch.tensor(padded, dtype=torch.long, device=self._device)
