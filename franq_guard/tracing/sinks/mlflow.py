"""MLflow: assessments on the trace of the answer."""

from __future__ import annotations

from typing import Any

from franq_guard.tracing import names
from franq_guard.tracing.record import Record
from franq_guard.tracing.sink import BaseSink, RetryLaterError, UncorrelatedError, missing_package
from franq_guard.tracing.sinks.scores import Score, scores


class MLflowSink(BaseSink):
    """Logs assessments to the tracking store that the application has set.

    MLflow stores a trace when its outermost span ends; until then records wait and are tried again.

    Args:
        claims: whether to log an assessment for each claim besides the answer's.
        options: see `BaseSink`.

    Raises:
        ConfigError: if MLflow is not installed.
    """

    name = "mlflow"

    def __init__(self, *, claims: bool = True, **options: Any) -> None:
        super().__init__(**options)
        try:
            from mlflow import log_feedback
        except ImportError as error:
            raise missing_package(self.name, "mlflow", error) from error
        self._log_feedback = log_feedback
        self._claims = claims

    def emit(self, record: Record) -> None:
        """Logs the answer's assessments, and one for each claim.

        Raises:
            UncorrelatedError: if no MLflow trace is known.
            RetryLaterError: if the trace is not stored yet.
        """
        from mlflow.exceptions import MlflowException
        from mlflow.protos.databricks_pb2 import RESOURCE_DOES_NOT_EXIST, ErrorCode

        trace_id = record.correlation.mlflow_trace_id
        if trace_id is None:
            raise UncorrelatedError(
                "no MLflow trace is known; check inside one, or pass "
                "correlation=Correlation(mlflow_trace_id=...)"
            )
        for score in scores(record, claims=self._claims):
            try:
                self._log(score, trace_id, record.correlation.mlflow_span_id)
            except MlflowException as error:
                if error.error_code == ErrorCode.Name(RESOURCE_DOES_NOT_EXIST):
                    raise RetryLaterError(f"MLflow has no trace {trace_id}") from error
                raise

    def flush(self) -> None:
        """Has MLflow store the traces that have ended, so that waiting records find them."""
        from mlflow import flush_trace_async_logging

        flush_trace_async_logging()

    def _log(self, score: Score, trace_id: str, span_id: str | None) -> None:
        from mlflow.entities import AssessmentError, AssessmentSource

        failed = score.error_type is not None and score.value is None
        self._log_feedback(
            trace_id=trace_id,
            name=score.name,
            value=score.value,
            source=AssessmentSource(source_type=names.CODE, source_id=names.SCOPE),
            error=AssessmentError(error_code=str(score.error_type)) if failed else None,
            rationale=score.explanation,
            metadata={key: str(value) for key, value in score.metadata.items()},
            span_id=span_id,
        )
