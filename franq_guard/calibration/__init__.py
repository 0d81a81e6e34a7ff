"""Isotonic maps from signals to probabilities: fitted, applied, saved and loaded."""

from __future__ import annotations

from franq_guard.calibration.calibrator import (
    CalibrationCard,
    Calibrator,
    Components,
    Form,
    Mode,
    Split,
)

__all__ = ["CalibrationCard", "Calibrator", "Components", "Form", "Mode", "Split"]
