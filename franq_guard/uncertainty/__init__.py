"""Signals: raw uncertainty numbers of claims, as pure functions of arrays.

One signal a file. No model runs here, and nothing heavy is imported.
"""

from __future__ import annotations

from franq_guard.uncertainty.registry import SIGNALS, Signal, as_confidence, get_signal

__all__ = ["SIGNALS", "Signal", "as_confidence", "get_signal"]
