"""Reports for the terminal. Colour only repeats what the words say."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from franq_guard.report.text import name_of, shorten_rows, verdict_of
from franq_guard.rewriting.wording import one_line, percent, printable
from franq_guard.schema import Action, Evidence, GuardReport, ScoredClaim

_BAR_CELLS = 5
_ACTION_STYLES = {
    Action.KEEP: "green",
    Action.ANNOTATE: "yellow",
    Action.HEDGE: "dark_orange",
    Action.BLOCK: "bold red",
}


def render(report: GuardReport, *, max_claims: int = 50) -> RenderableType:
    """The guarded answer, a table of its claims, and how they were scored.

    Args:
        report: what to show.
        max_claims: rows of the table; the rest is counted.
    """
    parts: list[RenderableType] = [_answer(report)]
    if report.claims:
        parts.append(_claims(report, max_claims))
    parts.append(Text("\n".join(footer(report)), style="dim"))
    return Group(*parts)


def to_text(report: GuardReport, *, width: int = 100, max_claims: int = 50) -> str:
    """The same as plain text of at most `width` columns, without colour; always encodes to UTF-8."""
    console = Console(
        file=io.StringIO(),
        width=width,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        force_interactive=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(render(report, max_claims=max_claims))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def status(report: GuardReport) -> str:
    """One line: what the guard did."""
    if report.error is not None:
        return f"not checked: {one_line(report.error)}"
    if report.blocked:
        return "answer blocked"
    counts = {action: sum(claim.action is action for claim in report.claims) for action in Action}
    verbs = {Action.ANNOTATE: "annotated", Action.HEDGE: "hedged", Action.BLOCK: "blocked"}
    done = [f"{counts[action]} {verb}" for action, verb in verbs.items() if counts[action]]
    total = len(report.claims)
    return f"{total} claim{'s' * (total != 1)}: {', '.join(done) if done else 'nothing to do'}"


def footer(report: GuardReport) -> Iterator[str]:
    """Models, calibration, coverage, timings and notes, a line each."""
    if report.models:
        yield "Models: " + ", ".join(
            f"{one_line(role).replace('_', ' ')} {one_line(name)}" for role, name in report.models.items()
        )
    calibrator = f" ({one_line(report.calibrator)})" if report.calibrator else ""
    reason = f" ({one_line(report.form_reason)})" if report.form_reason else ""
    yield f"Calibration: {one_line(report.calibration)}{calibrator}; form: {one_line(report.form)}{reason}"
    if report.samples:
        yield f"Sampled answers: {_samples(report.samples)}"
    coverage = report.coverage
    if coverage.total:
        yield (
            f"Coverage: {coverage.scored / coverage.total:.0%} scored, "
            f"{coverage.not_checkworthy / coverage.total:.0%} without claims, "
            f"{coverage.unchecked / coverage.total:.0%} unchecked, of {coverage.total} characters"
        )
    if report.timings:
        yield "Time: " + ", ".join(
            f"{one_line(stage)} {1000 * seconds:.0f} ms" for stage, seconds in report.timings.items()
        )
    for note in report.notes:
        yield f"Note: {one_line(note)}"


def _samples(samples: tuple[str, ...], limit: int = 5) -> str:
    """The most frequent samples with their counts."""
    counts = Counter(one_line(sample, 60) for sample in samples).most_common()
    shown = ", ".join(f"“{text}”" + (f" x{count}" if count > 1 else "") for text, count in counts[:limit])
    return shown + (f", and {len(counts) - limit} more" if len(counts) > limit else "")


def source_of(evidence: Evidence, report: GuardReport) -> str:
    """Which passage it is: its number from 1, with title or id."""
    number = str(evidence.passage + 1)
    if 0 <= evidence.passage < len(report.passages):
        passage = report.passages[evidence.passage]
        name = one_line(passage.title or passage.id or passage.source or "", 40)
        return f"{number} ({name})" if name else number
    return number


def _answer(report: GuardReport) -> Panel:
    acted = report.acted or report.error is not None
    return Panel(
        Text(printable(report.text)),
        title=Text("Guarded answer"),
        title_align="left",
        subtitle=Text(status(report)),
        subtitle_align="left",
        border_style="yellow" if acted else "green",
    )


def _claims(report: GuardReport, max_claims: int) -> Table:
    table = Table(box=box.ROUNDED, expand=True, show_lines=True)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("Claim and evidence", ratio=1)
    table.add_column("P(true)", no_wrap=True)
    table.add_column("P(faith.)", justify="right", no_wrap=True)
    table.add_column("Verdict, action", width=18)
    shown, hidden = shorten_rows(report.claims, max_claims)
    for claim in shown:
        table.add_row(
            str(claim.index + 1),
            Text("\n").join([Text(one_line(claim.text, 120)), *_evidence(claim, report), *_triggers(claim)]),
            _bar(claim.p_true),
            percent(claim.p_faithful),
            Text("\n").join([Text(verdict_of(claim)), _action(claim)]),
        )
    if hidden:
        table.caption = Text(f"… and {hidden} more")
        table.caption_justify = "left"
    return table


def _bar(probability: float | None) -> Text:
    if probability is None:
        return Text("-", style="dim")
    filled = round(min(max(probability, 0.0), 1.0) * _BAR_CELLS)
    colour = "green" if probability >= 0.9 else "yellow" if probability >= 0.6 else "red"
    return Text(f"{'█' * filled}{'░' * (_BAR_CELLS - filled)} {percent(probability):>4}", style=colour)


def _action(claim: ScoredClaim) -> Text:
    words = claim.action.value + (", review" if claim.review else "")
    return Text(f"→ {words}", style=_ACTION_STYLES[claim.action])


def _evidence(claim: ScoredClaim, report: GuardReport) -> Iterator[Text]:
    if claim.evidence:
        best = claim.evidence[0]
        yield Text(f"source {source_of(best, report)}: “{one_line(best.text, 160)}”", style="dim italic")


def _triggers(claim: ScoredClaim) -> Iterator[Text]:
    for trigger in claim.triggers:
        yield Text(f"why: {name_of(trigger)}: {one_line(trigger.detail, 160)}", style="dim")
