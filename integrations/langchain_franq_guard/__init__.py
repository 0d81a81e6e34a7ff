"""franq_guard for LangChain: a chain step, a callback handler, agent middleware, a document filter."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from franq_guard.blocking import AnswerBlockedError

    from .compressor import FranqDocumentCompressor
    from .events import CLAIM_EVENT
    from .evidence import FranqEvidence
    from .guardrail import FranqGuardrail
    from .handler import FranqCallbackHandler
    from .middleware import FranqGuardMiddleware
    from .node import franq_guard_node
    from .prompts import UNCERTAINTY_CLAUSE, with_uncertainty_clause
    from .sharing import language_model_from

_HOMES = {
    "AnswerBlockedError": "franq_guard.blocking",
    "CLAIM_EVENT": ".events",
    "FranqCallbackHandler": ".handler",
    "FranqDocumentCompressor": ".compressor",
    "FranqEvidence": ".evidence",
    "FranqGuardMiddleware": ".middleware",
    "FranqGuardrail": ".guardrail",
    "UNCERTAINTY_CLAUSE": ".prompts",
    "franq_guard_node": ".node",
    "language_model_from": ".sharing",
    "with_uncertainty_clause": ".prompts",
}

__all__ = [
    "CLAIM_EVENT",
    "UNCERTAINTY_CLAUSE",
    "AnswerBlockedError",
    "FranqCallbackHandler",
    "FranqDocumentCompressor",
    "FranqEvidence",
    "FranqGuardMiddleware",
    "FranqGuardrail",
    "franq_guard_node",
    "language_model_from",
    "with_uncertainty_clause",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'langchain_franq_guard' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(_HOMES[name], __name__), name)
    except ModuleNotFoundError as error:
        if error.name != "langchain_core":
            raise
        raise ImportError(
            f"{name} needs langchain-core 1.0 or later: pip install 'franq-guard[langchain]'"
        ) from error


def __dir__() -> list[str]:
    return sorted(__all__)
