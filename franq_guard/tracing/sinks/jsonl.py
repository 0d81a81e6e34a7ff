"""A file of JSON lines, which `franq-guard label`, `calibrate` and `evaluate` read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from franq_guard.errors import ConfigError
from franq_guard.schema import GuardReport, Passage, ScoredClaim, Span
from franq_guard.tracing.record import ClaimRecord, Record
from franq_guard.tracing.settings import Lines
from franq_guard.tracing.sink import BaseSink

_LOCK_TIMEOUT_S = 10.0
_TEXTS = ("question", "claim", "sentence", "answer", "passages", "spans", "evidence")
"""Columns of a row that are, or point into, texts that are not there without content."""


class JsonlSink(BaseSink):
    """Appends to a file; several processes may write to the same one.

    With `lines="claims"`, each scored claim is a row of the format of `evaluation.labels`, with the columns
    of `franq-guard label` and the ids and actions of the trace. Without content such a row can still be
    fitted to, once its `true` is filled in by id; to label it in the browser takes `capture_content=True`.

    Args:
        path: the file; missing folders are made.
        lines: "claims" for one row a scored claim, "answers" for one line an answer with all of its claims.
        max_bytes: a file that would grow beyond is put aside as PATH.1 first; None never does.
        backups: files put aside that are kept, PATH.1 the newest.
        options: see `BaseSink`.

    Raises:
        ConfigError: if a number is not positive, `lines` is neither, or the folder cannot be made.
    """

    name = "jsonl"

    def __init__(
        self,
        path: str | Path,
        *,
        lines: Lines = "claims",
        max_bytes: int | None = 50_000_000,
        backups: int = 5,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if lines not in ("claims", "answers"):
            raise ConfigError(f'lines must be "claims" or "answers", not {lines!r}')
        if (max_bytes is not None and max_bytes < 1) or backups < 1:
            raise ConfigError("max_bytes and backups must be at least 1")
        self.path = Path(path).absolute()
        self._lines = lines
        self._max_bytes = max_bytes
        self._backups = backups
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"cannot make the folder {self.path.parent}: {error.strerror}") from error

    def emit(self, record: Record) -> None:
        """Appends the lines of one answer, all or none."""
        from filelock import FileLock

        rows = claim_rows(record) if self._lines == "claims" else [record.to_dict()]
        if not rows:
            return
        data = "".join(json.dumps(row, ensure_ascii=True, allow_nan=False) + "\n" for row in rows).encode()
        with FileLock(f"{self.path}.lock", timeout=_LOCK_TIMEOUT_S):
            self._rotate(len(data))
            with self.path.open("ab") as file:
                file.write(data)

    def _rotate(self, coming: int) -> None:
        if self._max_bytes is None or not self.path.exists():
            return
        size = self.path.stat().st_size
        if size == 0 or size + coming <= self._max_bytes:
            return
        for number in range(self._backups, 0, -1):
            older = self.path if number == 1 else self._aside(number - 1)
            if older.exists():
                older.replace(self._aside(number))

    def _aside(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")


def claim_rows(record: Record) -> list[dict[str, Any]]:
    """A row for each scored claim, ready for JSON.

    Args:
        record: of one answer; without content, the rows bring no texts.
    """
    from franq_guard.evaluation.report_rows import rows_from_report

    report = record.content or _without_texts(record)
    dropped = () if record.content is not None else _TEXTS
    scored = [claim for claim in record.claims if claim.p_true is not None]
    return [
        {name: value for name, value in row.to_dict().items() if name not in dropped}
        | {"id": claim.id, "question_id": record.question_id}
        | _about(claim, record)
        for row, claim in zip(rows_from_report(report), scored, strict=True)
    ]


def _about(claim: ClaimRecord, record: Record) -> dict[str, Any]:
    correlation = record.correlation
    return {
        "time": record.end_time / 1e9,
        "verdict": claim.verdict,
        "action": claim.action,
        "review": claim.review,
        "p_faithful": claim.p_faithful,
        "triggers": list(claim.triggers),
        "answer_spans": [list(span) for span in claim.spans],
        "evidence_spans": [[piece.passage, piece.start, piece.end] for piece in claim.evidence],
        "blocked": record.blocked,
        "calibrator": record.calibrator,
        "run_id": correlation.run_id,
        "trace_id": correlation.trace_id,
        "span_id": correlation.evaluated_span_id,
        "session_id": correlation.session_id,
        "mlflow_trace_id": correlation.mlflow_trace_id,
    }


def _without_texts(record: Record) -> GuardReport:
    nothing = Span(0, 0, "")
    return GuardReport(
        question="",
        passages=tuple(Passage("") for _ in record.passages),
        answer="",
        text="",
        form=record.form,
        models=record.models,
        claims=tuple(
            ScoredClaim(
                index=claim.index,
                text="",
                spans=(nothing,),
                sentence=nothing,
                p_true=claim.p_true,
                signals=claim.signals,
            )
            for claim in record.claims
        ),
    )
