"""Phoenix: annotations on the span that wrote the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from franq_guard.tracing import names
from franq_guard.tracing.record import Record
from franq_guard.tracing.sink import BaseSink, UncorrelatedError, missing_package
from franq_guard.tracing.sinks.scores import Score, scores

if TYPE_CHECKING:
    from phoenix.client import Client


class PhoenixSink(BaseSink):
    """Annotates spans that reach Phoenix by OpenTelemetry; the guard's own span is another sink's matter.

    Phoenix keeps one annotation for each name, span and identifier, so that a repeated check overwrites it,
    and holds annotations back until their span has arrived.

    Args:
        client: other than one made from Phoenix's environment variables.
        base_url: address of the server; None for Phoenix's own setting.
        claims: whether to annotate for each claim besides the answer's.
        options: see `BaseSink`.

    Raises:
        ConfigError: if arize-phoenix-client is not installed.
    """

    name = "phoenix"

    def __init__(
        self,
        *,
        client: Client | None = None,
        base_url: str | None = None,
        claims: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        try:
            from phoenix.client import Client
        except ImportError as error:
            raise missing_package(self.name, "phoenix", error) from error
        self._client = client or Client(base_url=base_url)
        self._claims = claims

    def emit(self, record: Record) -> None:
        """Annotates for the answer, and for each claim, in one request.

        Raises:
            UncorrelatedError: if no span is known.
        """
        span_id = record.correlation.evaluated_span_id
        if span_id is None:
            raise UncorrelatedError(
                "no span is known; check inside a span of OpenTelemetry, or pass "
                "correlation=Correlation(trace_id=..., span_id=...)"
            )
        if not record.correlation.sampled:
            return
        annotations: Any = [
            _annotation(score, span_id)
            for score in scores(record, claims=self._claims)
            if score.name != names.DECISION  # it is the label of P(true)
        ]
        self._client.spans.log_span_annotations(span_annotations=annotations)


def _annotation(score: Score, span_id: str) -> dict[str, Any]:
    result: dict[str, Any] = {"label": score.label, "explanation": score.explanation}
    if score.number is not None:
        result["score"] = score.number
    error = {} if score.error_type is None else {names.ERROR_TYPE: score.error_type}
    return {
        "name": score.name,
        "annotator_kind": names.CODE,
        "span_id": span_id,
        "identifier": score.subject,
        "result": result,
        "metadata": score.metadata | error,
    }
