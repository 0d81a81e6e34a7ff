"""Any sequence-classification NLI model as an alignment model."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from franq_guard.errors import ModelError
from franq_guard.models.base import FloatArray
from franq_guard.models.pair_scoring import PairScorer, positions_of, usable_length
from franq_guard.models.quiet import without_progress_bars
from franq_guard.runtime.device import resolve_device, resolve_dtype

if TYPE_CHECKING:
    import torch

COLUMNS = ("aligned", "neutral", "contradicted")

_KNOWN_LABELS = (
    (re.compile(r"(not|non|no)_?(entail|align|support|consistent).*"), 1),
    (re.compile(r"(entail|align|support)\w*|consistent"), 0),
    (re.compile(r"neutral"), 1),
    (re.compile(r"(contradict|refut)\w*"), 2),
)


def read_labels(id2label: Mapping[int, str], labels: Mapping[int, str] | None = None) -> tuple[int, ...]:
    """Finds out which output of a classifier means what.

    Args:
        id2label: the names in the model's configuration, by output.
        labels: overrides them: "aligned", "neutral" or "contradicted", by output.

    Returns:
        For each output its column: 0 aligned, 1 neutral, 2 contradicted. In a two-way model the output
        that denies entailment counts as neutral: it does not tell silence from contradiction.

    Raises:
        ModelError: if a name is not understood, or not exactly one output means aligned.
    """
    how_to = (
        "; pass labels={0: 'contradicted', 1: 'neutral', 2: 'aligned'} (or whatever the order is) to say it"
    )
    if labels is not None:
        if set(labels) != set(id2label) or not set(labels.values()) <= set(COLUMNS):
            raise ModelError(
                f"labels={dict(labels)} must give one of {COLUMNS} for each output {sorted(id2label)}"
            )
        columns = tuple(COLUMNS.index(labels[index]) for index in sorted(labels))
    else:
        columns = tuple(_column(id2label[index], how_to) for index in sorted(id2label))
    if columns.count(0) != 1 or len(columns) < 2:
        raise ModelError(f"exactly one of the outputs {dict(id2label)} must mean 'aligned'" + how_to)
    return columns


def _column(label: str, how_to: str) -> int:
    name = re.sub(r"[\W_]+", "_", label.strip().lower())
    for pattern, column in _KNOWN_LABELS:
        if pattern.fullmatch(name):
            return column
    raise ModelError(f"cannot tell what the model's label {label!r} means" + how_to)


class PairClassifier:
    """An `AlignmentModel` over a Hugging Face sequence-classification model.

    Thread-safe. In float32 a pair gets the same probabilities alone or in any batch, to 1e-5. Code that
    comes with a model is never run.

    Args:
        model: a folder, or a repository on the Hugging Face hub.
        id: names the weights; by default the source and revision.
        revision: commit, tag or branch on the hub.
        labels: which output is "aligned", "neutral", "contradicted", if the configuration does not say.
        languages: ISO 639-1 codes it can judge; None if unlimited or unknown.
        device: "cpu", "cuda", ...; None chooses.
        dtype: "float32", "bfloat16", "float16"; None chooses.
        batch_tokens: most padded tokens in one forward pass, None for what suits the device; a single longer
            pair goes alone.

    Raises:
        ModelError: if the files are missing or damaged, or the labels are not understood.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        id: str | None = None,
        revision: str | None = None,
        labels: Mapping[int, str] | None = None,
        languages: Collection[str] | None = None,
        device: str | None = None,
        dtype: str | None = None,
        batch_tokens: int | None = None,
    ) -> None:
        from transformers import AutoTokenizer

        if isinstance(model, Path) and not model.is_dir():
            raise ModelError(f"there is no folder {model}: check the path of the alignment model")
        place = str(model)
        where = resolve_device(device)
        try:
            tokenizer = AutoTokenizer.from_pretrained(place, revision=revision, trust_remote_code=False)
            with without_progress_bars():
                self._model, self._columns = _load(place, revision, labels, resolve_dtype(dtype, where))
        except ModelError:
            raise
        except Exception as error:  # loaders raise OSError, ValueError, KeyError, SafetensorError, ...
            raise ModelError(
                f"cannot load an alignment model from {place!r} ({type(error).__name__}: {error}); it must "
                "be a folder or hub repository with config.json, the tokeniser and undamaged weights of a "
                "sequence-classification model"
            ) from error
        self._model.to(where).eval()
        self._id = id or (f"{place}@{revision}" if revision else place)
        self._languages = None if languages is None else frozenset(languages)
        self._scorer = PairScorer(
            tokenizer,
            self._probabilities,
            device=where,
            max_length=usable_length(tokenizer, positions_of(self._model.config)),
            batch_tokens=batch_tokens,
        )

    @property
    def id(self) -> str:
        """Names the weights."""
        return self._id

    @property
    def batch_tokens(self) -> int:
        """Most padded tokens in one forward pass."""
        return self._scorer.batch_tokens

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes it can judge; None if unlimited or unknown."""
        return self._languages

    def score(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Scores (context, claim) pairs; see `AlignmentModel.score`.

        Returns:
            Shape (N, 3): P(aligned), P(neutral), P(contradicted); rows sum to 1.

        Raises:
            InputError: if a claim alone does not fit the model.
            ModelError: if the network returns values that are not numbers.
        """
        return self._scorer.score(pairs)

    def _probabilities(self, tensors: dict[str, torch.Tensor]) -> torch.Tensor:
        import torch

        outputs = torch.softmax(self._model(**tensors).logits.float(), dim=-1)
        rows = outputs.new_zeros(outputs.shape[0], len(COLUMNS))
        return rows.index_add_(1, torch.tensor(self._columns, device=rows.device), outputs)


def _load(
    place: str, revision: str | None, labels: Mapping[int, str] | None, dtype: torch.dtype
) -> tuple[Any, tuple[int, ...]]:
    """The network, and what its outputs mean."""
    from transformers import AutoConfig, AutoModelForSequenceClassification

    config = AutoConfig.from_pretrained(place, revision=revision, trust_remote_code=False)
    columns = read_labels(config.id2label, labels)
    model, report = AutoModelForSequenceClassification.from_pretrained(
        place, revision=revision, dtype=dtype, output_loading_info=True, trust_remote_code=False
    )
    if report["missing_keys"]:
        raise ModelError(
            f"the weights in {place!r} lack {sorted(report['missing_keys'])[:3]}: this is not a trained "
            "sequence-classification model, or a damaged one"
        )
    return model, columns
