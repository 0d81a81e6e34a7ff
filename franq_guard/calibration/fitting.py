"""Fitting a calibrator to labelled claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from franq_guard import __version__
from franq_guard._arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    as_codes,
    as_labels,
    as_vector,
    equal_lengths,
)
from franq_guard.calibration.calibrator import CalibrationCard, Calibrator, Form, Mode, Split
from franq_guard.calibration.isotonic import FLOOR, MonotoneMap
from franq_guard.drift.sketch import Reference, SignalSketch, worth
from franq_guard.errors import CalibrationError, ConfigError, InputError
from franq_guard.franq import LONG_FORM, SHORT_FORM, mix
from franq_guard.uncertainty import SIGNALS, as_confidence

_FEWEST_ROWS = 3
_FEWEST_ROWS_PER_SIDE = 2


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Complete rows: each array of shape (N,), without NaN."""

    alignment: FloatArray
    faith: FloatArray
    unfaith: FloatArray
    true: FloatArray
    gold: FloatArray

    def where(self, kept: BoolArray) -> _Rows:
        return _Rows(
            self.alignment[kept], self.faith[kept], self.unfaith[kept], self.true[kept], self.gold[kept]
        )


def fit(
    alignment: ArrayLike,
    faith_signal: ArrayLike,
    unfaith_signal: ArrayLike,
    true_labels: ArrayLike,
    faithful_labels: ArrayLike | None,
    *,
    mode: Mode,
    split: Split,
    threshold: float,
    calibrate_faithfulness: bool,
    form: Form,
    signals: tuple[str, str] | None,
    samples: int | None,
    language_model: str | None,
    alignment_model: str | None,
    min_rows: int,
    groups: ArrayLike | None,
    date: str | None,
) -> Calibrator:
    """`Calibrator.fit`, which describes the arguments."""
    if min_rows < 1:
        raise ConfigError(f"min_rows must be at least 1, got {min_rows}")
    _check_settings(mode, split, form, threshold)
    first, second = _named(signals or (LONG_FORM if form == "long" else SHORT_FORM))
    if split == "alignment" and not calibrate_faithfulness:
        faithful_labels = None
    elif faithful_labels is None:
        raise ConfigError("split='gold' and calibrate_faithfulness need faithful_labels")
    rows, kept = _complete(
        alignment=_as_alignment(alignment),
        faith_signal=as_confidence(first, faith_signal, "faith_signal"),
        unfaith_signal=as_confidence(second, unfaith_signal, "unfaith_signal"),
        true_labels=as_labels(true_labels, "true_labels"),
        faithful_labels=None if faithful_labels is None else as_labels(faithful_labels, "faithful_labels"),
    )
    faithful = rows.gold == 1 if split == "gold" else rows.alignment > threshold
    if_faithful, faithful_note = _fit_side(rows.faith, rows.true, faithful, mode, "faithful", min_rows)
    if_unfaithful, unfaithful_note = _fit_side(
        rows.unfaith, rows.true, ~faithful, mode, "unfaithful", min_rows
    )
    steps_note = f"steps of at least {min_rows} rows" if min_rows > 1 else ""
    draft = Calibrator(
        mode=mode,
        split=split,
        threshold=float(threshold),
        form=form,
        signals=(first, second),
        samples=None if samples is None else int(samples),
        language_model=language_model,
        alignment_model=alignment_model,
        if_faithful=if_faithful,
        if_unfaithful=if_unfaithful,
        faithful=MonotoneMap.fit(rows.alignment, rows.gold) if calibrate_faithfulness else None,
        card=CalibrationCard(
            n=rows.true.size,
            n_faithful=int(faithful.sum()),
            n_unfaithful=int((~faithful).sum()),
            dropped=int((~kept).sum()),
            true_rate=_rounded(float(rows.true.mean())),
            ece_before=None,
            ece_after=0.0,
            brier_before=None,
            brier_after=0.0,
            notes=tuple(note for note in (faithful_note, unfaithful_note, steps_note) if note),
            date=date or datetime.now(UTC).date().isoformat(),
            package_version=__version__,
        ),
    )
    members = np.arange(kept.size) if groups is None else as_codes(groups, kept.size, "groups")
    card = replace(_measured(draft, rows), reference=_reference(draft, rows, members[kept]))
    return replace(draft, card=card)


def _check_settings(mode: str, split: str, form: str, threshold: float) -> None:
    for value, allowed in ((mode, Mode), (split, Split), (form, Form)):
        if value not in get_args(allowed):
            raise ConfigError(f"{value!r} is not one of {', '.join(get_args(allowed))}")
    if not 0 <= threshold <= 1:
        raise ConfigError(f"threshold must lie in [0, 1], got {threshold}")


