"""Calibrators: what turns raw signals into probabilities that hold up.

Both conditional probabilities of the FRANQ score go through an isotonic regression fitted on labelled claims
(arXiv 2505.21072 eq. 6): each on all claims ("calibrated"), or each on its own side of the split into
faithful and unfaithful claims ("condition", the paper's main method). The targets are always factuality
labels. A calibrator stores only the knots: it is small, needs no scikit-learn to be used, and can be read.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray, as_vector, equal_lengths
from franq_guard.calibration.isotonic import MonotoneMap
from franq_guard.calibration.risk_control import Promise
from franq_guard.drift.sketch import Reference
from franq_guard.errors import CalibrationError
from franq_guard.uncertainty import as_confidence, get_signal

Mode = Literal["none", "calibrated", "condition"]
Split = Literal["alignment", "gold"]
Form = Literal["long", "short"]


class Components(NamedTuple):
    """The three parts of the FRANQ score, each of shape (N,) and in [0, 1] or NaN."""

    p_faithful: FloatArray
    p_true_if_faithful: FloatArray
    p_true_if_unfaithful: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCard:
    """What a calibrator was fitted on, and how well.

    Attributes:
        n: rows used.
        n_faithful: of them, faithful by the split.
        n_unfaithful: of them, unfaithful by the split.
        dropped: rows left out because a signal or label was missing.
        true_rate: share of true claims.
        ece_before: expected calibration error (10 bins) of the uncalibrated score; None if a signal is no
            probability without calibration.
        ece_after: of the calibrated score, on the fitting rows themselves.
        brier_before: Brier score of the uncalibrated score; None likewise.
        brier_after: of the calibrated score, on the fitting rows themselves.
        notes: what was unusual, such as a side of the split too small to be fitted on its own.
        date: of the fit, ISO 8601.
        package_version: of franq_guard at the fit.
        promise: the threshold that keeps the share of false claims low, and what that rests on; None if none
            was asked for.
        reference: how the signals were distributed, to notice when they no longer are; None if not recorded.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "allow_inf_nan": False, "strict": True}

    n: int
    n_faithful: int
    n_unfaithful: int
    dropped: int
    true_rate: float
    ece_before: float | None
    ece_after: float
    brier_before: float | None
    brier_after: float
    notes: tuple[str, ...]
    date: str
    package_version: str
    promise: Promise | None = None
    reference: Reference | None = None

    def __post_init__(self) -> None:
        if min(self.n_faithful, self.n_unfaithful, self.dropped) < 0:
            raise ValueError("counts of rows must not be negative")
        if self.n != self.n_faithful + self.n_unfaithful:
            raise ValueError(
                f"{self.n} rows are not {self.n_faithful} faithful + {self.n_unfaithful} unfaithful"
            )
        rates = (self.true_rate, self.ece_before, self.ece_after, self.brier_before, self.brier_after)
        if not all(rate is None or 0 <= rate <= 1 for rate in rates):
            raise ValueError(f"rates and errors must lie in [0, 1], got {rates}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrator:
    """Monotone maps from two signals to P(true | faithful) and P(true | unfaithful).

    Build it with `fit` or `load`.

    Attributes:
        mode: "none" (no maps), "calibrated" (both fitted on all rows) or "condition" (each on its own side).
        split: what made a row faithful: "alignment" above `threshold`, or "gold" labels.
        threshold: of the alignment score, strict.
        form: "long" or "short" answers.
        signals: names of the signal if faithful and the signal if unfaithful.
        samples: how many answers were sampled for each question; None in long form.
        language_model: id of the model that gave the signals; None if not recorded.
        alignment_model: id of the model that gave the alignment scores; None if not recorded.
        if_faithful: from the first signal; None in mode "none".
        if_unfaithful: from the second signal; None in mode "none".
        faithful: from the alignment score to P(faithful); None if that is used as it is.
        card: what it was fitted on.

    Raises:
        ValueError: on construction, if the maps do not fit the mode, or the threshold is out of range.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "allow_inf_nan": False, "strict": True}

    mode: Mode
    split: Split
    threshold: float
    form: Form
    signals: tuple[str, str]
    samples: int | None
    language_model: str | None
    alignment_model: str | None
    if_faithful: MonotoneMap | None
    if_unfaithful: MonotoneMap | None
    faithful: MonotoneMap | None
    card: CalibrationCard

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must lie in [0, 1], got {self.threshold}")
        maps = (self.if_faithful is not None) + (self.if_unfaithful is not None)
        if maps != (0 if self.mode == "none" else 2):
            raise ValueError(f"mode {self.mode!r} does not go with {maps} signal maps")

    @classmethod
    def fit(
        cls,
        alignment: ArrayLike,
        faith_signal: ArrayLike,
        unfaith_signal: ArrayLike,
        true_labels: ArrayLike,
        *,
        mode: Mode = "condition",
        split: Split = "alignment",
        faithful_labels: ArrayLike | None = None,
        threshold: float = 0.5,
        calibrate_faithfulness: bool = False,
        form: Form = "long",
        signals: tuple[str, str] | None = None,
        samples: int | None = None,
        language_model: str | None = None,
        alignment_model: str | None = None,
        min_rows: int = 1,
        groups: ArrayLike | None = None,
        date: str | None = None,
    ) -> Calibrator:
        """Fits both maps by isotonic regression (arXiv 2505.21072 eq. 6).

        Rows with a NaN or None anywhere are left out and counted in the card. Where a side of the split has
        fewer than 2 rows, its map is fitted on all rows, and the card says so.

        Args:
            alignment: AlignScore-style P(faithful), shape (N,), in [0, 1].
            faith_signal: a confidence, higher is likelier true, shape (N,); log-probabilities, not
                probabilities. -inf counts as -1e4.
            unfaith_signal: likewise.
            true_labels: 1 or True for a true claim, 0 or False for a false one, shape (N,).
            mode: which rows each map is fitted on; "none" fits nothing, as a baseline.
            split: faithful is an alignment score above `threshold`, or a label in `faithful_labels`.
            faithful_labels: 1 or 0, shape (N,); for `split="gold"` and `calibrate_faithfulness`.
            threshold: of the alignment score, strict.
            calibrate_faithfulness: also fit a map from alignment score to gold faithfulness; an ablation.
            form: "long" or "short" answers.
            signals: names of the two signals; by default those of the form.
            samples: how many answers were sampled for each question, in short form.
            language_model: id of the model that gave the signals.
            alignment_model: id of the model that gave the alignment scores.
            min_rows: steps of the two maps that rest on fewer rows are merged with a neighbour, so that a
                handful of rows at an end cannot claim certainty; 1 is plain isotonic regression.
            groups: which question each row belongs to, shape (N,), so that the card can say how much the rows
                tell about the distribution of signals; None if every row stands alone.
            date: of the fit, ISO 8601; by default today in UTC.

        Returns:
            A calibrator bound to these signals and models.

        Raises:
            InputError: if lengths differ or a value is impossible; the text names its row.
            ConfigError: if a setting is unknown or needs `faithful_labels`.
            CalibrationError: if fewer than 3 rows are left, or all of them are true, or all false.
        """
        from franq_guard.calibration.fitting import fit

        return fit(
            alignment,
            faith_signal,
            unfaith_signal,
            true_labels,
            faithful_labels,
            mode=mode,
            split=split,
            threshold=threshold,
            calibrate_faithfulness=calibrate_faithfulness,
            form=form,
            signals=signals,
            samples=samples,
            language_model=language_model,
            alignment_model=alignment_model,
            min_rows=min_rows,
            groups=groups,
            date=date,
        )

    def apply(self, alignment: ArrayLike, faith_signal: ArrayLike, unfaith_signal: ArrayLike) -> Components:
        """The parts of the FRANQ score; both maps are applied to every claim. `franq.mix` puts them together.

        Args:
            alignment: AlignScore-style P(faithful), shape (N,); clipped to [0, 1].
            faith_signal: the first of `signals`, as a confidence, shape (N,); beyond the fitted range the
                nearest knot counts.
            unfaith_signal: the second of `signals`, likewise.

        Returns:
            Three arrays of shape (N,), in [0, 1]; each NaN where its own input is NaN.

        Raises:
            InputError: if lengths differ or a signal is impossible (+inf, or a log-probability above 0).
        """
        scores = as_vector(alignment, "alignment")
        first = as_confidence(self.signals[0], faith_signal, "faith_signal")
        second = as_confidence(self.signals[1], unfaith_signal, "unfaith_signal")
        equal_lengths(alignment=scores, faith_signal=first, unfaith_signal=second)
        if self.if_faithful is None or self.if_unfaithful is None:
            if_faithful, if_unfaithful = (
                get_signal(name).probability(values, samples=self.samples)
                for name, values in zip(self.signals, (first, second), strict=True)
            )
        else:
            if_faithful, if_unfaithful = self.if_faithful(first), self.if_unfaithful(second)
        clipped = np.clip(scores, 0.0, 1.0)
        return Components(
            clipped if self.faithful is None else self.faithful(clipped), if_faithful, if_unfaithful
        )

    def content(self) -> dict[str, Any]:
        """Plain data; what the card leaves open is left out, as in files of before it could be said."""
        content = asdict(self)
        for name in ("promise", "reference"):
            if content["card"][name] is None:
                del content["card"][name]
        return content

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits that depend on all of the content but the date and package version."""
        content = self.content()
        del content["card"]["date"], content["card"]["package_version"]
        text = json.dumps(content, sort_keys=True, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def require(
        self,
        *,
        signals: tuple[str, str] | None = None,
        language_model: str | None = None,
        alignment_model: str | None = None,
        form: Form | None = None,
        samples: int | None = None,
        force: bool = False,
    ) -> None:
        """Checks that this calibrator was fitted for a set-up; what is None is not checked.

        Signals of another model, or of another number of samples, have another scale: calibrating them gives
        numbers that look like probabilities and are not.

        Raises:
            CalibrationError: if it was fitted for something else, or does not say, unless `force` is set; the
                text lists every difference.
        """
        wanted = {
            "signals": signals,
            "language_model": language_model,
            "alignment_model": alignment_model,
            "form": form,
            "samples": samples,
        }
        differences = [
            f"{name.replace('_', ' ')}: fitted for {getattr(self, name)!r}, used with {value!r}"
            for name, value in wanted.items()
            if value is not None and getattr(self, name) != value
        ]
        if differences and not force:
            raise CalibrationError(
                f"calibrator {self.id} does not fit here: {'; '.join(differences)}. Fit one for this set-up"
                " with `franq-guard calibrate`, or use it all the same with force_calibration=True"
            )

    def to_json(self) -> str:
        """One line of ASCII JSON; `from_json` gives an equal calibrator back."""
        from franq_guard.calibration.file import dumps

        return dumps(self)

    @classmethod
    def from_json(cls, text: str) -> Calibrator:
        """Inverse of `to_json`.

        Raises:
            CalibrationError: if the text is not the JSON of a calibrator, or was changed; it says where.
        """
        from franq_guard.calibration.file import loads

        return loads(text)

    def save(self, path: str | Path) -> None:
        """Writes a file of JSON, whole or not at all."""
        from franq_guard.calibration.file import write

        write(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Calibrator:
        """Reads what `save` wrote.

        Raises:
            CalibrationError: if the file cannot be read, is damaged, was changed, or has another version.
        """
        from franq_guard.calibration.file import read

        return read(Path(path))
