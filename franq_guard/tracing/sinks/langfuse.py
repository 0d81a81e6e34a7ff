"""Langfuse: scores on the trace and the observation that wrote the answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from franq_guard.tracing import names
from franq_guard.tracing.record import Record
from franq_guard.tracing.sink import BaseSink, UncorrelatedError, missing_package
from franq_guard.tracing.sinks.scores import scores

if TYPE_CHECKING:
    from langfuse import Langfuse


class LangfuseSink(BaseSink):
    """Gives scores with ids that depend on trace and claim, so that a repeated check overwrites them.

    Args:
        client: other than the application's.
        public_key: which of the application's clients, if it has several.
        claims: whether to give a score for each claim besides the answer's.
        options: see `BaseSink`.

    Raises:
        ConfigError: if langfuse is not installed.
    """

    name = "langfuse"

    def __init__(
        self,
        *,
        client: Langfuse | None = None,
        public_key: str | None = None,
        claims: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        try:
            import langfuse  # noqa: F401
        except ImportError as error:
            raise missing_package(self.name, "langfuse", error) from error
        self._client = client
        self._public_key = public_key
        self._claims = claims

    def emit(self, record: Record) -> None:
        """Gives scores for the answer, and for each claim.

        Raises:
            UncorrelatedError: if neither trace nor session is known.
            RuntimeError: if the client has no keys.
        """
        correlation = record.correlation
        target = correlation.trace_id or correlation.session_id
        if target is None:
            raise UncorrelatedError(
                "no Langfuse trace is known; check inside an observation, or pass "
                "correlation=Correlation(trace_id=..., span_id=...)"
            )
        if not correlation.sampled:
            return
        client = self._found()
        place: dict[str, Any] = (
            {"trace_id": correlation.trace_id, "observation_id": correlation.evaluated_span_id}
            if correlation.trace_id is not None
            else {"session_id": correlation.session_id}
        )
        for score in scores(record, claims=self._claims):
            if score.value is None:
                continue  # a check that failed has its decision, with the error in the metadata
            error = {} if score.error_type is None else {names.ERROR_TYPE: score.error_type}
            details: dict[str, Any] = place | {
                "name": score.name,
                "score_id": str(score.id(target)),
                "comment": score.explanation,
                "metadata": score.metadata | error,
                "timestamp": datetime.fromtimestamp(record.end_time / 1e9, UTC),
            }
            if score.number is not None:
                client.create_score(value=score.number, data_type="NUMERIC", **details)
            else:
                client.create_score(value=score.label, data_type="CATEGORICAL", **details)

    def flush(self) -> None:
        """Sends what the client collected."""
        if self._client is not None:
            self._client.flush()

    def _found(self) -> Langfuse:
        from langfuse import get_client

        if self._client is None:
            self._client = get_client(public_key=self._public_key)
        if not getattr(self._client, "_tracing_enabled", True):  # it would drop scores without a word
            self._client = None
            raise RuntimeError(
                "the Langfuse client is switched off; set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, and "
                "name the `public_key` where there are several clients"
            )
        return self._client
