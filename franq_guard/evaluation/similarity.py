"""How similar two texts are, for TokenSAR and SentenceSAR.

The reference takes a cross-encoder for semantic textual similarity. Where none is at hand, the alignment
model stands in: the mean of P(aligned) in both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.models.base import AlignmentModel, Tokens

Pair = tuple[str, str]
_MOST_WORDS = 200


class Similarity(Protocol):
    """Judges pairs of texts."""

    @property
    def id(self) -> str:
        """Names what judges."""
        ...

    @property
    def reuses_alignment(self) -> bool:
        """True if what the alignment model says about two samples will do for them."""
        ...

    def score(self, pairs: Sequence[Pair]) -> FloatArray:
        """Similarity of each two texts, shape (N,), in [0, 1]."""
        ...


class AlignmentSimilarity:
    """(P(b aligned with a) + P(a aligned with b)) / 2; equal texts have similarity 1.

    Args:
        model: an alignment model.
    """

    def __init__(self, model: AlignmentModel) -> None:
        self._model = model

    @property
    def id(self) -> str:
        """Names the model."""
        return f"alignment:{self._model.id}"

    @property
    def reuses_alignment(self) -> bool:
        """Always: it is the same model."""
        return True

    def score(self, pairs: Sequence[Pair]) -> FloatArray:
        """See `Similarity.score`."""
        both = [pair for a, b in pairs if a != b for pair in ((a, b), (b, a))]
        found = iter(self._model.score(both)[:, 0].reshape(-1, 2).mean(axis=1) if both else ())
        return np.array([1.0 if a == b else next(found) for a, b in pairs])


def token_pairs(question: str, tokens: Tokens) -> list[Pair]:
    """Question and answer, with and without each token of the answer; T pairs.

    A question that makes the text too long for the judge is left out.
    """
    text = tokens.text
    lead = f"{question} " if len(question.split()) + len(text.split()) <= _MOST_WORDS else ""
    whole = f"{lead}{text}"
    return [(whole, f"{lead}{text[:start]}{text[end:]}") for start, end in tokens.offsets]


def sample_pairs(question: str, texts: Sequence[str]) -> list[Pair]:
    """Each two sampled answers, both behind the question, in the order of the upper triangle."""
    whole = [f"{question} {text}" for text in texts]
    return [(whole[i], whole[j]) for i in range(len(whole)) for j in range(i + 1, len(whole))]


def as_matrix(values: FloatArray, size: int) -> FloatArray:
    """A symmetric matrix with 1 on its diagonal from its upper triangle; shape (size, size)."""
    matrix = np.eye(size)
    rows, columns = np.triu_indices(size, k=1)
    matrix[rows, columns] = matrix[columns, rows] = values
    return matrix
