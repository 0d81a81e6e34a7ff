"""Joins the alignment model's probabilities with lexical evidence, for models too weak to stand alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from franq_guard.alignment.lexical_index import FEATURES
from franq_guard.errors import ConfigError
from franq_guard.models.base import FloatArray

_SMALLEST = 1e-6


@dataclass(frozen=True, slots=True)
class LexicalCombiner:
    """Logistic regression on one window's model output and lexical features.

        P(faithful) = sigmoid(bias + w_0 log(P_a / (1 - P_a)) + sum_i w_i f_i)

    with P_a the model's P(aligned) and f_i the features of `LexicalIndex.features`.

    Attributes:
        model_id: the alignment model it was fitted for.
        bias: the intercept.
        weights: w_0, then one weight for each of `FEATURES`.
        name: what the aligner's id shows.
    """

    model_id: str
    bias: float
    weights: tuple[float, ...]
    name: str = "lexical"

    @classmethod
    def embedded(cls) -> LexicalCombiner:
        """The combiner fitted for the embedded alignment model; lexical_combiner.json says on what."""
        text = files("franq_guard.alignment").joinpath("lexical_combiner.json").read_text(encoding="utf-8")
        data = json.loads(text)
        return cls(
            model_id=data["model"],
            bias=data["bias"],
            weights=(data["weights"]["aligned_logit"], *(data["weights"][name] for name in FEATURES)),
        )

    def combine(self, probabilities: FloatArray, features: FloatArray) -> FloatArray:
        """P(faithful) by each window.

        Args:
            probabilities: the model's aligned, neutral, contradicted; shape (R, 3).
            features: see `LexicalIndex.features`; shape (R, 3).

        Returns:
            Shape (R,), in (0, 1).

        Raises:
            ConfigError: if the number of weights does not fit the features.
        """
        inputs = combiner_inputs(probabilities, features)
        if inputs.shape[1] != len(self.weights):
            raise ConfigError(f"a lexical combiner needs {inputs.shape[1]} weights, not {len(self.weights)}")
        return np.asarray(1.0 / (1.0 + np.exp(-(self.bias + inputs @ np.asarray(self.weights)))))


def combiner_inputs(probabilities: FloatArray, features: FloatArray) -> FloatArray:
    """What the weights multiply: the log-odds of P(aligned), then the features; shape (R, 4)."""
    aligned = np.clip(probabilities[:, 0], _SMALLEST, 1 - _SMALLEST)
    return np.column_stack([np.log(aligned) - np.log1p(-aligned), features])
