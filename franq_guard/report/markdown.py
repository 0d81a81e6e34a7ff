"""Reports as Markdown, for issues, pull requests and notebooks."""

from __future__ import annotations

import re

from franq_guard.report.console import footer, source_of, status
from franq_guard.report.text import name_of, shorten_rows, verdict_of
from franq_guard.rewriting.wording import one_line, percent, printable
from franq_guard.schema import GuardReport, ScoredClaim

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~$#&]")


def to_markdown(report: GuardReport, *, max_claims: int = 50) -> str:
    """The guarded answer as a quotation, a table of its claims, and how they were scored.

    Args:
        report: what to show.
        max_claims: rows of the table; the rest is counted.
    """
    quoted = "\n".join(f"> {line}".rstrip() for line in printable(report.text).split("\n"))
    parts = [f"**Guarded answer** ({_escape(status(report))})", quoted]
    if report.claims:
        parts.append(_table(report, max_claims))
    parts.append("\n".join(f"- {_escape(line)}" for line in footer(report)))
    return "\n\n".join(parts) + "\n"


def _table(report: GuardReport, max_claims: int) -> str:
    shown, hidden = shorten_rows(report.claims, max_claims)
    rows = [
        "| # | Claim | P(true) | P(faithful) | Verdict | Action | Evidence | Why |",
        "| ---: | --- | ---: | ---: | --- | --- | --- | --- |",
        *(_row(claim, report) for claim in shown),
    ]
    if hidden:
        rows.append(f"\n… and {hidden} more")
    return "\n".join(rows)


def _row(claim: ScoredClaim, report: GuardReport) -> str:
    evidence = "-"
    if claim.evidence:
        best = claim.evidence[0]
        evidence = f"{source_of(best, report)}: “{one_line(best.text, 160)}”"
    cells = [
        str(claim.index + 1),
        one_line(claim.text, 160),
        percent(claim.p_true),
        percent(claim.p_faithful),
        verdict_of(claim),
        claim.action.value + (" (review)" if claim.review else ""),
        evidence,
        ", ".join(name_of(trigger) for trigger in claim.triggers) or "-",
    ]
    return "| " + " | ".join(_escape(cell) for cell in cells) + " |"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
