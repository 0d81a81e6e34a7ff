"""Every signal by name, with its direction and scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import ROUNDING, FloatArray, as_probabilities, as_vector
from franq_guard.errors import InputError
from franq_guard.uncertainty.ccp import ccp_log_prob
from franq_guard.uncertainty.degree_matrix import degree_matrix
from franq_guard.uncertainty.eccentricity import eccentricity
from franq_guard.uncertainty.lexical_similarity import lexical_similarity
from franq_guard.uncertainty.max_claim_probability import max_claim_log_prob
from franq_guard.uncertainty.max_nli import max_nli
from franq_guard.uncertainty.num_semantic_sets import num_semantic_sets
from franq_guard.uncertainty.p_true import p_true_log_prob
from franq_guard.uncertainty.parametric_knowledge import parametric_log_prob
from franq_guard.uncertainty.perplexity import log_perplexity
from franq_guard.uncertainty.semantic_entropy import entropy_to_probability, semantic_entropy
from franq_guard.uncertainty.sentence_sar import sentence_sar
from franq_guard.uncertainty.sum_eigenvalues import sum_eigenvalues, sum_eigenvalues_to_probability
from franq_guard.uncertainty.token_entropy import max_token_entropy, mean_token_entropy
from franq_guard.uncertainty.token_sar import token_sar

Scale = Literal["log_probability", "probability", "entropy", "count", "unbounded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One number that says how far a claim can be trusted.

    Attributes:
        name: what calibrators, reports and benchmarks call it.
        function: computes it from arrays.
        higher_is_truer: whether the function returns a confidence; else an uncertainty.
        forms: "long", "short" or both.
        needs: what the function takes, in order: "log_probs" (of tokens, given question and passages),
            "log_probs_without_passages", "entropies" (of tokens), "nli" (passage to claim), "top_log_probs",
            "top_relations" (of the likeliest tokens), "true_log_prob", "token_similarity",
            "sample_log_probs", "sample_classes", "sample_graph", "sample_nli", "sample_similarity",
            "sample_texts".
        scale: what the number is; decides how it becomes a probability without calibration.
    """

    name: str
    function: Callable[..., float | FloatArray]
    higher_is_truer: bool
    forms: frozenset[str]
    needs: tuple[str, ...]
    scale: Scale

    def confidence(self, values: ArrayLike) -> FloatArray:
        """The values with the direction that calibrators take: higher is likelier true. Any shape."""
        raw = np.asarray(values, dtype=np.float64)
        return raw if self.higher_is_truer else -raw

    def check(self, confidence: ArrayLike) -> FloatArray:
        """The confidences as floats, any shape; NaN passes.

        Raises:
            InputError: if one is +inf, or above 0 although it is a log-probability; the text names its row.
        """
        values = np.asarray(confidence, dtype=np.float64)
        impossible = values > (ROUNDING if self.scale == "log_probability" else np.finfo(np.float64).max)
        if np.any(impossible):
            row = int(np.argmax(impossible))
            hint = "pass natural logarithms, not probabilities" if values.flat[row] <= 1 else "drop the row"
            raise InputError(f"{self.name}: row {row} is {values.flat[row]:g}, which is impossible; {hint}")
        return values

    def probability(self, confidence: ArrayLike, *, samples: int | None = None) -> FloatArray:
        """P(true) without calibration.

        Log-probabilities are exponentiated, probabilities taken as they are, entropies become exp(-H), and
        counts U of n samples become (n - U) / (n - 1). All are clipped to [0, 1].

        Args:
            confidence: as `confidence` returns it, any shape.
            samples: n, for "sum_eigenvalues" and "num_semantic_sets".

        Returns:
            The shape of `confidence`, in [0, 1]; NaN stays NaN.

        Raises:
            InputError: if the signal has no probability scale, `samples` is missing, or a value is
                impossible.
        """
        values = self.check(confidence)
        match self.scale:
            case "log_probability" | "entropy":
                return entropy_to_probability(-values)
            case "probability":
                return as_probabilities(values, self.name)
            case "count" if samples is not None:
                return sum_eigenvalues_to_probability(-values, samples)
            case "count":
                raise InputError(f"{self.name}: say how many answers were sampled")
            case "unbounded":
                raise InputError(f"{self.name} is not a probability: fit a calibrator first")