def _named(signals: Sequence[str]) -> tuple[str, str]:
    match signals:
        case [str(first), str(second)]:
            return first, second
    raise ConfigError(
        f"signals must be two names, of the signal if faithful and if unfaithful: got {signals!r}"
    )


def _as_alignment(values: ArrayLike) -> FloatArray:
    alignment = as_vector(values, "alignment")
    outside = (alignment < 0) | (alignment > 1)
    if outside.any():
        row = int(np.argmax(outside))
        raise InputError(f"alignment[{row}] is {alignment[row]:g}: P(faithful) must lie in [0, 1]")
    return alignment


def _complete(
    *,
    alignment: FloatArray,
    faith_signal: FloatArray,
    unfaith_signal: FloatArray,
    true_labels: FloatArray,
    faithful_labels: FloatArray | None,
) -> tuple[_Rows, BoolArray]:
    """Rows without NaN, and which they are."""
    gold = np.zeros_like(true_labels) if faithful_labels is None else faithful_labels
    equal_lengths(
        alignment=alignment,
        faith_signal=faith_signal,
        unfaith_signal=unfaith_signal,
        true_labels=true_labels,
        faithful_labels=gold,
    )
    table = np.stack([alignment, faith_signal, unfaith_signal, true_labels, gold])
    kept = np.asarray(~np.isnan(table).any(axis=0), dtype=np.bool_)
    rows = _Rows(alignment, faith_signal, unfaith_signal, true_labels, gold).where(kept)
    if rows.true.size < _FEWEST_ROWS:
        raise CalibrationError(
            f"{rows.true.size} complete rows ({(~kept).sum()} left out for a missing value) are too few to"
            f" calibrate: label at least {_FEWEST_ROWS}, better some 300 claims or 120 short answers"
        )
    if rows.true.min() == rows.true.max():
        raise CalibrationError(
            f"all {rows.true.size} claims are labelled {'true' if rows.true[0] else 'false'}:"
            " a calibrator learns nothing from one class; label some of the other"
        )
    return rows, kept


def _fit_side(
    signal: FloatArray, true: FloatArray, side: BoolArray, mode: Mode, name: str, min_rows: int
) -> tuple[MonotoneMap | None, str]:
    """The map of one side, and what is to be said about it."""
    if mode == "none":
        return None, ""
    if mode == "calibrated":
        return MonotoneMap.fit(signal, true, min_rows=min_rows), ""
    if side.sum() < _FEWEST_ROWS_PER_SIDE:
        whole = MonotoneMap.fit(signal, true, min_rows=min_rows)
        return whole, f"only {side.sum()} {name} rows: fitted on all rows instead"
    labels = true[side]
    note = f"all {name} rows have one label: constant" if labels.min() == labels.max() else ""
    return MonotoneMap.fit(signal[side], labels, min_rows=min_rows), note


def _measured(draft: Calibrator, rows: _Rows) -> CalibrationCard:
    """The draft's card with the errors before and after."""
    after_ece, after_brier = _errors(draft, rows)
    before: tuple[float | None, float | None] = (None, None)
    if all(_is_probability(name, draft.samples) for name in draft.signals):
        before = _errors(
            replace(draft, mode="none", if_faithful=None, if_unfaithful=None, faithful=None), rows
        )
    return replace(
        draft.card,
        ece_before=before[0],
        ece_after=after_ece,
        brier_before=before[1],
        brier_after=after_brier,
    )


def _reference(draft: Calibrator, rows: _Rows, groups: IntArray) -> Reference:
    """How the signals are distributed."""
    values = {
        "alignment": rows.alignment,
        draft.signals[0]: np.maximum(rows.faith, FLOOR),
        draft.signals[1]: np.maximum(rows.unfaith, FLOOR),
        "p_true": mix(*draft.apply(rows.alignment, rows.faith, rows.unfaith)),
    }
    return Reference(
        answers=round(worth(np.unique(groups, return_counts=True)[1]), 1),
        signals=tuple(SignalSketch.of(name, found) for name, found in values.items()),
    )


def _errors(calibrator: Calibrator, rows: _Rows) -> tuple[float, float]:
    # Imported late: evaluation is built on top of this module.
    from franq_guard.evaluation.metrics import brier_score, expected_calibration_error

    scores = mix(*calibrator.apply(rows.alignment, rows.faith, rows.unfaith))
    return (
        _rounded(expected_calibration_error(scores, rows.true)),
        _rounded(brier_score(scores, rows.true)),
    )


def _is_probability(name: str, samples: int | None) -> bool:
    if name not in SIGNALS or SIGNALS[name].scale == "unbounded":
        return False
    return SIGNALS[name].scale != "count" or samples is not None


def _rounded(value: float) -> float:
    return round(value, 4)
