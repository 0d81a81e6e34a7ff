"""Every baseline of the paper by name, one entry each, all of one shape: gathered arrays in, a number out.

The formulas are in `franq_guard.uncertainty`, one a file; here is what each of them takes from `Gathered`
(arXiv 2505.21072, table 1, and the retrieval-specific ones beside it).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.gathered import Gathered, Samples
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.uncertainty import SIGNALS
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
from franq_guard.uncertainty.sentence_sar import sentence_sar
from franq_guard.uncertainty.token_entropy import max_token_entropy, mean_token_entropy
from franq_guard.uncertainty.token_sar import token_sar

ALIGNMENT = "alignment"
LM_FAITHFULNESS = "lm_faithfulness"
LOWEST = -1e4
"""Stands for -inf in files, as in calibrators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """One way to tell true claims from false ones without learning from labels.

    Attributes:
        name: as in `uncertainty.SIGNALS`, or "alignment" or "lm_faithfulness".
        title: for tables.
        forms: "long", "short" or both.
        needs: attributes of `Gathered` that it reads.
        compute: the number in its own direction, as files hold it; NaN if an input is missing.
    """

    name: str
    title: str
    forms: frozenset[str]
    needs: frozenset[str]
    compute: Callable[[Gathered], float]

    def confidence(self, gathered: Gathered) -> float:
        """The number turned so that higher is likelier true."""
        return float(self._turned(np.float64(self.compute(gathered))))

    def confidences(self, rows: Sequence[LabelledClaim]) -> FloatArray:
        """What rows of a file say, turned so that higher is likelier true; shape (N,), NaN where missing."""
        if self.name == ALIGNMENT:
            values = [row.alignment for row in rows]
        else:
            values = [row.signals.get(self.name) for row in rows]
        return self._turned(np.array([np.nan if value is None else value for value in values]))

    def probabilities(self, confidences: FloatArray, samples: int | None) -> FloatArray | None:
        """P(true) without calibration, shape (N,); None if the number has no such scale."""
        if self.name not in SIGNALS:
            return np.clip(confidences, 0.0, 1.0)
        signal = SIGNALS[self.name]
        if signal.scale == "unbounded" or (signal.scale == "count" and samples is None):
            return None
        return signal.probability(confidences, samples=samples)

    def _turned(self, values: FloatArray | np.float64) -> FloatArray:
        return SIGNALS[self.name].confidence(values) if self.name in SIGNALS else np.asarray(values)


def gather_value(baseline: Baseline, gathered: Gathered) -> float | None:
    """The number as files hold it: finite, with +-1e4 for infinities; None if it could not be computed."""
    value = baseline.compute(gathered)
    if math.isnan(value):
        return None
    return min(max(value, LOWEST), -LOWEST)


def get_baseline(name: str) -> Baseline:
    """The baseline of that name.

    Raises:
        ConfigError: if there is none.
    """
    if name not in BASELINES:
        raise ConfigError(f"there is no baseline {name!r}; choose from {', '.join(BASELINES)}")
    return BASELINES[name]


def _baseline(name: str, title: str, needs: str, compute: Callable[[Gathered], float]) -> Baseline:
    return Baseline(
        name=name,
        title=title,
        forms=SIGNALS[name].forms if name in SIGNALS else frozenset({"long", "short"}),
        needs=frozenset(needs.split()),
        compute=_nan_if_missing(needs.split(), compute),
    )


def _nan_if_missing(
    needs: Sequence[str], compute: Callable[[Gathered], float]
) -> Callable[[Gathered], float]:
    def guarded(gathered: Gathered) -> float:
        if any(getattr(gathered, name) is None for name in needs):
            return math.nan
        return float(compute(gathered))

    return guarded


def _given(values: FloatArray | None) -> FloatArray:
    if values is None:
        raise InputError("an input of the baseline was not gathered")
    return values


