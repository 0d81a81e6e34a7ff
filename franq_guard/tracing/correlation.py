"""Which runs and spans an answer belongs to: the ids under which its scores are filed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from franq_guard.errors import InputError

_HEX = {"trace_id": 32, "span_id": 16, "model_span_id": 16}
"""Ids of the W3C trace context, and how many digits each has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """Ids of the runs and spans around one answer; None where not known.

    Attributes:
        run_id: LangChain or LangSmith run that produced the answer (a UUID as text).
        root_run_id: the root of that run's tree, which LangSmith calls the trace (a UUID as text).
        trace_id: OpenTelemetry trace, 32 hexadecimal digits; Langfuse and Phoenix use the same.
        span_id: span during which the answer was checked, 16 hexadecimal digits; Langfuse calls it the
            observation.
        model_span_id: span of the model call that wrote the answer, 16 hexadecimal digits.
        sampled: False if the trace was sampled out, so that nothing is recorded for it.
        session_id: conversation or thread that the answer is part of.
        response_id: the model provider's id of the response (`gen_ai.response.id`).
        mlflow_trace_id: MLflow trace ("tr-...").
        mlflow_span_id: MLflow span within it.

    Raises:
        InputError: if an id is not a text, or a trace or span id is not hexadecimal.
    """

    run_id: str | None = None
    root_run_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    model_span_id: str | None = None
    sampled: bool = True
    session_id: str | None = None
    response_id: str | None = None
    mlflow_trace_id: str | None = None
    mlflow_span_id: str | None = None

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name != "sampled"):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, str) or not value:
                raise InputError(
                    f"correlation.{name}: expected a text or None, not {value!r:.60}; write str(...) of an id"
                )
            digits = _HEX.get(name)
            if digits and (not re.fullmatch(rf"[0-9a-f]{{{digits}}}", value) or not int(value, 16)):
                raise InputError(
                    f"correlation.{name}: {value!r:.60} will not do; write {digits} lower-case hexadecimal "
                    "digits that are not all zero"
                )

    @property
    def evaluated_span_id(self) -> str | None:
        """The span whose outcome was checked: the model's if known, else the one around the check."""
        return self.model_span_id or self.span_id

    @classmethod
    def current(cls) -> Correlation:
        """What the tracing libraries that are in use say about this thread or task; imports none of them.

        Looks at the current span of OpenTelemetry (of OpenInference's LangChain instrumentation where there
        is none), the current LangSmith run, else the current LangChain run, and the active MLflow span.
        """
        from franq_guard.tracing.current import current_ids

        return cls(**current_ids())


def as_correlation(value: object) -> Correlation | None:
    """A Correlation from itself, from a mapping of its fields, or None from None.

    Raises:
        InputError: if it is something else, or has an unknown field.
    """
    if value is None or isinstance(value, Correlation):
        return value
    if isinstance(value, Mapping):
        names = [field.name for field in fields(Correlation)]
        unknown = [str(key) for key in value if key not in names]
        if unknown:
            raise InputError(f"correlation: no field {', '.join(unknown)}; the fields are {', '.join(names)}")
        return Correlation(**value)
    raise InputError(f"correlation: expected a Correlation or a mapping, not {type(value).__name__}")
