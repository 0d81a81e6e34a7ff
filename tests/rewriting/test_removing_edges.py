"""What is left of the layout around sentences that were taken out."""

from collections.abc import Callable

import pytest

from franq_guard.policy import Policy
from franq_guard.rewriting import Edit, Rewriting, rewrite
from franq_guard.schema import Action, ScoredClaim, Span, Verdict

Guarded = Callable[..., Rewriting]


def claim(answer: str, index: int, words: str, sentence: str, action: Action) -> ScoredClaim:
    """A claim of the kind that only a language model finds: in code, in headers of tables."""
    start, at = answer.index(words), answer.index(sentence)
    return ScoredClaim(
        index=index,
        text=words,
        spans=(Span.of(answer, start, start + len(words)),),
        sentence=Span.of(answer, at, at + len(sentence)),
        action=action,
        verdict=Verdict.SUPPORTED,
        p_true=0.1,
    )


def without(answer: str, words: str, mode: str, *rest: str) -> Rewriting:
    """Blocks a sentence; `rest` are others, that stay."""
    claims = [claim(answer, 0, words, words, Action.BLOCK)]
    claims += [claim(answer, at, other, other, Action.KEEP) for at, other in enumerate(rest, 1)]
    return rewrite(answer, claims, Policy(min_kept=0, block_mode=mode, sentence_message="[removed]"))


@pytest.mark.parametrize(
    ("answer", "codes", "expected"),
    [
        # Gaps: the smaller one goes.
        ("A is old.\n\n\n\nB is old.\n\nC is old.", "ks bs ks", "A is old.\n\n\n\nC is old."),
        ("A is old.\n\nB is old.\n\n\n\nC is old.", "ks bs ks", "A is old.\n\n\n\nC is old."),
        ("A is old.\n- B is old.\n\n\nC is old.", "ks bs ks", "A is old.\n\n\nC is old."),
        ("A is old.\tB is old.\tC is old.", "ks bs ks", "A is old.\tC is old."),
        ("A is old.\r\nB is old.\r\nC is old.", "ks bs ks", "A is old.\r\nC is old."),
        ("A is old.\r\n\r\nB is old.\r\n\r\nC is old.", "ks bs ks", "A is old.\r\n\r\nC is old."),
        ("  A is old. B is old.", "bs ks", "  B is old."),
        ("A is old. Hello! B is old.", "bs bs", "Hello!"),
        ("\n\nA is old.\n\nB is old.", "bs ks", "\n\nB is old."),
        # Quotations over several lines keep their marks.
        ("> A is old. B is old.\n> C is old.", "bs ks ks", "> B is old.\n> C is old."),
        ("> A is old. B is old.\n> C is old.", "ks bs ks", "> A is old.\n> C is old."),
        ("> A is old. B is old.\n> C is old.", "ks ks bs", "> A is old. B is old."),
        # Items go in a row, and their numbers count on, also to fewer digits.
        ("- A is old.\n- B is old.\n- C is old.\n- D is old.", "ks bs bs ks", "- A is old.\n- D is old."),
        ("- A is old.\n- B is old.\n- C is old.\n- D is old.", "bs ks bs ks", "- B is old.\n- D is old."),
        ("9. A is old.\n10. B is old.\n11. C is old.", "bs ks ks", "9. B is old.\n10. C is old."),
        (
            "1. A is old.\n2. B is old.\n3. C is old.\n4. D is old.",
            "bs ks bs ks",
            "1. B is old.\n2. D is old.",
        ),
        ("- A is old. B is old.\n- C is old.", "bs bs ks", "- C is old."),
        ("- **Note:** A is old.\n- C is old.", "ks bs", "- **Note:** A is old."),
        # A parent stays as long as one of its children does.
        (
            "1. A is old.\n   - B is old.\n   - C is old.\n2. D is old.",
            "bs bs ks ks",
            "1. [removed]\n   - C is old.\n2. D is old.",
        ),
        ("1. A is old.\n   - B is old.\n   - C is old.\n2. D is old.", "bs bs bs ks", "1. D is old."),
        ("- A is old.\n\n  B is old.\n- C is old.", "bs ks ks", "- [removed]\n\n  B is old.\n- C is old."),
        ("- A is old.\n\nB is old.", "bs ks", "B is old."),
        ("- A is old.\n B is old indeed.\n\n C is old.", "bs bs ks", " C is old."),
    ],
)
def test_dropping(guarded: Guarded, answer: str, codes: str, expected: str) -> None:
    assert guarded(answer, codes, block_mode="drop", sentence_message="[removed]").text == expected


