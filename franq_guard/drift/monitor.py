"""Compares the signals of recent answers with those that a calibrator was fitted on.

Answers are taken in windows that do not overlap. At the end of a window each signal is compared bin by bin
with the reference (chi-squared test of homogeneity), with as many observations as there are independent
answers, not claims. A signal has drifted if that is significant and the difference is large enough to matter.

Each window is judged by itself, so that looking after every window inflates nothing: on average at most
`FALSE_ALARMS` of the windows raise a false alarm.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.drift.sketch import Reference, SignalSketch

FALSE_ALARMS = 0.001
"""Share of the windows that may raise a false alarm, all signals together."""

SMALLEST_PSI = 0.1
"""Population stability indices below this are too small to matter, however many answers there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalDrift:
    """One signal in one window.

    Attributes:
        name: of the signal, as in the reference.
        psi: population stability index, at least 0: 0.1 is a moderate shift, 0.25 a large one.
        p_value: of the hypothesis that nothing changed, in [0, 1].
        drifted: whether it is both significant and large enough to matter.
        shares: of the window's values in each bin of the reference.
        expected: the reference's own shares.
    """

    name: str
    psi: float
    p_value: float
    drifted: bool
    shares: tuple[float, ...]
    expected: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReport:
    """Where a monitor stands.

    Attributes:
        form: "long" or "short" answers.
        calibrator: id of the calibrator that the reference belongs to.
        window: answers in a window.
        pending: answers in the window that is being filled.
        windows: full windows so far.
        alarms: how many of them had drifted.
        signals: the last full window, one entry a signal; empty before there is one.
    """

    form: str
    calibrator: str
    window: int
    pending: int
    windows: int
    alarms: int
    signals: tuple[SignalDrift, ...] = ()

    @property
    def drifted(self) -> bool:
        """True if a signal of the last full window has drifted."""
        return any(signal.drifted for signal in self.signals)

    def metrics(self) -> dict[str, float]:
        """Numbers for a dashboard: "drifted" (0 or 1), "alarms", "windows", and "psi.NAME" of each signal."""
        numbers = {"drifted": float(self.drifted), "alarms": self.alarms, "windows": self.windows}
        return numbers | {f"psi.{signal.name}": signal.psi for signal in self.signals}

    def __str__(self) -> str:
        found = ", ".join(f"{s.name} (PSI {s.psi:.2f})" for s in self.signals if s.drifted) or "nothing"
        return (
            f"{found} of {self.form} form differs from what calibrator {self.calibrator} was fitted on,"
            f" over the last {self.window} answers"
        )


class DriftMonitor:
    """Watches the signals of one form; memory does not grow, and it is safe to share between threads.

    Args:
        reference: of the calibrator.
        form: "long" or "short".
        calibrator: its id.
        window: answers in a window, at least 1; under some 100, few shifts are significant.
    """

    def __init__(self, reference: Reference, *, form: str, calibrator: str, window: int) -> None:
        self._reference = reference
        self._form, self._calibrator, self._window = form, calibrator, window
        self._lock = threading.Lock()
        self._windows = self._alarms = 0
        self._last: tuple[SignalDrift, ...] = ()
        self._begin()

    def observe(self, claims: Sequence[Mapping[str, float | None]]) -> DriftReport | None:
        """Takes one answer's claims.

        Args:
            claims: values by the name of the signal; what is missing, None or NaN is not counted.

        Returns:
            The report, if this answer filled a window; else None. An answer without claims is not counted.
        """
        if not claims:
            return None
        binned = [_counts(sketch, claims) for sketch in self._reference.signals]
        with self._lock:
            for row, counts in enumerate(binned):
                self._shares[row] += counts
                self._squares[row] += counts.sum() ** 2
            self._pending += 1
            if self._pending < self._window:
                return None
            self._last = self._judged()
            self._windows += 1
            self._alarms += any(signal.drifted for signal in self._last)
            self._begin()
            return self._report()

    def report(self) -> DriftReport:
        """Where it stands now."""
        with self._lock:
            return self._report()

    def _begin(self) -> None:
        self._pending = 0
        self._shares = [np.zeros(len(sketch.shares)) for sketch in self._reference.signals]
        self._squares = [0.0 for _ in self._reference.signals]

    def _report(self) -> DriftReport:
        return DriftReport(
            form=self._form,
            calibrator=self._calibrator,
            window=self._window,
            pending=self._pending,
            windows=self._windows,
            alarms=self._alarms,
            signals=self._last,
        )

    def _judged(self) -> tuple[SignalDrift, ...]:
        rate = FALSE_ALARMS / len(self._reference.signals)
        return tuple(
            compare(
                sketch,
                counts,
                answers=counts.sum() ** 2 / squares,
                reference=self._reference.answers,
                rate=rate,
            )
            for sketch, counts, squares in zip(
                self._reference.signals, self._shares, self._squares, strict=True
            )
            if squares
        )


def compare(
    sketch: SignalSketch, counts: FloatArray, *, answers: float, reference: float, rate: float
) -> SignalDrift:
    """Tests whether values come from the distribution of a sketch.

    Args:
        sketch: the reference.
        counts: values in each of its bins, shape (B,), not all 0.
        answers: independent answers that the values are worth; see `franq_guard.drift.sketch.worth`.
        reference: likewise of the sketch.
        rate: of false alarms, in (0, 1).
    """
    from scipy.special import chdtrc

    expected = np.asarray(sketch.shares) / sum(sketch.shares)
    shares = counts / counts.sum()
    pooled = (answers * shares + reference * expected) / (answers + reference)
    seen = pooled > 0
    squares = np.square(shares - expected)[seen] / pooled[seen]
    statistic = squares.sum() / (1 / answers + 1 / reference)
    p_value = float(chdtrc(max(1, int(seen.sum()) - 1), statistic))
    psi = _psi(shares, expected, answers, reference)
    return SignalDrift(
        name=sketch.name,
        psi=psi,
        p_value=p_value,
        drifted=p_value <= rate and psi >= SMALLEST_PSI,
        shares=tuple(round(float(share), 4) for share in shares),
        expected=sketch.shares,
    )


def _psi(shares: FloatArray, expected: FloatArray, answers: float, reference: float) -> float:
    # Half an answer in each bin: an empty bin is not infinitely far from a nearly empty one.
    def smooth(values: FloatArray, count: float) -> FloatArray:
        smoothed: FloatArray = (values * count + 0.5) / (count + 0.5 * values.size)
        return smoothed

    now, then = smooth(shares, answers), smooth(expected, reference)
    return float(((now - then) * np.log(now / then)).sum())


def _counts(sketch: SignalSketch, claims: Sequence[Mapping[str, float | None]]) -> FloatArray:
    values = np.array([claim.get(sketch.name) for claim in claims], dtype=np.float64)
    known = values[~np.isnan(values)]
    return np.bincount(sketch.bins(known), minlength=len(sketch.shares)).astype(np.float64)
