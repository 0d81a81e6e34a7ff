"""Cross-encoders: how similar in meaning are two texts, as TokenSAR and SentenceSAR want to know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from franq_guard.errors import ModelError
from franq_guard.models.base import FloatArray
from franq_guard.models.pair_scoring import PairScorer, positions_of, usable_length
from franq_guard.runtime.device import resolve_device, resolve_dtype

if TYPE_CHECKING:
    import torch


class CrossEncoder:
    """A sequence-classification model with one output, such as `hf:cross-encoder/stsb-roberta-large`.

    Thread-safe. Code that comes with a model is never run.

    Args:
        source: where the weights are; see `franq_guard.models.sources`.
        device: "cpu", "cuda", ...; None chooses.
        dtype: "float32", "bfloat16", "float16"; None chooses.

    Raises:
        ModelError: if the model cannot be found or loaded, or has another number of outputs.
    """

    reuses_alignment = False

    def __init__(self, source: str, *, device: str | None = None, dtype: str | None = None) -> None:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        from franq_guard.models.loading import stable_id
        from franq_guard.models.sources import parse, resolve

        parsed = parse(source)
        path = resolve(parsed)
        where = resolve_device(device)
        try:
            tokenizer = AutoTokenizer.from_pretrained(str(path), trust_remote_code=False)
            self._model: Any = AutoModelForSequenceClassification.from_pretrained(
                str(path), dtype=resolve_dtype(dtype, where), trust_remote_code=False
            )
        except Exception as error:  # loaders raise OSError, ValueError, KeyError, SafetensorError, ...
            raise ModelError(f"cannot load a cross-encoder from {source!r}: {error}") from error
        if self._model.config.num_labels != 1:
            raise ModelError(
                f"{source!r} has {self._model.config.num_labels} outputs; a judge of similarity has one"
            )
        self._model.to(where).eval()
        self.id = stable_id(parsed, path)
        self._scorer = PairScorer(
            tokenizer,
            self._rows,
            device=where,
            max_length=usable_length(tokenizer, positions_of(self._model.config)),
        )

    def score(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Similarity of each two texts, shape (N,), in [0, 1].

        Raises:
            InputError: if the second text alone does not fit the model.
        """
        return self._scorer.score(pairs)[:, 0]

    def _rows(self, tensors: dict[str, torch.Tensor]) -> torch.Tensor:
        import torch

        similar = torch.sigmoid(self._model(**tensors).logits.float())
        return torch.cat([similar, 1 - similar, torch.zeros_like(similar)], dim=1)
