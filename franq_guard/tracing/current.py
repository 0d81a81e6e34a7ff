"""Ids of the spans and runs that are current on this thread or task, from libraries already in use."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

logger = logging.getLogger(__name__)

Ids = dict[str, Any]


def current_ids() -> Ids:
    """Fields of a `Correlation`; libraries that the application has not imported are left alone."""
    found: Ids = {}
    for library, read in _READERS:
        module = sys.modules.get(library)
        if module is None:
            continue
        try:
            found = read(module) | found
        except Exception as error:  # another library's state must never fail a check
            logger.debug("no current ids from %s: %s: %s", library, type(error).__name__, error)
    return found


def _opentelemetry(trace: Any) -> Ids:
    return _span_ids(trace.get_current_span())


def _openinference(langchain: Any) -> Ids:
    # Inside a Runnable the current OpenTelemetry span is not the Runnable's; this library knows it.
    span = langchain.get_current_span()
    return {} if span is None else _span_ids(span)


def _span_ids(span: Any) -> Ids:
    context = span.get_span_context()
    if not context.is_valid:
        return {}
    return {
        "trace_id": f"{context.trace_id:032x}",
        "span_id": f"{context.span_id:016x}",
        "sampled": bool(context.trace_flags.sampled),
    }


def _langsmith(helpers: Any) -> Ids:
    run = helpers.get_current_run_tree()
    return {} if run is None else {"run_id": str(run.id), "root_run_id": str(run.trace_id)}


def _langchain(config: Any) -> Ids:
    current = config.var_child_runnable_config.get() or {}
    run_id = getattr(current.get("callbacks"), "parent_run_id", None)
    return {} if run_id is None else {"run_id": str(run_id)}


def _mlflow(mlflow: Any) -> Ids:
    span = mlflow.get_current_active_span()
    if span is None or not str(span.trace_id).startswith("tr-"):
        return {}
    return {"mlflow_trace_id": span.trace_id, "mlflow_span_id": span.span_id}


_READERS: tuple[tuple[str, Callable[[Any], Ids]], ...] = (
    ("openinference.instrumentation.langchain", _openinference),
    ("opentelemetry.trace", _opentelemetry),
    ("langsmith.run_helpers", _langsmith),
    ("langchain_core.runnables.config", _langchain),
    ("mlflow", _mlflow),
)
"""First come, first served: what an earlier one found stays."""
