"""Metrics of checks; needs OpenTelemetry's API."""

from __future__ import annotations

from opentelemetry.context import Context
from opentelemetry.metrics import MeterProvider, get_meter

from franq_guard.tracing import names
from franq_guard.tracing.record import Record

_TENTHS = [tenth / 10 for tenth in range(1, 10)]


class Metrics:
    """Counters and histograms; attributes are few and of few values.

    Args:
        provider: other than the application's.
    """

    def __init__(self, provider: MeterProvider | None = None) -> None:
        meter = get_meter(names.SCOPE, meter_provider=provider)
        self._answers = meter.create_counter(
            names.METRIC_ANSWERS, unit="{answer}", description="Answers checked, by decision and form."
        )
        self._claims = meter.create_counter(
            names.METRIC_CLAIMS, unit="{claim}", description="Claims found, by action and verdict."
        )
        self._unchecked = meter.create_counter(
            names.METRIC_UNCHECKED, unit="{claim}", description="Claims that could not be checked."
        )
        self._errors = meter.create_counter(
            names.METRIC_ERRORS, unit="{error}", description="Checks that failed, by type of error."
        )
        self._p_true = meter.create_histogram(
            names.METRIC_P_TRUE,
            unit="1",
            description="P(true) of claims.",
            explicit_bucket_boundaries_advisory=_TENTHS,
        )
        self._duration = meter.create_histogram(
            names.METRIC_DURATION,
            unit="s",
            description="Time that a check took, with its batch.",
        )

    def record(self, record: Record, context: Context) -> None:
        """Records one answer; exemplars point to the span in `context`."""
        answer = {"decision": record.decision, "form": record.form}
        self._answers.add(1, answer, context)
        if "total" in record.timings:
            self._duration.record(record.timings["total"], answer, context)
        if record.error_type is not None:
            self._errors.add(1, {names.ERROR_TYPE: record.error_type}, context)
        for claim in record.claims:
            self._claims.add(1, {"action": claim.action, "verdict": claim.verdict}, context)
            if claim.p_true is not None:
                self._p_true.record(claim.p_true, {"verdict": claim.verdict}, context)
            if claim.unchecked:
                self._unchecked.add(1, {"form": record.form}, context)
