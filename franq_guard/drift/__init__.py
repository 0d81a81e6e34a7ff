"""Does what a guard sees still look like what its calibrator was fitted on?"""

from __future__ import annotations

from franq_guard.drift.monitor import DriftMonitor, DriftReport, SignalDrift
from franq_guard.drift.sketch import Reference, SignalSketch
from franq_guard.drift.watch import DriftWatch

__all__ = ["DriftMonitor", "DriftReport", "DriftWatch", "Reference", "SignalDrift", "SignalSketch"]
