"""OpenTelemetry: a span for the check, events for the answer and its claims, and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from franq_guard.tracing import names
from franq_guard.tracing.record import Record
from franq_guard.tracing.settings import SpanKind
from franq_guard.tracing.sink import BaseSink, missing_package
from franq_guard.tracing.sinks.otel_attributes import answer_event, claim_event, span_attributes

if TYPE_CHECKING:
    from opentelemetry._logs import LoggerProvider
    from opentelemetry.context import Context
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

    from franq_guard.tracing.correlation import Correlation


class OpenTelemetrySink(BaseSink):
    """Writes through the providers that the application has set up; without any, nothing is written.

    The span lies under the span during which the answer was checked, with the times of the check. Events
    belong to the model's span if it is known, else to the span around the check, else to the check's own.

    Args:
        span_kind: what OpenInference, and so Phoenix, calls the span: "guardrail" or "evaluator".
        spans: whether to write spans.
        events: whether to write events.
        metrics: whether to record metrics.
        tracer_provider: other than the application's.
        logger_provider: likewise, for events.
        meter_provider: likewise, for metrics.
        options: see `BaseSink`.

    Raises:
        ConfigError: if OpenTelemetry's API is not installed.
    """

    name = "opentelemetry"

    def __init__(
        self,
        *,
        span_kind: SpanKind = "guardrail",
        spans: bool = True,
        events: bool = True,
        metrics: bool = True,
        tracer_provider: TracerProvider | None = None,
        logger_provider: LoggerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        try:
            from opentelemetry import trace
            from opentelemetry._logs import get_logger

            from franq_guard.tracing.sinks.otel_metrics import Metrics
        except ImportError as error:
            raise missing_package(self.name, "otel", error) from error
        self._span_kind = span_kind
        self._events = events
        self._providers = [tracer_provider, logger_provider, meter_provider]
        tracer_provider = tracer_provider if spans else trace.NoOpTracerProvider()
        self._tracer = trace.get_tracer(names.SCOPE, tracer_provider=tracer_provider)
        self._logger = get_logger(names.SCOPE, logger_provider=logger_provider)
        self._metrics = Metrics(meter_provider) if metrics else None

    def emit(self, record: Record) -> None:
        """Writes the span and the events, and records the metrics."""
        from opentelemetry import trace

        correlation = record.correlation
        parent = _context(correlation, correlation.span_id)
        span = self._span(record, parent)
        own = trace.set_span_in_context(span, parent)
        if self._events:
            evaluated = _context(correlation, correlation.evaluated_span_id)
            self._write_events(record, own if correlation.evaluated_span_id is None else evaluated)
        if self._metrics is not None:
            self._metrics.record(record, own)

    def flush(self) -> None:
        """Sends what the providers hold; global ones that can be flushed are flushed too."""
        from opentelemetry import _logs, metrics, trace

        active = trace.get_tracer_provider(), _logs.get_logger_provider(), metrics.get_meter_provider()
        for given, current in zip(self._providers, active, strict=True):
            force_flush = getattr(given or current, "force_flush", None)
            if force_flush is not None:
                force_flush()

    def _span(self, record: Record, parent: Context) -> Span:
        from opentelemetry.trace import SpanKind as Kind
        from opentelemetry.trace import Status, StatusCode

        span = self._tracer.start_span(
            names.SPAN,
            context=parent,
            kind=Kind.INTERNAL,
            attributes=span_attributes(record, self._span_kind),
            start_time=record.start_time,
        )
        if record.error_type is not None:
            span.set_status(Status(StatusCode.ERROR, record.error_type))
        else:
            span.set_status(StatusCode.OK)
        span.end(record.end_time)
        return span

    def _write_events(self, record: Record, context: Context) -> None:
        from opentelemetry._logs import LogRecord

        for attributes in (answer_event(record), *(claim_event(claim, record) for claim in record.claims)):
            self._logger.emit(
                LogRecord(
                    timestamp=record.end_time,
                    observed_timestamp=record.end_time,
                    context=context,
                    event_name=names.EVENT,
                    attributes=attributes,
                )
            )


def _context(correlation: Correlation, span_id: str | None) -> Context:
    """A context whose current span is the one with this id; without a span if the ids are not known."""
    from opentelemetry import trace
    from opentelemetry.context import Context

    if correlation.trace_id is None or span_id is None:
        return Context()
    span_context = trace.SpanContext(
        trace_id=int(correlation.trace_id, 16),
        span_id=int(span_id, 16),
        is_remote=False,
        trace_flags=trace.TraceFlags(
            trace.TraceFlags.SAMPLED if correlation.sampled else trace.TraceFlags.DEFAULT
        ),
    )
    return trace.set_span_in_context(trace.NonRecordingSpan(span_context), Context())
