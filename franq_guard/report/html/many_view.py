"""What a page says about many answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from franq_guard.report.console import status
from franq_guard.report.html.bands import Band, band_of
from franq_guard.report.html.charts import Bar, ReliabilityView, Tally, histogram, reliability_view, tallies
from franq_guard.report.html.claim_view import probability
from franq_guard.rewriting.wording import one_line, percent
from franq_guard.schema import Action, GuardReport, Verdict

Labels = Mapping[int, bool]
"""Whether a person found a claim true, by the index of the claim."""

_SEVERITY = (Action.BLOCK, Action.HEDGE, Action.ANNOTATE, Action.KEEP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One answer in the table.

    Attributes:
        number: from 1, in the order given.
        question: one line.
        answer: the beginning, one line.
        lowest: P(true) of the least likely claim; None without any.
        percent: the same for people.
        band: its look.
        claims: how many are claims that can be checked.
        doubtful: how many of them the guard acted on.
        status: what the guard did, in words.
        action: the strongest action.
        verdicts: those of its claims, distinct.
        triggers: those of its claims, distinct.
        review: whether a person should look.
        wrong: claims that a person found false.
    """

    number: int
    question: str
    answer: str
    lowest: float | None
    percent: str
    band: Band
    claims: int
    doubtful: int
    status: str
    action: str
    verdicts: tuple[str, ...]
    triggers: tuple[str, ...]
    review: bool
    wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyView:
    """All answers of a page.

    Attributes:
        rows: the answers that are shown.
        left_out: answers that are not.
        answers: all.
        claims: claims with a probability, in all answers.
        unchecked: claims that could not be checked.
        acted: answers that the guard changed or blocked.
        review: answers that a person should look at.
        bars: of the histogram of P(true), over all claims.
        reliability: of the labelled claims; None without labels.
        verdicts: those that occur.
        triggers: those that occur.
        found: how many claims have which verdict.
        reasons: how many claims have which trigger, the most frequent first.
    """

    rows: tuple[Row, ...]
    left_out: int
    answers: int
    claims: int
    unchecked: int
    acted: int
    review: int
    bars: tuple[Bar, ...]
    reliability: ReliabilityView | None
    verdicts: tuple[str, ...]
    triggers: tuple[str, ...]
    found: tuple[Tally, ...]
    reasons: tuple[Tally, ...]


def many_view(reports: Sequence[GuardReport], labels: Sequence[Labels], shown: Collection[int]) -> ManyView:
    """Counts over all answers, and rows for those at the places `shown`.

    Args:
        reports: all of them.
        labels: of each report's claims.
        shown: places in `reports`, from 0.
    """
    scored = [
        (value, told.get(claim.index))
        for report, told in zip(reports, labels, strict=True)
        for claim in report.claims
        if (value := probability(claim.p_true)) is not None
    ]
    labelled = [(value, label) for value, label in scored if label is not None]
    claims = [claim for report in reports for claim in report.claims]
    verdicts = Counter(claim.verdict for claim in claims)
    triggers = Counter(trigger.name.value for claim in claims for trigger in claim.triggers)
    by_verdict = {verdict.value: verdicts[verdict] for verdict in Verdict}
    return ManyView(
        rows=tuple(_row(reports[place], place + 1, labels[place]) for place in sorted(shown)),
        left_out=len(reports) - len(shown),
        answers=len(reports),
        claims=len(scored),
        unchecked=verdicts[Verdict.UNCHECKED],
        acted=sum(report.acted for report in reports),
        review=sum(_to_review(report) for report in reports),
        bars=histogram([value for value, _ in scored]),
        reliability=reliability_view([value for value, _ in labelled], [label for _, label in labelled]),
        verdicts=tuple(verdict.value for verdict in Verdict if verdicts[verdict]),
        triggers=tuple(sorted(triggers)),
        found=tallies(by_verdict, len(claims)),
        reasons=tallies(dict(triggers.most_common()), len(claims)),
    )


def lowest_p_true(report: GuardReport) -> float | None:
    """The least likely claim's P(true), cut to [0, 1]; None without any."""
    values = [value for claim in report.claims if (value := probability(claim.p_true)) is not None]
    return min(values, default=None)


def most_doubtful_first(reports: Sequence[GuardReport]) -> list[int]:
    """Places of the reports: failed checks first, then by the least likely claim, those without any last."""

    def key(place: int) -> tuple[bool, float, int]:
        lowest = lowest_p_true(reports[place])
        return reports[place].error is None, 2.0 if lowest is None else lowest, place

    return sorted(range(len(reports)), key=key)


def _to_review(report: GuardReport) -> bool:
    return report.error is not None or any(claim.review for claim in report.claims)


def _row(report: GuardReport, number: int, labels: Labels) -> Row:
    lowest = lowest_p_true(report)
    checkable = [claim for claim in report.claims if claim.verdict is not Verdict.NOT_CHECKWORTHY]
    actions = {claim.action for claim in report.claims} | ({Action.BLOCK} if report.blocked else set())
    nothing = Verdict.UNCHECKED if checkable or report.error is not None else Verdict.NOT_CHECKWORTHY
    return Row(
        number=number,
        question=one_line(report.question, 200) or "(no question)",
        answer=one_line(report.answer, 240),
        lowest=lowest,
        percent=percent(lowest),
        band=band_of(lowest, nothing if lowest is None else Verdict.SUPPORTED),
        claims=len(checkable),
        doubtful=sum(claim.action is not Action.KEEP for claim in checkable),
        status=status(report),
        action=next((action.value for action in _SEVERITY if action in actions), Action.KEEP.value),
        verdicts=tuple(verdict.value for verdict in Verdict if verdict in {c.verdict for c in report.claims}),
        triggers=tuple(sorted({trigger.name.value for claim in report.claims for trigger in claim.triggers})),
        review=_to_review(report),
        wrong=sum(label is False for label in labels.values()),
    )