def _samples(gathered: Gathered) -> Samples:
    if gathered.samples is None:
        raise InputError("no answers were sampled")
    return gathered.samples


def _ccp(gathered: Gathered) -> float:
    log_probs, relations = _given(gathered.top_log_probs), gathered.top_relations
    if relations is None:
        return math.nan
    return ccp_log_prob(log_probs, relations, tokens=gathered.tokens, stop_words=gathered.stop_words)


def _max_nli(gathered: Gathered) -> float:
    pairs = gathered.passage_nli
    return max_nli(pairs[:, 0], pairs[:, 1]) if len(pairs) else math.nan


def _p_true(gathered: Gathered) -> float:
    return float(p_true_log_prob(np.float64(gathered.true_log_prob))[0])


def _token_sar(gathered: Gathered) -> float:
    tokens = list(gathered.tokens)
    return token_sar(_given(gathered.log_probs)[tokens], _given(gathered.token_similarity)[tokens])


def _sentence_sar(gathered: Gathered) -> float:
    samples = _samples(gathered)
    return math.nan if samples.similarity is None else sentence_sar(samples.log_probs, samples.similarity)


def _lexical(gathered: Gathered) -> float:
    texts = _samples(gathered).texts
    return lexical_similarity(texts) if len(texts) > 1 else math.nan


def _num_sets(gathered: Gathered) -> float:
    probabilities = _samples(gathered).probabilities
    return num_semantic_sets(probabilities[..., 0], probabilities[..., 2])


_ALL = (
    _baseline(
        "max_claim_probability",
        "Max claim probability",
        "log_probs",
        lambda g: max_claim_log_prob(_given(g.log_probs), g.tokens),
    ),
    _baseline(
        "perplexity",
        "Perplexity",
        "log_probs",
        lambda g: log_perplexity(_given(g.log_probs), g.tokens),
    ),
    _baseline(
        "mean_token_entropy",
        "Mean token entropy",
        "entropies",
        lambda g: mean_token_entropy(_given(g.entropies), g.tokens),
    ),
    _baseline(
        "max_token_entropy",
        "Max token entropy",
        "entropies",
        lambda g: max_token_entropy(_given(g.entropies), g.tokens),
    ),
    _baseline("ccp", "CCP", "top_log_probs top_relations", _ccp),
    _baseline("p_true", "P(True)", "true_log_prob", _p_true),
    _baseline("token_sar", "TokenSAR", "log_probs token_similarity", _token_sar),
    _baseline("sentence_sar", "SentenceSAR", "samples", _sentence_sar),
    _baseline("lexical_similarity", "Lexical similarity", "samples", _lexical),
    _baseline("degree_matrix", "Degree matrix", "samples", lambda g: degree_matrix(_samples(g).graph)),
    _baseline("eccentricity", "Eccentricity", "samples", lambda g: eccentricity(_samples(g).graph)),
    _baseline("sum_eigenvalues", "Sum of eigenvalues", "samples", lambda g: _samples(g).sum_eigenvalues),
    _baseline("num_semantic_sets", "Number of semantic sets", "samples", _num_sets),
    _baseline("semantic_entropy", "Semantic entropy", "samples", lambda g: _samples(g).semantic_entropy),
    _baseline(ALIGNMENT, "AlignScore", "", lambda g: g.alignment),
    _baseline("max_nli", "MaxNLI", "", _max_nli),
    _baseline(
        "parametric_knowledge",
        "Parametric knowledge",
        "log_probs_without_passages",
        lambda g: parametric_log_prob(_given(g.log_probs_without_passages), g.tokens),
    ),
    _baseline(
        LM_FAITHFULNESS,
        "LM faithfulness judge",
        "lm_faithfulness",
        lambda g: math.nan if g.lm_faithfulness is None else g.lm_faithfulness,
    ),
)

BASELINES = {baseline.name: baseline for baseline in _ALL}
"""Every baseline by name."""
