"""All methods on one split: baselines as they are, FRANQ and XGBoost fitted on the calibration claims."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.calibration import Calibrator
from franq_guard.errors import CalibrationError, ConfigError
from franq_guard.evaluation.baselines import ALIGNMENT, BASELINES, LM_FAITHFULNESS
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.evaluation.supervised import fit_and_score
from franq_guard.franq import LONG_FORM, SHORT_FORM, mix, threshold_faithfulness

Kind = Literal["baseline", "franq", "supervised"]

THRESHOLD = 0.5
"""Of hard faithfulness (arXiv 2505.21072, table 12)."""

FRANQ = {
    "franq_none": "FRANQ (none)",
    "franq_calibrated": "FRANQ (calibrated)",
    "franq_condition": "FRANQ (condition)",
    "franq_condition_threshold": f"FRANQ (condition, T={THRESHOLD:g})",
    "franq_condition_faithfulness": "FRANQ (condition, P(f) calibrated)",
}
SUPERVISED = {"xgboost_all": "XGBoost (all)", "xgboost_franq": "XGBoost (FRANQ)"}

METHODS = {name: baseline.title for name, baseline in BASELINES.items()} | SUPERVISED | FRANQ
"""Titles of all methods by name, in the order of tables."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MethodScores:
    """One method on the test claims.

    Attributes:
        name: as in `METHODS`.
        kind: what sort of method it is.
        confidence: higher is likelier true, shape (N,).
        probability: the same as P(true), shape (N,); None if the method gives none.
    """

    name: str
    kind: Kind
    confidence: FloatArray
    probability: FloatArray | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Labelled claims of one form, split by question.

    Attributes:
        calibration: what may be fitted on.
        test: what is measured on.
    """

    calibration: Sequence[LabelledClaim]
    test: Sequence[LabelledClaim]

    @property
    def form(self) -> Literal["long", "short"]:
        """Of all claims."""
        return self.test[0].form

    @property
    def samples(self) -> int | None:
        """How many answers were sampled for each question."""
        return self.test[0].samples

    @property
    def true(self) -> FloatArray:
        """Labels of the test claims, shape (N,)."""
        return labels_of(self.test)


def labels_of(rows: Sequence[LabelledClaim]) -> FloatArray:
    """1 for true claims, 0 for false ones; NaN where there is no label. Shape (N,)."""
    return np.array([np.nan if row.true is None else float(row.true) for row in rows])


def components(form: str) -> tuple[str, str]:
    """The two signals of FRANQ."""
    return LONG_FORM if form == "long" else SHORT_FORM


def needed_signals(method: str, form: str) -> tuple[str, ...]:
    """Baselines whose values a method needs; none for "xgboost_all", which takes whatever there is."""
    if method in BASELINES:
        return (method,)
    return () if method == "xgboost_all" else (ALIGNMENT, *components(form))


def choose_methods(wanted: Collection[str], form: str) -> list[str]:
    """The methods to run, in the order of tables; all that fit the form if none is named.

    Raises:
        ConfigError: if a name is unknown, or does not fit the form.
    """
    for name in wanted:
        if name not in METHODS:
            raise ConfigError(f"there is no method {name!r}; choose from {', '.join(METHODS)}")
        if name in BASELINES and form not in BASELINES[name].forms:
            raise ConfigError(f"{name} is no method for {form} form")
    return [
        name
        for name in METHODS
        if (name in wanted if wanted else name not in BASELINES or form in BASELINES[name].forms)
    ]


def score_method(name: str, data: Data) -> MethodScores:
    """Fits a method on the calibration claims, if it learns, and scores the test claims.

    Raises:
        ConfigError: if the method is unknown, or needs something that is not installed.
        CalibrationError: if there is too little to fit, or no gold labels of faithfulness.
    """
    if name in BASELINES:
        baseline = BASELINES[name]
        confidence = baseline.confidences(data.test)
        return MethodScores(
            name=name,
            kind="baseline",
            confidence=confidence,
            probability=baseline.probabilities(confidence, data.samples),
        )
    if name in SUPERVISED:
        names = _features(name, data)
        scores = fit_and_score(
            _table(names, data.calibration), labels_of(data.calibration), _table(names, data.test)
        )
        return MethodScores(name=name, kind="supervised", confidence=scores, probability=scores)
    if name not in FRANQ:
        raise ConfigError(f"there is no method {name!r}; choose from {', '.join(METHODS)}")
    scores = _FRANQ_SCORES[name](data)
    return MethodScores(name=name, kind="franq", confidence=scores, probability=scores)


def fit_franq(data: Data, *, signals: tuple[str, str] | None = None, **options: Any) -> Calibrator:
    """A calibrator fitted on the calibration claims; "constant" is a signal that says nothing.

    Args:
        data: the claims.
        signals: of P(true | faithful) and P(true | unfaithful); by default those of the form.
        options: of `Calibrator.fit`.

    Raises:
        CalibrationError: if there is too little to fit.
    """
    first, second = signals or components(data.form)
    rows = data.calibration
    return Calibrator.fit(
        BASELINES[ALIGNMENT].confidences(rows),
        signal_column(first, rows),
        signal_column(second, rows),
        labels_of(rows),
        form=data.form,
        signals=(first, second),
        samples=data.samples,
        **options,
    )


def apply_franq(
    calibrator: Calibrator, rows: Sequence[LabelledClaim], *, threshold: float | None = None
) -> FloatArray:
    """P(true) of claims, shape (N,)."""
    first, second = (signal_column(name, rows) for name in calibrator.signals)
    weight, if_faithful, if_unfaithful = calibrator.apply(
        BASELINES[ALIGNMENT].confidences(rows), first, second
    )
    if threshold is not None:
        weight = threshold_faithfulness(weight, threshold)
    return mix(weight, if_faithful, if_unfaithful)


def uncalibrated_franq(
    rows: Sequence[LabelledClaim], samples: int | None, *, threshold: float | None = None
) -> FloatArray:
    """P(true) of claims from bare signals, shape (N,); NaN where one is missing.

    Raises:
        CalibrationError: if it is not known how many answers were sampled.
    """
    weight = BASELINES[ALIGNMENT].confidences(rows)
    if threshold is not None:
        weight = threshold_faithfulness(weight, threshold)
    parts = []
    for name in components(rows[0].form):
        found = BASELINES[name].probabilities(BASELINES[name].confidences(rows), samples)
        if found is None:
            raise CalibrationError(f"{name}: the rows do not say how many answers were sampled")
        parts.append(found)
    return mix(weight, *parts)


def signal_column(name: str, rows: Sequence[LabelledClaim]) -> FloatArray:
    """Confidences of a signal, shape (N,); zeros for "constant"."""
    return np.zeros(len(rows)) if name == "constant" else BASELINES[name].confidences(rows)


def _with_gold(data: Data) -> FloatArray:
    faithful = np.array([np.nan if row.faithful is None else float(row.faithful) for row in data.calibration])
    if np.isnan(faithful).all():
        raise CalibrationError("no claim has a gold label of faithfulness")
    return apply_franq(
        fit_franq(data, calibrate_faithfulness=True, faithful_labels=faithful, mode="condition"), data.test
    )


_FRANQ_SCORES: dict[str, Callable[[Data], FloatArray]] = {
    "franq_none": lambda data: uncalibrated_franq(data.test, data.samples),
    "franq_calibrated": lambda data: apply_franq(fit_franq(data, mode="calibrated"), data.test),
    "franq_condition": lambda data: apply_franq(fit_franq(data, mode="condition"), data.test),
    "franq_condition_threshold": lambda data: apply_franq(
        fit_franq(data, mode="condition"), data.test, threshold=THRESHOLD
    ),
    "franq_condition_faithfulness": _with_gold,
}


def _features(name: str, data: Data) -> list[str]:
    if name == "xgboost_franq":
        return [ALIGNMENT, *components(data.form)]
    return [
        other
        for other, baseline in BASELINES.items()
        if other != LM_FAITHFULNESS
        and data.form in baseline.forms
        and not np.isnan(baseline.confidences(data.calibration)).all()
    ]


def _table(names: Sequence[str], rows: Sequence[LabelledClaim]) -> FloatArray:
    return np.stack([BASELINES[name].confidences(rows) for name in names], axis=1)
