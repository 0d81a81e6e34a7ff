"""The promise about claims that are let through: made on labelled claims, and checked on many resamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.calibration import Calibrator
from franq_guard.calibration.risk_control import LabelledScores, choose_threshold
from franq_guard.errors import CalibrationError, ConfigError, InputError
from franq_guard.evaluation.claim_sets import hold_out
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.evaluation.methods import Data, apply_franq, fit_franq, labels_of


def with_promise(
    calibrator: Calibrator,
    fitted: Sequence[LabelledClaim],
    tested: Sequence[LabelledClaim],
    *,
    target: float,
    confidence: float,
    seed: int = 0,
) -> Calibrator:
    """The calibrator with a promise in its card.

    Args:
        calibrator: fitted on `fitted`, and on nothing else.
        fitted: its claims.
        tested: claims of other questions.
        target: largest share of false claims, in (0, 1).
        confidence: in (0, 1).
        seed: of the draw of one claim a question.

    Raises:
        ConfigError: if target or confidence is out of range.
    """
    promise = choose_threshold(
        _scores(calibrator, fitted),
        _scores(calibrator, tested),
        target=target,
        confidence=confidence,
        seed=seed,
    )
    return replace(calibrator, card=replace(calibrator.card, promise=promise))


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseSettings:
    """What to check.

    Attributes:
        target: largest share of false claims, in (0, 1).
        confidence: in (0, 1).
        resamples: how many, at least 1.
        seed: of everything that is drawn.
        fitting_share: share of the questions that calibrators are fitted on, in (0, 1).
        tested: questions to draw for the choice of a threshold; None for as many as there are.
        fit_options: of `Calibrator.fit`.
    """

    target: float
    confidence: float = 0.95
    resamples: int = 200
    seed: int = 0
    fitting_share: float = 0.5
    tested: int | None = None
    fit_options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.target < 1 or not 0 < self.confidence < 1:
            raise ConfigError("the target false rate and the confidence must lie between 0 and 1")
        if not 0 < self.fitting_share < 1 or self.resamples < 1 or self.tested == 0:
            raise ConfigError("needs a share for fitting between 0 and 1, a resample, and a question to test")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PromiseCheck:
    """How a promise did. Arrays have one entry for each resample; NaN where no threshold was supported.

    Attributes:
        settings: what was checked.
        thresholds: shape (R,).
        false_rates: share of false claims on all held-out questions, each counting once, shape (R,).
        claim_false_rates: the same, each claim counting once. Shape (R,).
        shares_kept: share of the claims that were let through, shape (R,).
        tested: questions drawn to choose a threshold in each resample.
        reasons: why there was no threshold, for resamples without one.
    """

    settings: PromiseSettings
    thresholds: FloatArray
    false_rates: FloatArray
    claim_false_rates: FloatArray
    shares_kept: FloatArray
    tested: int
    reasons: tuple[str, ...]

    @property
    def supported(self) -> float:
        """Share of the resamples in which a threshold was found."""
        return float((~np.isnan(self.thresholds)).mean())

    @property
    def held(self) -> float:
        """Share of the resamples in which the promise was kept; who promises nothing breaks nothing."""
        return float(1 - (self.false_rates > self.settings.target).mean())

    @property
    def margin(self) -> float:
        """Twice the standard error of a share at the stated confidence, over so many resamples."""
        confidence = self.settings.confidence
        return float(2 * np.sqrt(confidence * (1 - confidence) / self.thresholds.size))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, rounded; null where there is none."""
        return {
            "target_false_rate": self.settings.target,
            "confidence": self.settings.confidence,
            "resamples": self.settings.resamples,
            "tested_questions": self.tested,
            "supported": round(self.supported, 4),
            "held": round(self.held, 4),
            "margin": round(self.margin, 4),
            "mean_false_rate": _mean(self.false_rates),
            "mean_false_rate_of_claims": _mean(self.claim_false_rates),
            "mean_share_kept": _mean(self.shares_kept),
            "mean_threshold": _mean(self.thresholds),
            "reason_without": self.reasons[0] if self.reasons else None,
        }


