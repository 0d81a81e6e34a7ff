"""What a guard does about drift: monitors for both forms, a hook, and a warning now and then."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from franq_guard.drift.monitor import DriftMonitor, DriftReport
from franq_guard.schema import GuardReport, ScoredClaim

if TYPE_CHECKING:
    from franq_guard.calibration import Calibrator

logger = logging.getLogger(__name__)

OnDrift = Callable[[DriftReport], None]

# Confidences, as calibrators take them: uncertainties change their sign.
_FIELDS: Mapping[str, tuple[str, float]] = {
    "alignment": ("alignment", 1.0),
    "max_claim_probability": ("max_claim_log_prob", 1.0),
    "parametric_knowledge": ("parametric_log_prob", 1.0),
    "max_nli": ("max_nli", 1.0),
    "semantic_entropy": ("semantic_entropy", -1.0),
    "sum_eigenvalues": ("sum_eigenvalues", -1.0),
}


class DriftWatch:
    """Feeds the reports of a guard to a monitor for each form whose calibrator has a reference.

    Args:
        window: answers in a window; 0 watches nothing.
        period: at least so many seconds lie between two warnings, and between two calls of the hook.
        on_drift: called with the report of a window that has drifted, on the thread that checked the answer.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        *,
        window: int,
        period: float,
        on_drift: OnDrift | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._monitors: dict[str, DriftMonitor] = {}
        self._window, self._period, self._on_drift, self._clock = window, period, on_drift, clock
        self._quiet_until = -float("inf")
        self._lock = threading.Lock()

    def follow(self, calibrator: Calibrator | None, *, hard: bool = False) -> None:
        """Starts to watch answers of a calibrator's form, if its card says how signals were distributed.

        Args:
            calibrator: None is passed over.
            hard: whether faithfulness is hard, so that P(true) is not what the calibrator was fitted with.
        """
        reference = None if calibrator is None else calibrator.card.reference
        if calibrator is None or reference is None or not self._window:
            return
        if hard:
            kept = tuple(sketch for sketch in reference.signals if sketch.name != "p_true")
            reference = replace(reference, signals=kept)
        self._monitors[calibrator.form] = DriftMonitor(
            reference, form=calibrator.form, calibrator=calibrator.id, window=self._window
        )

    def observe(self, report: GuardReport) -> None:
        """Takes a finished report; claims without a probability do not count. Never raises."""
        monitor = self._monitors.get(report.form)
        if monitor is None:
            return
        # Of some claims only the range of P(true) is known: the end that stands for it is no sample of it.
        claims = [
            _values(claim)
            for claim in report.claims
            if claim.p_true is not None and claim.p_true_range is None
        ]
        found = monitor.observe(claims)
        if found is not None and found.drifted and self._may_speak():
            self._speak(found)

    def reports(self) -> tuple[DriftReport, ...]:
        """Where each monitor stands; none for a form without a reference."""
        return tuple(monitor.report() for monitor in self._monitors.values())

    def _may_speak(self) -> bool:
        now = self._clock()
        with self._lock:
            if now < self._quiet_until:
                return False
            self._quiet_until = now + self._period
            return True

    def _speak(self, report: DriftReport) -> None:
        logger.warning(
            "drift: %s: its probabilities may no longer hold; label some and calibrate again", report
        )
        if self._on_drift is None:
            return
        try:
            self._on_drift(report)
        except Exception:
            logger.exception("on_drift failed")


def _values(claim: ScoredClaim) -> dict[str, float | None]:
    found: dict[str, float | None] = {"p_true": claim.p_true}
    for name, (field, sign) in _FIELDS.items():
        value = getattr(claim.signals, field)
        found[name] = None if value is None else sign * value
    return found
