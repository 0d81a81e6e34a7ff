"""The ablations of the paper: which components, a hard threshold, how many labels (arXiv 2505.21072, sec. 5).

All are pure: they need the signals alone. Values are points without intervals; they are read as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.calibration import Mode
from franq_guard.errors import CalibrationError
from franq_guard.evaluation.baselines import BASELINES
from franq_guard.evaluation.methods import Data, apply_franq, fit_franq, uncalibrated_franq
from franq_guard.evaluation.metrics import average_precision, prediction_rejection_ratio, roc_auc

CONSTANT = "constant"
THRESHOLDS = (None, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SIZES = {"long": tuple(range(100, 501, 50)), "short": tuple(range(40, 201, 20))}
DRAWS = 10
"""Random subsets of each training size."""

_METRICS = {"roc_auc": roc_auc, "average_precision": average_precision, "prr": prediction_rejection_ratio}
_MODES: tuple[Mode, ...] = ("none", "calibrated", "condition")

Values = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """One table.

    Attributes:
        name: "grid", "threshold" or "training-size".
        columns: what each row's settings are called.
        rows: settings and metrics by name.
    """

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[tuple[str, ...], Values]]


def grid(data: Data, seed: int = 0) -> Ablation:
    """Condition-calibrated FRANQ with every pair of signals, a constant among them.

    Args:
        data: the claims.
        seed: not read; for the common shape.
    """
    names = [
        name
        for name, baseline in BASELINES.items()
        if data.form in baseline.forms
        and not np.isnan(baseline.confidences([*data.calibration, *data.test])).any()
    ]
    pairs = [(a, b) for a in (*names, CONSTANT) for b in (*names, CONSTANT)]
    rows = []
    for pair in pairs:
        found = apply_franq(fit_franq(data, signals=pair, mode="condition"), data.test)
        rows.append((pair, _values(found, data)))
    return Ablation(name="grid", columns=("if faithful", "if unfaithful"), rows=rows)


def threshold(data: Data, seed: int = 0) -> Ablation:
    """Hard faithfulness at several values of the alignment score, beside the continuous mix ("none").

    Args:
        data: the claims.
        seed: not read; for the common shape.
    """
    rows = []
    for mode in _MODES:
        calibrator = None if mode == "none" else fit_franq(data, mode=mode)
        for value in THRESHOLDS:
            if calibrator is None:
                found = uncalibrated_franq(data.test, data.samples, threshold=value)
            else:
                found = apply_franq(calibrator, data.test, threshold=value)
            rows.append(((mode, "none" if value is None else f"{value:g}"), _values(found, data)))
    return Ablation(name="threshold", columns=("calibration", "threshold"), rows=rows)


def training_size(data: Data, seed: int = 0) -> Ablation:
    """Calibration on fewer claims: means over random subsets, which keep whole questions.

    Sizes beyond the calibration claims are left out. Subsets with labels of one class only count for no
    mean; `draws` says how many did count.

    Args:
        data: the claims.
        seed: of the subsets.
    """
    rows = []
    for size in SIZES[data.form]:
        if size > len(data.calibration):
            continue
        for mode in ("calibrated", "condition"):
            found = [values for draw in range(DRAWS) if (values := _drawn(data, size, mode, seed + draw))]
            if not found:
                continue
            means = {name: float(np.mean([values[name] for values in found])) for name in _METRICS}
            spread = {f"{name}_sd": float(np.std([values[name] for values in found])) for name in _METRICS}
            rows.append(((str(size), mode), means | spread | {"draws": float(len(found))}))
    return Ablation(name="training-size", columns=("claims", "calibration"), rows=rows)


AblationName = Literal["grid", "threshold", "training-size"]
ABLATIONS: dict[str, Callable[[Data, int], Ablation]] = {
    "grid": grid,
    "threshold": threshold,
    "training-size": training_size,
}
"""By name."""


def _drawn(data: Data, size: int, mode: str, seed: int) -> Values | None:
    """Metrics after calibration on about `size` claims of randomly chosen questions."""
    questions = sorted({row.question_id for row in data.calibration})
    order = np.random.default_rng(seed).permutation(len(questions))
    rank = {questions[index]: place for place, index in enumerate(order)}
    rows = sorted(data.calibration, key=lambda row: rank[row.question_id])[:size]
    try:
        calibrator = fit_franq(replace(data, calibration=rows), mode=mode)
    except CalibrationError:
        return None
    return _values(apply_franq(calibrator, data.test), data)


def _values(confidence: FloatArray, data: Data) -> Values:
    return {name: metric(confidence, data.true) for name, metric in _METRICS.items()}
