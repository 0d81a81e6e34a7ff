"""What markers and footnotes say, and where they stand beside code, in tables and lists."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from franq_guard.policy import Policy
from franq_guard.rewriting import Edit, rewrite
from franq_guard.schema import Action, Evidence, Passage, ScoredClaim, Span, Verdict

Scored = Callable[[str, str], list[ScoredClaim]]


def note(scored: Scored, passage: Passage | None = None, **changes: Any) -> str:
    """The footnote of one claim."""
    claim = replace(scored("It is old.", "as")[0], **changes)
    passages = [passage] if passage else []
    text = rewrite("It is old.", [claim], Policy(annotation="footnotes"), passages=passages).text
    before, _, found = text.partition("\n\n[^g1]: ")
    assert before == "It is old.[^g1]"
    return found


def evidence(text: str, passage: int = 0) -> tuple[Evidence, ...]:
    return (
        Evidence(
            passage=passage, start=0, end=len(text), text=text, aligned=0.5, neutral=0.3, contradicted=0.2
        ),
    )


def test_a_source_goes_by_its_title_or_else_its_id(scored: Scored) -> None:
    found = evidence("It was so.")
    assert note(scored, Passage("x", title="T", id="i"), evidence=found).endswith(
        "Source 1 (T): “It was so.”"
    )
    assert note(scored, Passage("x", id="i"), evidence=found).endswith("Source 1 (i): “It was so.”")
    assert note(scored, Passage("x"), evidence=found).endswith("Source 1: “It was so.”")


@pytest.mark.parametrize("passage", [1, 7])
def test_a_source_that_is_not_at_hand_has_a_number_only(scored: Scored, passage: int) -> None:
    found = evidence("It was so.", passage)
    assert note(scored, Passage("x", title="T"), evidence=found).endswith(
        f"Source {passage + 1}: “It was so.”"
    )


def test_titles_and_quotations_are_cut_to_one_line(scored: Scored) -> None:
    text = note(scored, Passage("x", title="a\nb" + "c" * 100), evidence=evidence("d\ne" + "f" * 300))
    assert text == f"72% likely true. Source 1 (a b{'c' * 76}…): “d e{'f' * 196}…”"
    whole = note(scored, Passage("x", title="c" * 80), evidence=evidence("f" * 200))
    assert whole == f"72% likely true. Source 1 ({'c' * 80}): “{'f' * 200}”"


def test_sources_bring_no_markup(scored: Scored) -> None:
    text = note(scored, Passage("x", title="[a](b)"), evidence=evidence("<b>`c`</b> \\d"))
    assert text.endswith("Source 1 (\\[a\\](b)): “\\<b>\\`c\\`\\</b> \\\\d”")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"evidence": ()}, "72% likely true."),
        ({"verdict": Verdict.UNCHECKED}, "Not checked."),
        ({"p_true": None}, "Not checked."),
        ({"p_true": None, "unchecked_reason": "a [b]\nc"}, "Not checked: a \\[b\\] c."),
        (
            {"verdict": Verdict.UNCHECKED, "p_true": None, "unchecked_reason": "x" * 300},
            f"Not checked: {'x' * 199}….",
        ),
        ({"verdict": Verdict.NOT_MENTIONED}, "72% likely true. The sources do not mention it."),
    ],
)
def test_footnotes_without_a_source(scored: Scored, changes: dict[str, Any], expected: str) -> None:
    assert note(scored, **changes) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"evidence": ()}, "[72% likely true]"),
        ({"evidence": (), "verdict": Verdict.CONTRADICTED}, "[72% likely true]"),
        ({"verdict": Verdict.UNCHECKED}, "[not checked]"),
        ({"p_true": None}, "[not checked]"),
        ({"evidence": evidence("x", 4)}, "[72% likely true · source 5]"),
        (
            {"evidence": evidence("x", 4), "verdict": Verdict.CONTRADICTED},
            "[72% likely true · contradicted by source 5]",
        ),
    ],
)
def test_markers(scored: Scored, changes: dict[str, Any], expected: str) -> None:
    claim = replace(scored("It is old.", "as")[0], **changes)
    assert rewrite("It is old.", [claim], Policy()).text == f"It is old {expected}."


def test_another_language_gets_a_marker_without_words(scored: Scored) -> None:
    claim = scored("It is old.", "hs")[0]
    assert rewrite("It is old.", [claim], Policy(), language="de").text == "It is old [40%?]."
    unknown = replace(claim, p_true=None, verdict=Verdict.UNCHECKED)
    assert rewrite("It is old.", [unknown], Policy(), language="de").text == "It is old [?]."


def test_labels_are_new_to_the_answer(scored: Scored) -> None:
    answer = "It is old [^g1]. It is new [^gg1]."
    text = rewrite(answer, scored(answer, "au ks"), Policy(annotation="footnotes")).text
    assert text.startswith("It is old [^g1].[^ggg1] It is new [^gg1].\n\n[^ggg1]: ")


def test_footnotes_name_their_claim_and_stand_behind_all_signs(scored: Scored) -> None:
    answer = "It is **old**...!  \n"
    result = rewrite(answer, scored(answer, "au"), Policy(annotation="footnotes"))
    assert result.text == "It is **old**...![^g1]\n\n[^g1]: Not checked: the deadline passed.  \n"
    inline = rewrite(answer, scored(answer, "au"), Policy())
    assert [(edit.claim, edit.start == edit.end) for edit in inline.edits] == [(0, True)]


def blocks(answer: str, words: str, *, style: str = "inline", action: Action = Action.ANNOTATE) -> str:
    """Marks a claim that fills a block, as only language models find them."""
    start = answer.index(words)
    span = Span.of(answer, start, start + len(words))
    claim = ScoredClaim(
        index=0,
        text="x",
        spans=(span,),
        sentence=span,
        action=action,
        verdict=Verdict.NOT_MENTIONED,
        p_true=0.72,
    )
    result = rewrite(answer, [claim], Policy(annotation=style))
    assert {edit.claim for edit in result.edits} <= {0, None}
    return result.text


MARK = "[72% likely true · not in the sources]"


@pytest.mark.parametrize("style", ["inline", "footnotes"])
@pytest.mark.parametrize(
    ("answer", "words", "expected"),
    [
        # Behind a block of code, and before one that is not closed: it would swallow the mark.
        ("So:\n\n```py\nx = 1\n```\n\nDone.", "```py\nx = 1\n```", "```py\nx = 1\n```\n\n{}"),
        ("So:\n\n~~~~\nx = 1\n~~~~", "~~~~\nx = 1\n~~~~", "~~~~\nx = 1\n~~~~\n\n{}"),
        ("So:\n\n```py\nx = 1", "```py\nx = 1", "{}\n\n```py\nx = 1"),
        ("```py\nx = 1", "```py\nx = 1", "{}\n\n```py\nx = 1"),
        # Code that is set in stays set in, and so does its mark.
        ("- So:\n\n  ```\n  x = 1\n  ```", "```\n  x = 1\n  ```", "```\n  x = 1\n  ```\n\n  {}"),
    ],
)
def test_code(answer: str, words: str, expected: str, style: str) -> None:
    assert blocks(answer, words, style=style) == answer.replace(words, expected.format(MARK))


def test_a_doubtful_block_of_code_is_marked_beside_it() -> None:
    code = "```py\nx = 1\n```"
    assert blocks(f"So:\n\n{code}", code, action=Action.HEDGE) == f"So:\n\n{code}\n\n{MARK}"


TABLE = "| City | People |\n|---|---|\n| Paris | 2 million |"


def test_the_header_of_a_table() -> None:
    header = "| City | People |"
    assert blocks(TABLE, header) == TABLE.replace("People |", f"People {MARK} |")
    noted = blocks(TABLE, header, style="footnotes")
    assert noted.startswith(TABLE.replace("People |", "People[^g1] |") + "\n\n[^g1]: ")


def test_edits_of_footnotes_have_no_cause(scored: Scored) -> None:
    answer = "It is old. It is new."
    result = rewrite(answer, scored(answer, "au ks"), Policy(annotation="footnotes"))
    assert result.edits == (
        Edit(10, 10, "[^g1]", 0),
        Edit(21, 21, "\n\n[^g1]: Not checked: the deadline passed.", None),
    )