def _signal(
    name: str,
    function: Callable[..., float | FloatArray],
    direction: Literal["confidence", "uncertainty"],
    forms: Literal["long", "short", "long short"],
    needs: str,
    scale: Scale,
) -> Signal:
    return Signal(
        name=name,
        function=function,
        higher_is_truer=direction == "confidence",
        forms=frozenset(forms.split()),
        needs=tuple(needs.split()),
        scale=scale,
    )


_ALL = (
    _signal(
        "ccp", ccp_log_prob, "confidence", "long short", "top_log_probs top_relations", "log_probability"
    ),
    _signal("degree_matrix", degree_matrix, "uncertainty", "short", "sample_graph", "unbounded"),
    _signal("eccentricity", eccentricity, "uncertainty", "short", "sample_graph", "unbounded"),
    _signal("lexical_similarity", lexical_similarity, "confidence", "short", "sample_texts", "probability"),
    _signal(
        "max_claim_probability",
        max_claim_log_prob,
        "confidence",
        "long short",
        "log_probs",
        "log_probability",
    ),
    _signal("max_nli", max_nli, "confidence", "long short", "nli", "probability"),
    _signal("max_token_entropy", max_token_entropy, "uncertainty", "short", "entropies", "entropy"),
    _signal("mean_token_entropy", mean_token_entropy, "uncertainty", "long", "entropies", "entropy"),
    _signal("num_semantic_sets", num_semantic_sets, "uncertainty", "short", "sample_nli", "count"),
    _signal("p_true", p_true_log_prob, "confidence", "long short", "true_log_prob", "log_probability"),
    _signal(
        "parametric_knowledge",
        parametric_log_prob,
        "confidence",
        "long short",
        "log_probs_without_passages",
        "log_probability",
    ),
    _signal("perplexity", log_perplexity, "uncertainty", "long short", "log_probs", "entropy"),
    _signal(
        "semantic_entropy",
        semantic_entropy,
        "uncertainty",
        "short",
        "sample_log_probs sample_classes",
        "entropy",
    ),
    _signal(
        "sentence_sar",
        sentence_sar,
        "uncertainty",
        "short",
        "sample_log_probs sample_similarity",
        "unbounded",
    ),
    _signal("sum_eigenvalues", sum_eigenvalues, "uncertainty", "short", "sample_graph", "count"),
    _signal("token_sar", token_sar, "uncertainty", "short", "log_probs token_similarity", "entropy"),
)

SIGNALS = {signal.name: signal for signal in _ALL}
"""Every signal by name."""


def get_signal(name: str) -> Signal:
    """The signal of that name.

    Args:
        name: as in `SIGNALS`; what stands behind a colon names settings ("semantic_entropy:estimator=kuhn"),
            which change neither direction nor scale.

    Raises:
        InputError: if there is none.
    """
    base = _base(name)
    if base not in SIGNALS:
        raise InputError(f"unknown signal {name!r}: choose one of {', '.join(sorted(SIGNALS))}")
    return SIGNALS[base]


def _base(name: str) -> str:
    return name.partition(":")[0]


def as_confidence(signal: str, values: ArrayLike, name: str) -> FloatArray:
    """Confidences of a signal, known to the registry or not, as a float vector; NaN and -inf pass.

    Raises:
        InputError: if a value is impossible; the text names its row.
    """
    vector = as_vector(values, name)
    if _base(signal) in SIGNALS:
        return get_signal(signal).check(vector)
    if np.any(vector == np.inf):
        raise InputError(f"{name}: row {int(np.argmax(vector == np.inf))} is inf; drop the row")
    return vector
