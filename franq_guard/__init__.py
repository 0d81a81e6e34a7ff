"""franq_guard: how likely is each claim of a RAG answer to be true?

Importing the package loads neither torch nor transformers; names are resolved on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from franq_guard.blocking import AnswerBlockedError
    from franq_guard.calibration import Calibrator
    from franq_guard.config import GuardConfig
    from franq_guard.errors import (
        CalibrationError,
        CheckTimeoutError,
        ConfigError,
        FranqGuardError,
        InputError,
        ModelError,
    )
    from franq_guard.guard import Guard
    from franq_guard.policy import Policy
    from franq_guard.retrieval import PassageFinding, Screening
    from franq_guard.schema import (
        Action,
        Claim,
        Coverage,
        Evidence,
        GuardReport,
        Passage,
        ScoredClaim,
        Signals,
        Span,
        Trigger,
        TriggerName,
        Verdict,
        Wording,
    )
    from franq_guard.streaming import StreamedPiece

__version__ = "0.1.0"

_HOMES = {
    "Action": "schema",
    "AnswerBlockedError": "blocking",
    "CalibrationError": "errors",
    "Calibrator": "calibration",
    "CheckTimeoutError": "errors",
    "Claim": "schema",
    "ConfigError": "errors",
    "Coverage": "schema",
    "Evidence": "schema",
    "FranqGuardError": "errors",
    "Guard": "guard",
    "GuardConfig": "config",
    "GuardReport": "schema",
    "InputError": "errors",
    "ModelError": "errors",
    "Passage": "schema",
    "PassageFinding": "retrieval",
    "Policy": "policy",
    "ScoredClaim": "schema",
    "Screening": "retrieval",
    "Signals": "schema",
    "Span": "schema",
    "StreamedPiece": "streaming",
    "Trigger": "schema",
    "TriggerName": "schema",
    "Verdict": "schema",
    "Wording": "schema",
}

__all__ = [
    "Action",
    "AnswerBlockedError",
    "CalibrationError",
    "Calibrator",
    "CheckTimeoutError",
    "Claim",
    "ConfigError",
    "Coverage",
    "Evidence",
    "FranqGuardError",
    "Guard",
    "GuardConfig",
    "GuardReport",
    "InputError",
    "ModelError",
    "Passage",
    "PassageFinding",
    "Policy",
    "ScoredClaim",
    "Screening",
    "Signals",
    "Span",
    "StreamedPiece",
    "Trigger",
    "TriggerName",
    "Verdict",
    "Wording",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"franq_guard.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'franq_guard' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
