"""What the language model has read last: keys and values, so that no token of a prompt is computed twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from franq_guard.models.base import FloatArray
from franq_guard.models.scoring import cache_argument, keep_logits, log_probs_of

if TYPE_CHECKING:
    from torch import Tensor

_TOKENS_AT_ONCE = 1024
_WORTH_REUSING = 16


@dataclass(frozen=True, slots=True, eq=False)
class Prefix:
    """Token ids that were read.

    Attributes:
        ids: shape (T,).
        cache: their keys and values, one row, as a DynamicCache; never changed, see `copy`.
        logits: predict what comes next, shape (V,).
        scored_from: from this position on the log-probabilities are known.
        log_probs: of `ids[scored_from:]`, natural log.
    """

    ids: np.ndarray[Any, Any]
    cache: Any
    logits: Tensor
    scored_from: int
    log_probs: FloatArray

    @property
    def size(self) -> int:
        """Bytes of the keys and values."""
        return sum(layer.keys.nbytes + layer.values.nbytes for layer in self.cache.layers)


class PrefixCache:
    """The prompts that were read last, for as long as their keys and values fit; not safe to share by itself.

    Args:
        model: a causal language model of transformers; see `supports`.
        budget: bytes that may be kept; the newest prompt is kept in any case.
    """

    def __init__(self, model: Any, budget: int = 2**27) -> None:
        self._model = model
        self._budget = budget
        self._kept: OrderedDict[int, Prefix] = OrderedDict()
        self._count = 0

    @staticmethod
    def supports(model: Any) -> bool:
        """True if every layer keeps the keys and values of all tokens, and attention takes any mask."""
        from transformers import DynamicCache
        from transformers.cache_utils import DynamicLayer

        layers = DynamicCache(config=model.config).layers
        attention = getattr(model.config, "_attn_implementation", None)
        return attention in ("sdpa", "eager") and all(type(layer) is DynamicLayer for layer in layers)

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Drops everything."""
        self._kept.clear()

    def holds(self, ids: Sequence[int]) -> bool:
        """True if exactly these ids, or more behind them, were read and kept."""
        return self._closest(np.asarray(ids))[1] == len(ids)

    def read(self, ids: Sequence[int], scored_from: int | None = None) -> Prefix:
        """Reads token ids, from where they differ from what is known.

        Args:
            ids: at least one.
            scored_from: position, at least 1, from which log-probabilities are wanted; None wants none.

        Raises:
            ModelError: if the model gives no finite log-probabilities.
        """
        wanted = np.asarray(ids)
        first = len(wanted) if scored_from is None else scored_from
        key, shared = self._closest(wanted)
        if key is None:
            found = self._extended(None, 0, wanted, first)
        else:
            known = self._kept.pop(key)
            if shared == len(wanted) == len(known.ids) and known.scored_from <= first:
                found = known
            else:
                if known.scored_from > first:
                    shared = min(shared, first)
                found = self._extended(known, shared, wanted, first)
                if shared < len(known.ids):
                    self._kept[key] = known
        self._keep(found)
        return found

    def copy(self, prefix: Prefix, length: int | None = None) -> Any:
        """A cache that may grow, with the first `length` tokens of a prefix; shares its memory."""
        from transformers import DynamicCache

        cache: Any = DynamicCache(config=self._model.config)
        for old, new in zip(prefix.cache.layers, cache.layers, strict=True):
            new.lazy_initialization(old.keys, old.values)
            new.keys, new.values = old.keys[..., :length, :], old.values[..., :length, :]
        return cache

    def _closest(self, ids: np.ndarray[Any, Any]) -> tuple[int | None, int]:
        """The kept prefix that begins like `ids` for longest, and for how many tokens."""
        best: tuple[int | None, int] = (None, 0)
        for key, prefix in self._kept.items():
            common = min(len(ids), len(prefix.ids))
            differs = np.flatnonzero(prefix.ids[:common] != ids[:common])
            shared = int(differs[0]) if len(differs) else common
            if shared >= max(best[1], min(_WORTH_REUSING, len(ids))):
                best = (key, shared)
        return best

    def _extended(self, known: Prefix | None, shared: int, ids: np.ndarray[Any, Any], first: int) -> Prefix:
        """Reads `ids[shared:]` behind the first `shared` tokens of a known prefix."""
        import torch
        from transformers import DynamicCache

        # The logits behind a token are kept for the last one only: otherwise it is read once more.
        ahead = known is not None and shared == len(known.ids)
        start = shared if ahead else max(shared - 1, 0)
        cache: Any = DynamicCache(config=self._model.config) if known is None else self.copy(known, start)
        scored: list[FloatArray] = []
        if known is not None and known.scored_from <= first < shared:
            scored.append(known.log_probs[first - known.scored_from : shared - known.scored_from])
        first_new = max(first, shared)
        if ahead and known is not None and first_new == shared and shared < len(ids):
            scored.append(log_probs_of(known.logits[None], ids[shared : shared + 1].tolist()))
            first_new += 1
        logits = None if known is None else known.logits
        for begin in range(start, len(ids), _TOKENS_AT_ONCE):
            end = min(begin + _TOKENS_AT_ONCE, len(ids))
            # Positions begin..end-1 predict begin+1..end.
            keep = min(end - begin, max(1, end - first_new + 1))
            piece = torch.tensor(ids[None, begin:end], device=self._model.device)
            output = self._model(
                input_ids=piece,
                use_cache=True,
                **{cache_argument(self._model): cache},
                **keep_logits(self._model, keep),
            ).logits[0, -keep:]
            wanted = ids[max(first_new, end - keep + 1) : end + 1]
            if len(wanted):
                scored.append(log_probs_of(output[: len(wanted)], wanted.tolist()))
            logits = output[-1].float()
        if logits is None:
            raise ValueError("nothing to read")
        return Prefix(
            ids=ids,
            cache=cache,
            logits=logits,
            scored_from=first,
            log_probs=np.concatenate(scored) if scored else np.zeros(0),
        )

    def _keep(self, prefix: Prefix) -> None:
        self._count += 1
        self._kept[self._count] = prefix
        total = sum(kept.size for kept in self._kept.values())
        while total > self._budget and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            total -= dropped.size
