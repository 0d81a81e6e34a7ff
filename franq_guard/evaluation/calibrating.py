"""From labelled claims to a calibrator, with a check on questions it was not fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.calibration import Calibrator, Mode, Split
from franq_guard.errors import CalibrationError, ConfigError, InputError
from franq_guard.evaluation.claim_sets import hold_out, merge_annotators, require_one_setup
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.franq import LONG_FORM, SHORT_FORM, mix
from franq_guard.uncertainty import SIGNALS

FEWEST_CLAIMS = 10
"""With fewer labelled claims, isotonic regression only repeats them."""
FEW_CLAIMS = 100
"""With fewer, the result is uncertain and the user is told."""
FEW_ON_A_SIDE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to calibrate; see `Calibrator.fit`.

    Attributes:
        mode: "none", "calibrated" or "condition".
        split: "alignment" or "gold".
        threshold: of the alignment score.
        faithful_signal: of P(true | faithful); None for that of the form.
        calibrate_faithfulness: also map the alignment score to P(faithful).
        test_share: share of the questions that are held out, in [0, 1); 0 skips the check.
        seed: of the choice of those questions.
        refit: whether the calibrator is fitted again on all claims after the check; None for yes, unless a
            promise is wanted, which holds only for the calibrator that it was tested with.
        target_false_rate: largest share of false claims among those let through, in (0, 1); None promises
            nothing.
        confidence: with which that is promised, in (0, 1).
    """

    mode: Mode = "condition"
    split: Split = "alignment"
    threshold: float = 0.5
    faithful_signal: str | None = None
    calibrate_faithfulness: bool = False
    test_share: float = 0.3
    seed: int = 0
    refit: bool | None = None
    target_false_rate: float | None = None
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not 0 <= self.test_share < 1:
            raise ConfigError(f"the test share must lie in [0, 1), got {self.test_share}")
        if self.target_false_rate is None:
            return
        if not 0 < self.target_false_rate < 1 or not 0 < self.confidence < 1:
            raise ConfigError("the target false rate and the confidence must lie between 0 and 1")
        if self.refit or self.test_share == 0:
            raise ConfigError(
                "a target false rate is tested on questions that the calibrator was not fitted on: it needs a"
                " test share above 0, and no second fit"
            )

    @property
    def refits(self) -> bool:
        """Whether the calibrator is fitted again on all claims."""
        return self.target_false_rate is None if self.refit is None else self.refit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldOut:
    """Scores of the claims of held-out questions, each array of shape (N,).

    Attributes:
        before: P(true) without calibration; None if a signal is no probability without one.
        after: P(true) by a calibrator fitted on the other questions.
        true: labels, 1 or 0.
        questions: ids of the questions.
    """

    before: FloatArray | None
    after: FloatArray
    true: FloatArray
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What came out.

    Attributes:
        calibrator: ready to be saved.
        held_out: the check; None if there was none.
        claims: labelled claims used.
        questions: distinct questions among them.
        unlabelled: claims left out because no annotator could tell, or none has labelled them yet.
        disputed: claims left out because annotators differ.
        warnings: what the user should know before trusting it.
    """

    calibrator: Calibrator
    held_out: HeldOut | None
    claims: int
    questions: int
    unlabelled: int
    disputed: int
    warnings: tuple[str, ...]


def calibrate(rows: Sequence[LabelledClaim], settings: Settings | None = None) -> Calibration:
    """Fits on some questions, scores the others, then fits on all.

    No question has claims on both sides, because claims of one answer are not independent.

    Args:
        rows: labelled claims, of one form and one pair of models; several annotators may have labelled a
            claim.
        settings: how.

    Raises:
        InputError: if rows of different forms or models are mixed, or a signal is in none of them.
        ConfigError: if a setting needs gold labels of faithfulness and there are none.
        CalibrationError: if there are too few claims, or they are all true or all false.
    """
    settings = settings or Settings()
    require_one_setup(rows)
    merged, disputed = merge_annotators(rows)
    used = [row for row in merged if row.true is not None]
    _check_labels(used, len(merged) - len(used), disputed)
    names = _signals(used, settings)
    if settings.split == "gold" or settings.calibrate_faithfulness:
        _check_faithful(used)
    warnings = _warnings_before(used, names)
    held_out, draft = _check(used, names, settings, warnings)
    calibrator = draft if draft is not None and not settings.refits else _fit(used, names, settings)
    if settings.target_false_rate is not None:
        calibrator = _promising(draft, used, settings)
    return Calibration(
        calibrator=calibrator,
        held_out=held_out,
        claims=len(used),
        questions=len({row.question_id for row in used}),
        unlabelled=len(merged) - len(used),
        disputed=disputed,
        warnings=(*warnings, *_warnings_after(calibrator)),
    )


def _check_labels(used: Sequence[LabelledClaim], unlabelled: int, disputed: int) -> None:
    left_out = f"{unlabelled} without a label, {disputed} on which annotators differ"
    if len(used) < FEWEST_CLAIMS:
        raise CalibrationError(
            f"{len(used)} labelled claims ({left_out}) are too few to calibrate:"
            f" label at least {FEWEST_CLAIMS}, better some 300 claims of long answers or 120 short answers"
        )
    if len({row.true for row in used}) == 1:
        raise CalibrationError(
            f"all {len(used)} claims are labelled {'true' if used[0].true else 'false'} ({left_out}):"
            " a calibrator learns nothing from one class; label some of the other"
        )


def _signals(used: Sequence[LabelledClaim], settings: Settings) -> tuple[str, str]:
    first, second = LONG_FORM if used[0].form == "long" else SHORT_FORM
    names = (settings.faithful_signal or first, second)
    known = sorted({name for row in used for name in row.signals})
    for name in names:
        if name not in known:
            raise InputError(
                f"no row has the signal {name!r}; the rows have {', '.join(known) or 'none'}."
                " Get signals with `franq-guard check --format json`, or choose another one"
            )
    return names


def _check_faithful(used: Sequence[LabelledClaim]) -> None:
    if all(row.faithful is None for row in used):
        raise ConfigError(
            "split='gold' and calibrating faithfulness need the column faithful, and no row has it filled in"
        )


def _check(
    used: Sequence[LabelledClaim], names: tuple[str, str], settings: Settings, warnings: list[str]
) -> tuple[HeldOut | None, Calibrator | None]:
    """Scores of held-out questions, and the calibrator that gave them."""
    if settings.test_share == 0:
        return None, None
    held = hold_out([row.question_id for row in used], settings.test_share, settings.seed)
    kept = [row for row, out in zip(used, held, strict=True) if not out]
    tested = [row for row, out in zip(used, held, strict=True) if out]
    if not tested:
        warnings.append("all claims answer one question: nothing could be held out to check the calibrator")
        return None, None
    try:
        draft = _fit(kept, names, settings)
    except CalibrationError as error:
        if not settings.refits:
            raise
        warnings.append(f"nothing was checked on held-out questions, because of those left over: {error}")
        return None, None
    return _score(tested, names, draft, warnings), draft


def _promising(draft: Calibrator | None, used: Sequence[LabelledClaim], settings: Settings) -> Calibrator:
    """The calibrator with a promise, tested on the questions that were held out."""
    from franq_guard.evaluation.promise import with_promise

    if draft is None or settings.target_false_rate is None:
        raise CalibrationError("nothing can be promised: there are no questions to test a threshold on")
    held = hold_out([row.question_id for row in used], settings.test_share, settings.seed)
    return with_promise(
        draft,
        [row for row, out in zip(used, held, strict=True) if not out],
        [row for row, out in zip(used, held, strict=True) if out],
        target=settings.target_false_rate,
        confidence=settings.confidence,
        seed=settings.seed,
    )


def _score(
    tested: Sequence[LabelledClaim], names: tuple[str, str], draft: Calibrator, warnings: list[str]
) -> HeldOut | None:
    alignment, first, second, true, _ = _arrays(tested, names)
    complete = np.asarray(~np.isnan(np.stack([alignment, first, second])).any(axis=0), dtype=np.bool_)
    if not complete.any():
        warnings.append("no held-out claim has all its signals: nothing was checked")
        return None
    if len(set(true[complete])) == 1:
        warnings.append("the held-out claims are all of one class: ranking metrics are undefined")
    inputs = alignment[complete], first[complete], second[complete]
    plain = replace(draft, mode="none", if_faithful=None, if_unfaithful=None, faithful=None)
    try:
        before = mix(*plain.apply(*inputs))
    except InputError:
        before = None  # a signal without a scale of its own
    return HeldOut(
        before=before,
        after=mix(*draft.apply(*inputs)),
        true=true[complete],
        questions=tuple(row.question_id for row, keep in zip(tested, complete, strict=True) if keep),
    )


def _fit(rows: Sequence[LabelledClaim], names: tuple[str, str], settings: Settings) -> Calibrator:
    alignment, first, second, true, faithful = _arrays(rows, names)
    needs_gold = settings.split == "gold" or settings.calibrate_faithfulness
    return Calibrator.fit(
        alignment,
        first,
        second,
        true,
        mode=settings.mode,
        split=settings.split,
        faithful_labels=faithful if needs_gold else None,
        threshold=settings.threshold,
        calibrate_faithfulness=settings.calibrate_faithfulness,
        form=rows[0].form,
        signals=names,
        samples=rows[0].samples,
        language_model=rows[0].language_model,
        alignment_model=rows[0].alignment_model,
        groups=[row.question_id for row in rows],
    )


def _arrays(
    rows: Sequence[LabelledClaim], names: tuple[str, str]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Alignment, both confidences, true and faithful labels, each of shape (N,), NaN where missing."""

    def column(values: Sequence[float | bool | None]) -> FloatArray:
        return np.array([np.nan if value is None else float(value) for value in values])

    def confidence(name: str) -> FloatArray:
        raw = column([row.signals.get(name) for row in rows])
        return SIGNALS[name].confidence(raw) if name in SIGNALS else raw

    return (
        column([row.alignment for row in rows]),
        confidence(names[0]),
        confidence(names[1]),
        column([row.true for row in rows]),
        column([row.faithful for row in rows]),
    )


def _warnings_before(used: Sequence[LabelledClaim], names: tuple[str, str]) -> list[str]:
    warnings = []
    if len(used) < FEW_CLAIMS:
        warnings.append(
            f"only {len(used)} labelled claims; 300 claims of long answers, or 120 short ones, would do"
        )
    if used[0].language_model is None or used[0].alignment_model is None:
        warnings.append(
            "the rows do not name both models, so the calibrator runs only with force_calibration=True"
        )
    if "sum_eigenvalues" in names and used[0].samples is None:
        warnings.append("the rows do not say how many answers were sampled (column samples)")
    return warnings


def _warnings_after(calibrator: Calibrator) -> list[str]:
    card = calibrator.card
    warnings = list(card.notes)
    if card.promise is not None and card.promise.threshold is None:
        warnings.append(f"the data do not support the target: {card.promise.reason}")
    if calibrator.mode == "condition":
        for name, count in (("faithful", card.n_faithful), ("unfaithful", card.n_unfaithful)):
            if count < FEW_ON_A_SIDE:
                warnings.append(f"only {count} claims are {name}: P(true | {name}) is uncertain")
    if card.dropped:
        warnings.append(f"{card.dropped} labelled claims were left out because a number is missing")
    return warnings
