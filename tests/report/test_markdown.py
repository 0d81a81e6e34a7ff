import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from franq_guard.report import to_markdown
from franq_guard.schema import GuardReport, ScoredClaim, Span


def rows(markdown: str) -> list[str]:
    return [line for line in markdown.split("\n") if line.startswith("|")]


def test_a_report_in_markdown(report: GuardReport) -> None:
    assert to_markdown(report) == (
        """\
**Guarded answer** (3 claims: 1 annotated, 1 blocked)

> The Eiffel Tower was finished in 1889. [removed] Ask me for more [not checked].

| # | Claim | P(true) | P(faithful) | Verdict | Action | Evidence | Why |
| ---: | --- | ---: | ---: | --- | --- | --- | --- |
| 1 | The Eiffel Tower was finished in 1889. | 97% | 97% | supported | keep | \
1 (Eiffel Tower): “The tower was completed in March 1889 \\|” | - |
| 2 | It is 450 m tall. | 8% | 8% | contradicted | block (review) | \
1 (Eiffel Tower): “The tower was completed in March 1889 \\|” | over specified |
| 3 | Ask me for more. | - | - | not checked: the deadline passed | annotate (review) | - | - |

- Models: language model hf:org/model, alignment model align-mini
- Calibration: condition (c0ffee); form: long
- Coverage: 75% scored, 10% without claims, 15% unchecked, of 60 characters
- Time: claims 1 ms, alignment 500 ms
- Note: the answer was cut \\[at\\] 100 tokens
"""
    )


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=40))
def test_any_text_stays_in_its_cell(text: str) -> None:
    span = Span.of(text, 0, len(text))
    claim = ScoredClaim(index=0, text=text, spans=(span,), sentence=span)
    markdown = to_markdown(GuardReport(question="", passages=(), answer=text, text=text, claims=(claim,)))
    markdown.encode()
    header, _, row = rows(markdown)
    assert row.replace("\\\\", "").replace("\\|", "").count("|") == header.count("|")


def test_the_answer_stays_in_its_quotation() -> None:
    report = GuardReport(question="", passages=(), answer="", text="One.\n\n| a |\n```\nx\r\ny")
    assert "> One.\n>\n> | a |\n> ```\n> x\n> y\n\n" in to_markdown(report)


def test_long_reports_say_how_much_is_left_out(report: GuardReport) -> None:
    many = dataclasses.replace(report, claims=report.claims * 20)
    markdown = to_markdown(many, max_claims=5)
    assert len(rows(markdown)) == 2 + 5
    assert "\n\n… and 55 more\n" in markdown