@pytest.mark.parametrize(
    ("answer", "codes", "expected"),
    [
        ("A is old.\n\nB is old.\n\n\n\nC is old.", "ks bs ks", "A is old.\n\n[removed]\n\n\n\nC is old."),
        ("- A is old.\n- B is old.\n- C is old.", "ks bs bs", "- A is old.\n- [removed]\n- [removed]"),
        ("# A is old\n\nB is old.", "bs ks", "# [removed]\n\nB is old."),
        ("9. A is old.\n10. B is old.", "bs ks", "9. [removed]\n10. B is old."),
        ("A is old. Hello! B is old.", "bs bs", "[removed] Hello! [removed]"),
        ("**A is old. B is old.**", "bs ks", "**[removed] B is old.**"),
        ("**A is old. B is old.**", "ks bs", "**A is old. [removed]**"),
        ("**A is old. B is old.**", "bs bs", "[removed]"),
    ],
)
def test_replacing(guarded: Guarded, answer: str, codes: str, expected: str) -> None:
    assert guarded(answer, codes, block_mode="replace", sentence_message="[removed]").text == expected


@pytest.mark.parametrize(
    ("answer", "codes", "causes"),
    [
        ("A is old. B is old. C is old.", "ks bs bs", [None]),
        ("A is old. B is old. C is old.", "bs ks bs", [0, 2]),
        ("- A is old.\n- B is old.\n- C is old.", "bs ks bs", [0, 2]),
        ("- A is old.\n- B is old.\n- C is old.", "bs bs ks", [None]),
        ("1. A is old.\n2. B is old.", "bs ks", [0, None]),
    ],
)
def test_removals_name_their_claim(
    guarded: Guarded, answer: str, codes: str, causes: list[int | None]
) -> None:
    assert [edit.claim for edit in guarded(answer, codes, block_mode="drop").edits] == causes


def test_a_long_gap_is_closed_at_the_edge_of_its_block(guarded: Guarded) -> None:
    gap = " " * 3000
    text = guarded(f"A is old.{gap}B is old. C is old.", "ks bs ks", block_mode="drop").text
    assert text.split() == "A is old. C is old.".split()


CODE = "```py\nx = 1\n```"
TABLE = "| City | People |\n|---|---|\n| Paris | 2 million |"


@pytest.mark.parametrize(
    ("answer", "words", "mode", "rest", "expected"),
    [
        (f"It runs.\n\n{CODE}\n\nDone.", CODE, "drop", ("It runs.", "Done."), "It runs.\n\nDone."),
        (f"It runs.\n\n{CODE}\n\nDone.", CODE, "replace", ("It runs.",), "It runs.\n\n[removed]\n\nDone."),
        ("It runs.\n\n```py\nx = 1", "```py\nx = 1", "replace", ("It runs.",), "It runs.\n\n[removed]"),
        # The header of a table stays, so that the table stays one.
        (TABLE, "| City | People |", "drop", ("Paris",), TABLE.replace("City | People", "– | –")),
        (TABLE, "| City | People |", "replace", ("Paris",), TABLE.replace("City | People", "[removed] | –")),
        (
            "| City | |\n|---|---|\n| Paris | 2 |",
            "| City | |",
            "drop",
            ("Paris",),
            "| – | |\n|---|---|\n| Paris | 2 |",
        ),
    ],
)
def test_code_and_headers_of_tables(
    answer: str, words: str, mode: str, rest: tuple[str, ...], expected: str
) -> None:
    result = without(answer, words, mode, *rest)
    assert result.text == expected
    assert {edit.claim for edit in result.edits} == {0}


def test_a_message_fits_into_a_cell() -> None:
    policy = Policy(min_kept=0, block_mode="replace", sentence_message="a|b\n\tc")
    claims = [claim(TABLE, 0, "2 million", "| Paris | 2 million |", Action.BLOCK)]
    result = rewrite(TABLE, claims, policy)
    assert result.text == TABLE.replace("Paris | 2 million", "a\\|b c | –")
    start = TABLE.index("Paris")
    assert result.edits[0] == Edit(start, start + len("Paris"), "a\\|b c", 0)
