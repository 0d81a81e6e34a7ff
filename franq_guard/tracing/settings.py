"""Tracing sinks as they are written in a configuration: a name, or a table with a name and options."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from franq_guard.tracing.sink import QUEUE_SIZE

SpanKind = Literal["guardrail", "evaluator"]
Lines = Literal["claims", "answers"]


class SinkSettings(BaseModel):
    """What every sink has.

    Attributes:
        sink: its name.
        capture_content: whether records bring the texts of question, passages and answer.
        mask: "module:function" that is called with every text that records bring.
        queue_size: records that wait at most; those beyond are dropped and counted.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sink: str
    capture_content: bool = False
    mask: Annotated[str, Field(pattern=r"^[\w.]+:[\w.]+$")] | None = None
    queue_size: Annotated[int, Field(ge=1)] = QUEUE_SIZE

    def options(self) -> dict[str, Any]:
        """Keywords for the sink's constructor, except `mask`."""
        return self.model_dump(exclude={"sink", "mask"})


class OpenTelemetrySettings(SinkSettings):
    """Spans, events and metrics through the providers that the application has set up.

    Attributes:
        span_kind: what OpenInference calls the span.
        spans: whether to write a span for each check.
        events: whether to write an event for each answer and claim.
        metrics: whether to record metrics.
    """

    sink: Literal["opentelemetry"] = "opentelemetry"
    span_kind: SpanKind = "guardrail"
    spans: bool = True
    events: bool = True
    metrics: bool = True


class LangSmithSettings(SinkSettings):
    """Feedback on LangSmith runs; address and key come from LangSmith's own environment variables.

    Attributes:
        project: name of the project that the runs are in; None for LangSmith's own setting.
        extend_trace_retention: whether feedback moves a trace to the longer, dearer retention.
        claims: whether to give feedback for each claim besides the answer's.
    """

    sink: Literal["langsmith"] = "langsmith"
    project: str | None = None
    extend_trace_retention: bool = False
    claims: bool = True


class LangfuseSettings(SinkSettings):
    """Scores on Langfuse traces; address and keys come from Langfuse's own environment variables.

    Attributes:
        public_key: which client, where the application has several; None for the only one.
        claims: whether to give a score for each claim besides the answer's.
    """

    sink: Literal["langfuse"] = "langfuse"
    public_key: str | None = None
    claims: bool = True


class MLflowSettings(SinkSettings):
    """Assessments on MLflow traces, in the tracking store that the application has set.

    Attributes:
        claims: whether to log an assessment for each claim besides the answer's.
    """

    sink: Literal["mlflow"] = "mlflow"
    claims: bool = True


class PhoenixSettings(SinkSettings):
    """Annotations on Phoenix spans; the key comes from Phoenix's own environment variables.

    Attributes:
        base_url: address of the server; None for Phoenix's own setting.
        claims: whether to annotate for each claim besides the answer's.
    """

    sink: Literal["phoenix"] = "phoenix"
    base_url: str | None = None
    claims: bool = True


class JsonlSettings(SinkSettings):
    """A file with one JSON object a line.

    Attributes:
        path: the file; missing folders are made.
        lines: "claims" writes a row for each scored claim, as `franq-guard label` reads them; "answers" one
            line for each answer, with all of its claims.
        max_bytes: size at which the file is put aside as PATH.1; None never does.
        backups: files put aside that are kept; the oldest is deleted.
    """

    sink: Literal["jsonl"] = "jsonl"
    path: Path
    lines: Lines = "claims"
    max_bytes: Annotated[int, Field(ge=1)] | None = 50_000_000
    backups: Annotated[int, Field(ge=1)] = 5


class CustomSettings(SinkSettings):
    """A sink of the user's own.

    Attributes:
        sink: "module:name" of a class or function that gives the sink.
        kwargs: its keywords.
    """

    sink: Annotated[str, Field(pattern=r"^[\w.]+:[\w.]+$")]
    kwargs: dict[str, Any] = Field(default_factory=dict)


def _names() -> list[str]:
    return [get_args(kind.model_fields["sink"].annotation)[0] for kind in _BUILT_IN]


_BUILT_IN = (
    OpenTelemetrySettings,
    LangSmithSettings,
    LangfuseSettings,
    MLflowSettings,
    PhoenixSettings,
    JsonlSettings,
)
NAMES: tuple[str, ...] = tuple(_names())
"""Sinks that are known by name."""


def _kind(value: Any) -> str:
    name = value.get("sink") if isinstance(value, Mapping) else getattr(value, "sink", None)
    return str(name) if name in NAMES else "custom"


AnySinkSettings = Annotated[
    Annotated[OpenTelemetrySettings, Tag("opentelemetry")]
    | Annotated[LangSmithSettings, Tag("langsmith")]
    | Annotated[LangfuseSettings, Tag("langfuse")]
    | Annotated[MLflowSettings, Tag("mlflow")]
    | Annotated[PhoenixSettings, Tag("phoenix")]
    | Annotated[JsonlSettings, Tag("jsonl")]
    | Annotated[CustomSettings, Tag("custom")],
    Discriminator(_kind),
]


def as_tables(value: Any) -> Any:
    """A list of tables from all that may be written: a name, a table, or a list of both.

    A text may name several sinks, with commas between them, or be JSON, as in an environment variable.

    Raises:
        ValueError: if a name is not known, or the value is of another kind.
    """
    if isinstance(value, str):
        text = value.strip()
        parts = text.split(",") if not text.startswith(("[", "{")) else None
        value = json.loads(text) if parts is None else [part.strip() for part in parts if part.strip()]
    if isinstance(value, Mapping | SinkSettings):
        value = [value]
    if not isinstance(value, Iterable):
        raise ValueError(f"expected names of sinks or tables, not {type(value).__name__}")
    return tuple(_table(item) for item in value)


def _table(item: Any) -> Any:
    if isinstance(item, SinkSettings):
        return item
    table = {"sink": item} if isinstance(item, str) else item
    if not isinstance(table, Mapping):
        raise ValueError(f"expected the name of a sink or a table, not {type(item).__name__}")
    name = table.get("sink")
    if name not in NAMES and not (isinstance(name, str) and ":" in name):
        given = "a table without `sink`" if name is None else f"no tracing sink {name!r}"
        raise ValueError(f"{given}; use one of {', '.join(NAMES)}, or 'module:name' for one of your own")
    return table
