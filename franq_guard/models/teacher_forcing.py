"""Teacher forcing of any number of requests, in batches that fit the memory; the order is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from franq_guard.models.base import FloatArray
from franq_guard.models.batching import batches
from franq_guard.models.distributions import Distributions, read_distributions
from franq_guard.models.scoring import predict_padded, score_behind, score_padded

if TYPE_CHECKING:
    from torch import Tensor

# A prompt is read once for several answers if that saves at least this many tokens.
_WORTH_SHARING = 128

Pair = tuple[Sequence[int], tuple[int, ...]]
"""Token ids of a prompt, and of what is scored behind it."""


class TeacherForcing:
    """Scores given tokens behind given prompts.

    Args:
        model: a causal language model of transformers.
        lock: held during a forward pass.
        device: where the model is.
        pad_id: any token id.
        batch_tokens: most padded tokens in one forward pass.
        logit_values: most logits (positions x vocabulary) held at once in one forward pass.
    """

    def __init__(
        self,
        model: Any,
        *,
        lock: AbstractContextManager[Any],
        device: str,
        pad_id: int,
        batch_tokens: int,
        logit_values: int,
    ) -> None:
        self._model = model
        self._lock = lock
        self._device = device
        self._pad_id = pad_id
        self._batch_tokens = batch_tokens
        self._logit_values = logit_values

    def score(self, pairs: Sequence[Pair]) -> list[FloatArray]:
        """Log-probabilities of the second ids behind the first; a prompt that several share is read once."""
        together: dict[tuple[int, ...], list[int]] = {}
        for index, (prefix, _) in enumerate(pairs):
            together.setdefault(tuple(prefix), []).append(index)
        shared = {
            prefix: rows
            for prefix, rows in together.items()
            if len(prefix) * (len(rows) - 1) >= _WORTH_SHARING
        }
        results: list[FloatArray] = [np.zeros(0)] * len(pairs)
        for shared_prefix, rows in shared.items():
            for index, log_probs in self._score_shared(shared_prefix, rows, pairs):
                results[index] = log_probs
        alone = [index for prefix, rows in together.items() if prefix not in shared for index in rows]
        for batch in self._batches([pairs[index] for index in alone]):
            found = self._forward([pairs[alone[place]] for place in batch])
            for place, log_probs in zip(batch, found, strict=True):
                results[alone[place]] = log_probs
        return results

    def look(self, pairs: Sequence[Pair], skips: Sequence[int], top: int) -> list[Distributions]:
        """Distributions that the second ids come from.

        Args:
            pairs: each with at least one id to score.
            skips: how many of those ids, at the beginning, only give context.
            top: how many alternatives.
        """
        import torch

        found: dict[int, Distributions] = {}
        for batch in self._batches(pairs):
            targets = [pairs[place][1] for place in batch]
            ids, mask = self.pad_left([[*pairs[place][0], *pairs[place][1]] for place in batch])
            with self._lock, torch.inference_mode():
                predicted = predict_padded(self._model, ids, mask, targets)
                for place, wanted, logits in zip(batch, targets, predicted, strict=True):
                    found[place] = read_distributions(logits[skips[place] :], wanted[skips[place] :], top)
        return [found[place] for place in range(len(pairs))]

    def pad_left(self, rows: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
        """Token ids and attention mask, both of shape (B, longest)."""
        import torch

        width = max(len(row) for row in rows)
        ids = torch.full((len(rows), width), self._pad_id, dtype=torch.long)
        mask = torch.zeros((len(rows), width), dtype=torch.long)
        for index, row in enumerate(rows):
            ids[index, width - len(row) :] = torch.tensor(row)
            mask[index, width - len(row) :] = 1
        return ids.to(self._device), mask.to(self._device)

    def _score_shared(
        self, prefix: tuple[int, ...], rows: list[int], pairs: Sequence[Pair]
    ) -> Iterator[tuple[int, FloatArray]]:
        import torch

        prompt = torch.tensor([prefix], device=self._device)
        # Each row also holds a copy of the prompt's keys and values.
        for batch in self._batches([pairs[index] for index in rows]):
            with self._lock, torch.inference_mode():
                targets = [pairs[rows[place]][1] for place in batch]
                found = score_behind(self._model, prompt, targets, self._pad_id)
            yield from zip([rows[place] for place in batch], found, strict=True)

    def _forward(self, pairs: Sequence[Pair]) -> list[FloatArray]:
        import torch

        ids, mask = self.pad_left([[*prefix, *targets] for prefix, targets in pairs])
        with self._lock, torch.inference_mode():
            return score_padded(self._model, ids, mask, [targets for _, targets in pairs])

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[list[int]]:
        vocabulary = self._model.config.get_text_config().vocab_size
        return batches(
            [len(prefix) + len(targets) for prefix, targets in pairs],
            budget=self._batch_tokens,
            extra=[len(targets) for _, targets in pairs],
            extra_budget=max(1, self._logit_values // vocabulary),
        )
