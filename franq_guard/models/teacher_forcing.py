"""Teacher forcing of any number of requests, in batches that fit the memory; the order is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from franq_guard.models.base import FloatArray
from franq_guard.models.batching import batches
from franq_guard.models.distributions import Distributions, read_distributions
from franq_guard.models.packed import predict_behind
from franq_guard.models.prefix_cache import PrefixCache
from franq_guard.models.scoring import log_probs_of, predict_padded, score_behind, score_padded

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
        pass_overhead: what a forward pass costs besides its tokens, in tokens.
        prefixes: what was read last; None if the model cannot go on from there.
    """

    def __init__(
        self,
        model: Any,
        *,
        prefixes: PrefixCache | None = None,
        lock: AbstractContextManager[Any],
        device: str,
        pad_id: int,
        batch_tokens: int,
        logit_values: int,
        pass_overhead: int = 0,
    ) -> None:
        self._model = model
        self._lock = lock
        self._device = device
        self._pad_id = pad_id
        self._batch_tokens = batch_tokens
        self._logit_values = logit_values
        self._overhead = pass_overhead
        self._prefixes = prefixes

    def score(self, pairs: Sequence[Pair]) -> list[FloatArray]:
        """Log-probabilities of the second ids behind the first; a prompt that several share is read once."""
        results: list[FloatArray] = [np.zeros(0)] * len(pairs)
        shared, alone = self._grouped(pairs)
        for prompt, rows in shared.items():
            for index, log_probs in self._score_shared(prompt, rows, pairs):
                results[index] = log_probs
        for batch in self._batches([pairs[index] for index in alone]):
            found = self._forward([pairs[alone[place]] for place in batch])
            for place, log_probs in zip(batch, found, strict=True):
                results[alone[place]] = log_probs
        return results

    def score_growing(self, pairs: Sequence[Pair]) -> list[FloatArray]:
        """As `score`, but what was read is kept, and only what is new to it is read."""
        if self._prefixes is None:
            return self.score(pairs)
        import torch

        results = []
        for prompt, targets in pairs:
            with self._lock, torch.inference_mode():
                prefix = self._prefixes.read([*prompt, *targets], len(prompt))
                results.append(prefix.log_probs[len(prompt) - prefix.scored_from :])
        return results

    def read_ahead(self, prompts: Sequence[Sequence[int]]) -> None:
        """Reads prompts, and keeps what was read, if the model can go on from there."""
        if self._prefixes is None:
            return
        import torch

        for prompt in prompts:
            with self._lock, torch.inference_mode():
                self._prefixes.read(prompt)

    def look(self, pairs: Sequence[Pair], skips: Sequence[int], top: int) -> list[Distributions]:
        """Distributions that the second ids come from.

        Args:
            pairs: each with at least one id to score.
            skips: how many of those ids, at the beginning, only give context.
            top: how many alternatives.
        """
        import torch

        found: dict[int, Distributions] = {}

        def keep(index: int, logits: Tensor) -> None:
            wanted = pairs[index][1]
            found[index] = read_distributions(logits[skips[index] :], wanted[skips[index] :], top)

        shared, alone = self._grouped(pairs) if self._prefixes is not None else ({}, list(range(len(pairs))))
        for prompt, rows in shared.items():
            for batch in self._behind(rows, pairs):
                with self._lock, torch.inference_mode():
                    logits = self._predict_shared(prompt, [pairs[index][1] for index in batch])
                    for index, predicted in zip(batch, logits, strict=True):
                        keep(index, predicted)
        for places in self._batches([pairs[index] for index in alone]):
            batch = [alone[place] for place in places]
            targets = [pairs[index][1] for index in batch]
            ids, mask = self.pad_left([[*pairs[index][0], *pairs[index][1]] for index in batch])
            with self._lock, torch.inference_mode():
                for index, predicted in zip(
                    batch, predict_padded(self._model, ids, mask, targets), strict=True
                ):
                    keep(index, predicted)
        return [found[index] for index in range(len(pairs))]

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

    def _grouped(self, pairs: Sequence[Pair]) -> tuple[dict[tuple[int, ...], list[int]], list[int]]:
        """Indices by prompt, of prompts that are better read once or were read already; and the others."""
        together: dict[tuple[int, ...], list[int]] = {}
        for index, (prefix, _) in enumerate(pairs):
            together.setdefault(tuple(prefix), []).append(index)
        shared = {
            prefix: rows
            for prefix, rows in together.items()
            if len(prefix) * (len(rows) - 1) >= _WORTH_SHARING or self._was_read(prefix)
        }
        return shared, [index for prefix, rows in together.items() if prefix not in shared for index in rows]

    def _was_read(self, prefix: tuple[int, ...]) -> bool:
        if self._prefixes is None:
            return False
        with self._lock:
            return self._prefixes.holds(prefix)

    def _score_shared(
        self, prompt: tuple[int, ...], rows: list[int], pairs: Sequence[Pair]
    ) -> Iterator[tuple[int, FloatArray]]:
        import torch

        ids = torch.tensor([prompt], device=self._device)
        for batch in self._behind(rows, pairs):
            targets = [pairs[index][1] for index in batch]
            with self._lock, torch.inference_mode():
                if self._prefixes is None:
                    found = score_behind(self._model, ids, targets, self._pad_id)
                else:
                    logits = self._predict_shared(prompt, targets)
                    found = [log_probs_of(row, wanted) for row, wanted in zip(logits, targets, strict=True)]
            yield from zip(batch, found, strict=True)

    def _predict_shared(self, prompt: tuple[int, ...], targets: Sequence[tuple[int, ...]]) -> list[Tensor]:
        prefixes = self._prefixes
        assert prefixes is not None  # noqa: S101  # callers ask before
        prefix = prefixes.read(prompt)
        return predict_behind(self._model, prefixes.copy(prefix), prefix.logits, targets)

    def _behind(self, rows: list[int], pairs: Sequence[Pair]) -> Iterator[list[int]]:
        """Groups of continuations of one prompt; without packing, each row holds a copy of the prompt."""
        packed = self._prefixes is not None
        sizes: list[Pair] = [((), pairs[index][1]) if packed else pairs[index] for index in rows]
        for batch in self._batches(sizes):
            yield [rows[place] for place in batch]

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
            overhead=self._overhead,
            extra=[len(targets) for _, targets in pairs],
            extra_budget=max(1, self._logit_values // vocabulary),
        )
