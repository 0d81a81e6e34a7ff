"""Where scores go besides the report: to the traces, metrics and files that teams already look at.

Importing this package loads no tracing library; names are resolved on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from franq_guard.tracing.correlation import Correlation
    from franq_guard.tracing.dispatcher import Tracing
    from franq_guard.tracing.record import ClaimRecord, EvidenceRecord, PassageRecord, Record
    from franq_guard.tracing.sink import BaseSink, Mask, RetryLaterError, Sink, UncorrelatedError
    from franq_guard.tracing.sinks.jsonl import JsonlSink
    from franq_guard.tracing.sinks.langfuse import LangfuseSink
    from franq_guard.tracing.sinks.langsmith import LangSmithSink
    from franq_guard.tracing.sinks.mlflow import MLflowSink
    from franq_guard.tracing.sinks.opentelemetry import OpenTelemetrySink
    from franq_guard.tracing.sinks.phoenix import PhoenixSink
    from franq_guard.tracing.worker import SinkStats

_HOMES = {
    "BaseSink": "sink",
    "ClaimRecord": "record",
    "Correlation": "correlation",
    "EvidenceRecord": "record",
    "JsonlSink": "sinks.jsonl",
    "LangSmithSink": "sinks.langsmith",
    "LangfuseSink": "sinks.langfuse",
    "MLflowSink": "sinks.mlflow",
    "Mask": "sink",
    "OpenTelemetrySink": "sinks.opentelemetry",
    "PassageRecord": "record",
    "PhoenixSink": "sinks.phoenix",
    "Record": "record",
    "RetryLaterError": "sink",
    "Sink": "sink",
    "SinkStats": "worker",
    "Tracing": "dispatcher",
    "UncorrelatedError": "sink",
}

__all__ = [
    "BaseSink",
    "ClaimRecord",
    "Correlation",
    "EvidenceRecord",
    "JsonlSink",
    "LangSmithSink",
    "LangfuseSink",
    "MLflowSink",
    "Mask",
    "OpenTelemetrySink",
    "PassageRecord",
    "PhoenixSink",
    "Record",
    "RetryLaterError",
    "Sink",
    "SinkStats",
    "Tracing",
    "UncorrelatedError",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"franq_guard.tracing.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'franq_guard.tracing' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
