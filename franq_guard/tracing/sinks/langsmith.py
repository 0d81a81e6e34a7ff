"""LangSmith: feedback on the run that wrote the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from franq_guard.tracing import names
from franq_guard.tracing.record import Record
from franq_guard.tracing.sink import BaseSink, RetryLaterError, UncorrelatedError, missing_package
from franq_guard.tracing.sinks.scores import scores

if TYPE_CHECKING:
    from langsmith import Client


class LangSmithSink(BaseSink):
    """Gives feedback with ids that depend on run and claim, so that a repeated check overwrites it.

    Args:
        client: other than one made from LangSmith's environment variables.
        project: name of the project that the runs are in; None for LangSmith's own setting.
        extend_trace_retention: whether feedback moves a trace to the longer, dearer retention. Without it
            LangSmith takes feedback one by one, not in batches.
        claims: whether to give feedback for each claim besides the answer's.
        options: see `BaseSink`.

    Raises:
        ConfigError: if langsmith is not installed.
    """

    name = "langsmith"

    def __init__(
        self,
        *,
        client: Client | None = None,
        project: str | None = None,
        extend_trace_retention: bool = False,
        claims: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        try:
            import langsmith
        except ImportError as error:
            raise missing_package(self.name, "langsmith", error) from error
        self._client = client or langsmith.Client()
        self._project = project
        self._extend = extend_trace_retention
        self._claims = claims
        self._project_id: UUID | None = None

    def emit(self, record: Record) -> None:
        """Gives feedback for the answer, and for each claim.

        Raises:
            UncorrelatedError: if no run is known.
            RetryLaterError: if LangSmith does not know the project yet.
        """
        run_id = record.correlation.run_id
        if run_id is None:
            raise UncorrelatedError(
                "no LangSmith run is known; check inside a traced run, or pass "
                "correlation=Correlation(run_id=...)"
            )
        project_id = self._find_project()
        for score in scores(record, claims=self._claims):
            self._client.create_feedback(
                run_id,
                score.name,
                score=score.number,
                value=score.label,
                trace_id=record.correlation.root_run_id,
                comment=score.explanation,
                source_info=score.metadata,
                feedback_source_type="model",
                feedback_id=score.id(run_id),
                session_id=project_id,
                error=True if score.error_type is not None else None,
                extra={names.ERROR_TYPE: score.error_type} if score.error_type is not None else None,
                extend_trace_retention=self._extend,
            )

    def flush(self) -> None:
        """Sends what the client collected."""
        self._client.flush()

    def _find_project(self) -> UUID:
        from langsmith.utils import LangSmithNotFoundError, get_tracer_project

        if self._project_id is None:
            name = self._project or get_tracer_project()
            try:
                self._project_id = self._client.read_project(project_name=name).id
            except LangSmithNotFoundError as error:  # it is made when its first run arrives
                raise RetryLaterError(f"LangSmith has no project {name!r}") from error
        return self._project_id
