"""Where scores go besides the report: to the traces, metrics and files that teams already look at.

Importing this package loads no tracing library; names are resolved on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from franq_guard.tracing.correlation import Correlation

_HOMES = {
    "Correlation": "correlation",
}

__all__ = [
    "Correlation",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"franq_guard.tracing.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'franq_guard.tracing' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
