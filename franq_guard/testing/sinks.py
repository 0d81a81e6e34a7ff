"""Does a tracing sink do what the guard relies on?"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from franq_guard.schema import Action, Coverage, Evidence, GuardReport, Passage, ScoredClaim, Span, Verdict
from franq_guard.testing.findings import Findings
from franq_guard.tracing import Correlation, RetryLaterError, Sink, UncorrelatedError
from franq_guard.tracing.masking import masked_report
from franq_guard.tracing.record import Record, record_of

_PATIENCE_S = 60.0
_END_NS = 1_700_000_000_000_000_000


def check_sink(sink: Sink, *, correlation: Correlation | None = None) -> None:
    """Checks a tracing sink against the `Sink` protocol; a few records go through it, and it is closed.

    All calls are made on a thread other than the one that made the sink, as a guard makes them.

    Args:
        sink: the sink, new.
        correlation: where the records belong, for sinks that attach scores to what is there already.

    Raises:
        ConformanceError: if it does anything else; names all that was found.
    """
    findings = Findings(sink)
    if findings.members(sink, ("emit", "flush", "close")):
        _check_settings(findings, sink)
    if not findings:
        done = threading.Event()

        def use() -> None:
            try:
                _use(findings, sink, correlation or Correlation())
            finally:
                done.set()

        threading.Thread(target=use, name="franq-guard sink check", daemon=True).start()
        findings.expect(done.wait(_PATIENCE_S), f"does not come back within {_PATIENCE_S:g} s")
    findings.conclude()


def _check_settings(findings: Findings, sink: Sink) -> None:
    content = getattr(sink, "capture_content", False)
    findings.expect(isinstance(content, bool), f"capture_content must be true or false, not {content!r}")
    mask = getattr(sink, "mask", None)
    findings.expect(mask is None or callable(mask), "mask must be a function from text to text, or None")
    size = getattr(sink, "queue_size", 1)
    findings.expect(
        isinstance(size, int) and size > 0, f"queue_size must be a whole number above 0, not {size!r}"
    )


def _use(findings: Findings, sink: Sink, correlation: Correlation) -> None:
    content = bool(getattr(sink, "capture_content", False))
    refused = 0
    reports = _reports()
    for name, report in reports.items():
        record = record_of(report, correlation, end_time=_END_NS)
        if content:
            record = replace(record, content=masked_report(report, getattr(sink, "mask", None)))
        refused += not _sent(findings, sink, record, name)
    findings.expect(
        refused < len(reports),
        "refused all records as belonging nowhere: pass correlation=Correlation(...) with what it needs",
    )
    calls: list[tuple[str, Callable[[], None]]] = [
        ("flush()", sink.flush),
        ("a second flush()", sink.flush),
        ("close()", sink.close),
        ("a second close()", sink.close),
    ]
    for name, call in calls:
        findings.attempt(name, call)


def _sent(findings: Findings, sink: Sink, record: Record, name: str) -> bool:
    before = repr(record)
    try:
        sink.emit(record)
    except (UncorrelatedError, RetryLaterError):
        return False
    except Exception as error:
        findings.add(f"emit() of {name} raises {type(error).__name__}: {error}")
    findings.expect(repr(record) == before, f"emit() of {name} changed the record")
    return True


def _reports() -> dict[str, GuardReport]:
    answer = "The tower is 330 metres tall. It is pink."
    passages = (Passage("The tower is 330 metres tall.", id="1", metadata={"page": 3}), Passage(""))
    first, second = Span.of(answer, 0, 29), Span.of(answer, 30, 41)
    scored = ScoredClaim(
        index=0,
        text=first.text,
        spans=(first,),
        sentence=first,
        p_true=0.9,
        p_faithful=1.0,
        p_true_if_faithful=0.9,
        p_true_if_unfaithful=0.1,
        verdict=Verdict.SUPPORTED,
        evidence=(
            Evidence(passage=0, start=0, end=29, text=first.text, aligned=1.0, neutral=0.0, contradicted=0.0),
        ),
    )
    blocked = replace(
        scored, index=1, text=second.text, spans=(second,), sentence=second, p_true=0.0, action=Action.BLOCK
    )
    unchecked = ScoredClaim(
        index=0,
        text=first.text,
        spans=(first,),
        sentence=first,
        review=True,
        unchecked_reason="ModelError: gone",
    )
    whole = GuardReport(
        question="How tall is it?",
        passages=passages,
        answer=answer,
        text=first.text,
        claims=(scored, blocked),
        models={"language_model": "one", "alignment_model": "two"},
        coverage=Coverage(total=33, scored=33, not_checkworthy=0),
        timings={"total": 0.1},
    )
    failed = replace(whole, claims=(unchecked,), error="ModelError: gone", text=answer, models={}, timings={})
    empty = GuardReport(question="", passages=(), answer="", text="")
    odd = replace(
        whole, question="\x00 half \ud83d a surrogate", passages=(Passage("\u202e<script>"),), claims=()
    )
    return {
        "an ordinary answer": whole,
        "a failed check": failed,
        "a withheld answer": replace(failed, blocked=True),
        "an empty answer": empty,
        "odd characters": odd,
    }