def check_promise(rows: Sequence[LabelledClaim], settings: PromiseSettings) -> PromiseCheck:
    """Makes the promise over and over on resampled questions, and sees how often it is kept.

    Each time the questions are split in two. A calibrator is fitted on some drawn from one part, with
    replacement; the threshold is chosen on some drawn from the other part, as many as it has. All of that
    other part stands for what the guard will see: its share of false claims is then known exactly, so that
    the share of kept promises is to be compared with the confidence as it is.

    Args:
        rows: labelled claims of one form and one pair of models.
        settings: what to check.

    Raises:
        InputError: if there are fewer than two questions with labels.
        CalibrationError: if no resample could be fitted.
    """
    labelled = [row for row in rows if row.true is not None]
    if len({row.question_id for row in labelled}) < 2:
        raise InputError("a promise is checked on labelled claims of at least two questions")
    rng = np.random.default_rng(settings.seed)
    found = []
    failure: CalibrationError | None = None
    for number in range(settings.resamples):
        try:
            found.append(_resample(labelled, settings, number, rng))
        except CalibrationError as error:
            failure = error
            found.append(_Outcome(reason=str(error)))
    if failure is not None and all(outcome.reason == str(failure) for outcome in found):
        raise failure
    return PromiseCheck(
        settings=settings,
        thresholds=np.array([outcome.threshold for outcome in found]),
        false_rates=np.array([outcome.false_rate for outcome in found]),
        claim_false_rates=np.array([outcome.claim_false_rate for outcome in found]),
        shares_kept=np.array([outcome.share_kept for outcome in found]),
        tested=max(outcome.tested for outcome in found),
        reasons=tuple(outcome.reason for outcome in found if outcome.reason),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    threshold: float = float("nan")
    false_rate: float = float("nan")
    claim_false_rate: float = float("nan")
    share_kept: float = float("nan")
    tested: int = 0
    reason: str = ""


def _resample(
    rows: Sequence[LabelledClaim], settings: PromiseSettings, number: int, rng: np.random.Generator
) -> _Outcome:
    split_seed = int(rng.integers(2**31))
    out = hold_out([row.question_id for row in rows], 1 - settings.fitting_share, split_seed)
    fitting = [row for row, held in zip(rows, out, strict=True) if not held]
    world = [row for row, held in zip(rows, out, strict=True) if held]
    drawn, tested = _draw(fitting, rng), _draw(world, rng, settings.tested)
    calibrator = fit_franq(Data(calibration=drawn, test=world), **dict(settings.fit_options))
    promise = choose_threshold(
        _scores(calibrator, drawn),
        _scores(calibrator, tested),
        target=settings.target,
        confidence=settings.confidence,
        seed=number,
    )
    if promise.threshold is None:
        return _Outcome(tested=promise.questions, reason=promise.reason)
    truth = _scores(calibrator, world)
    losses = truth.losses(promise.threshold)
    through = truth.p_true >= promise.threshold
    return _Outcome(
        threshold=promise.threshold,
        false_rate=float(losses.mean()) if losses.size else 0.0,
        claim_false_rate=float(truth.false[through].mean()) if losses.size else 0.0,
        share_kept=truth.share_kept(promise.threshold),
        tested=promise.questions,
    )


def _draw(
    rows: Sequence[LabelledClaim], rng: np.random.Generator, count: int | None = None
) -> list[LabelledClaim]:
    """So many questions, or as many as there are, with replacement; one that is drawn twice counts as two."""
    by_question: dict[str, list[LabelledClaim]] = {}
    for row in rows:
        by_question.setdefault(row.question_id, []).append(row)
    groups = list(by_question.values())
    chosen = rng.integers(len(groups), size=count or len(groups))
    return [
        replace(row, question_id=f"{row.question_id} #{place}")
        for place, index in enumerate(chosen)
        for row in groups[index]
    ]


def _scores(calibrator: Calibrator, rows: Sequence[LabelledClaim]) -> LabelledScores:
    questions = [row.question_id for row in rows]
    return LabelledScores.of(apply_franq(calibrator, rows), labels_of(rows), questions)


def _mean(values: FloatArray) -> float | None:
    known = values[~np.isnan(values)]
    return round(float(known.mean()), 4) if known.size else None
