import dataclasses
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from franq_guard.report import render, to_text
from franq_guard.schema import Action, GuardReport, Passage, ScoredClaim, Span, Verdict

NASTY = (
    "\x1b[31mred\x1b[0m \x1b]8;;http://evil\x07link\x1b]8;;\x07 "
    "[bold]b[/bold] \ud800 \x00\x07\x9b \u202eevil\u202c [/]"
)


def colours(report: GuardReport, width: int = 100) -> str:
    console = Console(
        file=io.StringIO(), width=width, force_terminal=True, color_system="truecolor", legacy_windows=False
    )
    with console.capture() as capture:
        console.print(report)
    return capture.get()


def nasty_report() -> GuardReport:
    span = Span.of(NASTY, 0, len(NASTY))
    claim = ScoredClaim(
        index=0,
        text=NASTY,
        spans=(span,),
        sentence=span,
        verdict=Verdict.UNCHECKED,
        unchecked_reason=NASTY,
        action=Action.ANNOTATE,
    )
    return GuardReport(
        question=NASTY,
        passages=(Passage(NASTY, title=NASTY),),
        answer=NASTY,
        text=NASTY,
        claims=(claim,),
        error=NASTY,
        calibrator=NASTY,
        models={NASTY: NASTY},
        timings={NASTY: 1.0},
        notes=(NASTY,),
    )


def test_everything_worth_knowing_is_in_the_text(report: GuardReport) -> None:
    text = to_text(report, width=120)
    for words in (
        "The Eiffel Tower was finished in 1889. [removed] Ask me for more [not checked].",
        "3 claims: 1 annotated, 1 blocked",
        "97%",
        "8%",
        "supported",
        "contradicted",
        "→ block, review",
        "not checked: the",
        "source 1 (Eiffel Tower): “The tower was completed in March 1889 |”",
        "language model hf:org/model",
        "condition (c0ffee)",
        "75% scored, 10% without claims, 15% unchecked, of 60 characters",
        "alignment 500 ms",
        "Note: the answer was cut [at] 100 tokens",
    ):
        assert words in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_text_fits_its_width(report: GuardReport, width: int) -> None:
    assert all(len(line) <= width for line in to_text(report, width=width).splitlines())


def test_colours_only_repeat_the_words(report: GuardReport) -> None:
    coloured = colours(report)
    assert "\x1b[" in coloured
    assert "░" in coloured
    assert "→ block" in coloured


def test_what_users_write_can_neither_colour_nor_reorder_nor_crash() -> None:
    text = to_text(nasty_report(), width=200)
    text.encode()
    assert "[bold]b[/bold]" in text
    assert "evil" in text
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in text.replace("\n", ""))
    assert "\u202e" not in text
    shown = colours(nasty_report())
    shown.encode()
    assert "\x1b[31m" not in shown
    assert "http://evil" not in shown


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_text_can_be_printed(text: str) -> None:
    shown = to_text(GuardReport(question="", passages=(), answer=text, text=text, notes=(text,)))
    shown.encode()
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in shown.replace("\n", ""))


def test_long_reports_say_how_much_is_left_out(report: GuardReport) -> None:
    many = dataclasses.replace(
        report, claims=tuple(dataclasses.replace(report.claims[0], index=at) for at in range(500))
    )
    text = to_text(many, max_claims=7)
    assert "… and 493 more" in text
    assert text.count("→ keep") == 7
    assert "… and 450 more" in str(many)
    assert "… and" not in to_text(many, max_claims=500)


def test_failed_and_empty_reports_say_so() -> None:
    empty = GuardReport(question="", passages=(), answer="", text="")
    assert "0 claims: nothing to do" in to_text(empty)
    failed = dataclasses.replace(empty, error="the model is gone")
    assert "not checked: the model is gone" in to_text(failed)
    assert "answer blocked" in to_text(dataclasses.replace(empty, blocked=True))


def test_evidence_of_a_missing_passage_is_shown_by_number(report: GuardReport) -> None:
    assert "source 1: “" in to_text(dataclasses.replace(report, passages=()), width=120)


def test_a_report_prints_itself(report: GuardReport) -> None:
    assert str(report) == to_text(report)
    console = Console(file=io.StringIO(), width=100)
    with console.capture() as from_report:
        console.print(report)
    with console.capture() as from_render:
        console.print(render(report))
    assert from_report.get() == from_render.get()
