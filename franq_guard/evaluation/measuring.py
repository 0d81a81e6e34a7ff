"""From labelled claims with signals to a table of methods; no model runs here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from franq_guard.errors import CalibrationError, ConfigError, InputError
from franq_guard.evaluation.baselines import BASELINES
from franq_guard.evaluation.bootstrap import Interval, bootstrap, bootstrap_difference
from franq_guard.evaluation.claim_sets import hold_out, merge_annotators, require_one_setup
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.evaluation.methods import (
    Data,
    MethodScores,
    choose_methods,
    needed_signals,
    score_method,
)
from franq_guard.evaluation.metrics import (
    false_rate,
    weighted_average_precision,
    weighted_brier,
    weighted_ece,
    weighted_prr,
    weighted_roc_auc,
)

METRICS = {
    "roc_auc": "ROC-AUC",
    "average_precision": "PR-AUC",
    "prr": "PRR",
    "ece": "ECE",
    "brier": "Brier",
}
"""Titles of the metrics; more is better for the first three, less for the last two."""

_RANKING = {
    "roc_auc": weighted_roc_auc,
    "average_precision": weighted_average_precision,
    "prr": weighted_prr(0.5),
}
_CALIBRATION = {"ece": weighted_ece(10), "brier": weighted_brier}
_MOST_MISSING = 0.1
LEADER = "franq_condition"
"""The method that the others are held against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to measure.

    Attributes:
        methods: names; none means all that fit.
        calibration_share: share of the questions that is fitted on, in (0, 1); the others are measured on.
        seed: of the choice of those questions, and of the resampling.
        resamples: bootstrap resamples for the intervals.
    """

    methods: tuple[str, ...] = ()
    calibration_share: float = 0.4
    seed: int = 0
    resamples: int = 1000

    def __post_init__(self) -> None:
        if not 0 < self.calibration_share < 1:
            raise ConfigError(f"the calibration share must lie in (0, 1), got {self.calibration_share}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """One row of the table.

    Attributes:
        scores: the method on the test claims.
        metrics: by name; ECE and Brier score only for probabilities.
        lead: by how much `LEADER` is ahead in the metrics of ranking, on the same resamples; empty for the
            leader itself, and if it was not measured.
    """

    scores: MethodScores
    metrics: Mapping[str, Interval]
    lead: Mapping[str, Interval] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """What came out.

    Attributes:
        methods: in the order of the table.
        data: the claims that were used.
        false_rate: share of false claims in the test set: the PR-AUC of a random order.
        counts: numbers of claims and questions by what became of them.
        settings: how it was measured.
        notes: what was left out, and why.
    """

    methods: Sequence[Measured]
    data: Data
    false_rate: float
    counts: Mapping[str, int]
    settings: Settings
    notes: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


def measure(rows: Sequence[LabelledClaim], settings: Settings | None = None) -> Evaluation:
    """Splits by question, fits, scores and measures.

    All methods are measured on the same claims: those that lack the value of a method are left out for all
    and counted, and a method that more than a tenth of the claims lack is left out instead.

    Args:
        rows: labelled claims of one form and one pair of models.
        settings: how.

    Raises:
        ConfigError: if a method is unknown or does not fit the form.
        InputError: if rows of different forms or models are mixed, there are no labels, or nothing is left.
    """
    settings = settings or Settings()
    if not rows:
        raise InputError("there is no claim to measure on")
    require_one_setup(rows)
    merged, disputed = merge_annotators(rows)
    labelled = [row for row in merged if row.true is not None]
    if not labelled:
        raise InputError("no claim has a label: fill in the column true")
    notes: list[str] = []
    methods = _available(choose_methods(settings.methods, rows[0].form), labelled, notes)
    complete = _complete(labelled, methods)
    if len(complete) < len(labelled):
        notes.append(
            f"{len(labelled) - len(complete)} claims were left out because a method has no value for them"
        )
    data = _split(complete, settings)
    scores = _scored(methods, data, notes)
    if not scores:
        raise InputError("no method could be measured: " + "; ".join(notes))
    groups = [row.question_id for row in data.test]
    leader = next((found for found in scores if found.name == LEADER), None)
    return Evaluation(
        methods=[_measured(found, leader, data, groups, settings) for found in scores],
        data=data,
        false_rate=false_rate(data.true),
        counts={
            "claims": len(merged) + disputed,
            "unlabelled": len(merged) - len(labelled),
            "disputed": disputed,
            "incomplete": len(labelled) - len(complete),
            "calibration_claims": len(data.calibration),
            "calibration_questions": len({row.question_id for row in data.calibration}),
            "test_claims": len(data.test),
            "test_questions": len(set(groups)),
            "test_false": int((data.true == 0).sum()),
        },
        settings=settings,
        notes=tuple(notes),
    )


def _available(methods: Sequence[str], rows: Sequence[LabelledClaim], notes: list[str]) -> list[str]:
    kept, missing = [], []
    for name in methods:
        signals = needed_signals(name, rows[0].form)
        lacking = [s for s in signals if np.isnan(BASELINES[s].confidences(rows)).mean() > _MOST_MISSING]
        if lacking:
            missing.append(f"{name} ({', '.join(lacking)})" if lacking != [name] else name)
        else:
            kept.append(name)
    if missing:
        notes.append(
            f"not measured, as more than {_MOST_MISSING:.0%} of the claims lack a signal: "
            + ", ".join(missing)
        )
    return kept


def _complete(rows: Sequence[LabelledClaim], methods: Sequence[str]) -> list[LabelledClaim]:
    signals = {signal for name in methods for signal in needed_signals(name, rows[0].form)}
    if not signals:
        return list(rows)
    table = np.stack([BASELINES[signal].confidences(rows) for signal in sorted(signals)])
    return [row for row, values in zip(rows, table.T, strict=True) if not np.isnan(values).any()]


def _split(rows: Sequence[LabelledClaim], settings: Settings) -> Data:
    test = hold_out([row.question_id for row in rows], 1 - settings.calibration_share, settings.seed)
    data = Data(
        calibration=[row for row, out in zip(rows, test, strict=True) if not out],
        test=[row for row, out in zip(rows, test, strict=True) if out],
    )
    if not data.test or not data.calibration:
        raise InputError("needs labelled claims of at least two questions: one to fit on, one to measure on")
    return data


def _scored(methods: Sequence[str], data: Data, notes: list[str]) -> list[MethodScores]:
    found = []
    left_out: dict[str, list[str]] = {}
    for name in methods:
        try:
            found.append(score_method(name, data))
        except (CalibrationError, ConfigError) as error:
            left_out.setdefault(str(error), []).append(name)
    notes += [f"not measured: {', '.join(names)}: {reason}" for reason, names in left_out.items()]
    return found


def _measured(
    scores: MethodScores, leader: MethodScores | None, data: Data, groups: Sequence[str], settings: Settings
) -> Measured:
    options: dict[str, Any] = {"groups": groups, "resamples": settings.resamples, "seed": settings.seed}
    metrics = bootstrap(_RANKING, scores.confidence, data.true, **options)
    if scores.probability is not None:
        metrics |= bootstrap(_CALIBRATION, scores.probability, data.true, **options)
    if leader is None or leader is scores:
        return Measured(scores=scores, metrics=metrics)
    lead = bootstrap_difference(_RANKING, leader.confidence, scores.confidence, data.true, **options)
    return Measured(scores=scores, metrics=metrics, lead=lead)


def best(methods: Sequence[Measured], kind: str, metric: str = "average_precision") -> Measured | None:
    """The best method of a kind by a metric of which more is better; None if none has a value."""
    known = [row for row in methods if row.scores.kind == kind and not math.isnan(row.metrics[metric].value)]
    return max(known, key=lambda row: row.metrics[metric].value, default=None)
