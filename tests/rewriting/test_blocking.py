from collections.abc import Callable

import pytest

from franq_guard.rewriting import Rewriting

Guarded = Callable[..., Rewriting]

PAIR = "Paris is the capital of France and has 2 million people."
TABLE = "| City | People |\n|---|---|\n| Paris | 2 million |\n| Rome | 3 million |\n\nEnd of it all."
STEPS = "1. One is first.\n2. Two is second.\n3. Three is third.\n\nThat is it."


@pytest.mark.parametrize(
    ("answer", "codes", "expected"),
    [
        # Sentences in a paragraph.
        ("A is old. B is old. C is old.", "ks bs ks", "A is old. C is old."),
        ("A is old. B is old. C is old.", "bs ks ks", "B is old. C is old."),
        ("A is old. B is old. C is old.", "ks bs bs", "A is old."),
        ("A is old. B is old. C is old.", "bs ks bs", "B is old."),
        ("A is old.\nB is old.\nC is old.", "ks bs ks", "A is old.\nC is old."),
        ("A is old.\nB is old. C is old.", "ks bs ks", "A is old.\nC is old."),
        ("A is old. B is old.\nC is old.", "ks bs ks", "A is old.\nC is old."),
        # Paragraphs.
        ("A is old.\n\nB is old.\n\nC is old.", "ks bs ks", "A is old.\n\nC is old."),
        ("A is old.\n\nB is old.\n\nC is old.", "bs ks ks", "B is old.\n\nC is old."),
        ("A is old.\n\nB is old.\n\nC is old.\n", "ks ks bs", "A is old.\n\nB is old.\n"),
        ("A is old.\n\nB is old.\n\nC is old.", "ks bs bs", "A is old."),
        # Clauses.
        (PAIR, "ks bs", "Paris is the capital of France."),
        ("Paris is old, and Lyon is a port.", "ks bs", "Paris is old."),
        ("Paris is old [1], and Lyon is a port [2].", "ks bs", "Paris is old [1]."),
        (PAIR, "bs ks", "Paris has 2 million people."),
        ("It is the capital of France and has 2 million people.", "bs ks", "It has 2 million people."),
        ("Paris is old, and the river is wide.", "bs ks", "The river is wide."),
        ("However, Paris is old, and the river is wide.", "bs ks", "However, the river is wide."),
        ("The tower, which was built in 1950, is 330 m tall.", "ks bs", "The tower is 330 m tall."),
        ("Paris is old. It is the capital of France and has 2 million people. Fine.", "ks ks bs ks",
         "Paris is old. It is the capital of France. Fine."),
        # Lists.
        ("- A is old.\n- B is old.\n- C is old.", "ks bs ks", "- A is old.\n- C is old."),
        ("- A is old.\n- B is old.\n- C is old.", "bs ks ks", "- B is old.\n- C is old."),
        ("- A is old.\n- B is old.\n- C is old.", "ks ks bs", "- A is old.\n- B is old."),
        ("- A is old. B is old.\n- C is old.", "bs ks ks", "- B is old.\n- C is old."),
        ("Intro is here:\n\n- A is old.\n\nEnd of it all.", "ks bs ks", "Intro is here:\n\nEnd of it all."),
        ("- A is old.\n  - B is old.\n- C is old.", "ks bs ks", "- A is old.\n- C is old."),
        ("- A is old.\n  - B is old.\n- C is old.", "bs bs ks", "- C is old."),
        ("- A is old.\n  - B is old.\n- C is old.", "bs ks ks", "- [removed]\n  - B is old.\n- C is old."),
        ("- **A:** It is old.\n- **B:** It is new.", "ks bs", "- **A:** It is old."),
        # Numbered lists count on.
        (STEPS, "ks bs ks ks", "1. One is first.\n2. Three is third.\n\nThat is it."),
        (STEPS, "bs ks ks ks", "1. Two is second.\n2. Three is third.\n\nThat is it."),
        (STEPS, "ks ks bs ks", "1. One is first.\n2. Two is second.\n\nThat is it."),
        ("1. A is old.\n   1. B is old.\n   2. C is old.\n2. D is old.", "ks bs ks ks",
         "1. A is old.\n   1. C is old.\n2. D is old."),
        ("1. A is old.\n2. B is old.\n\n# Next\n\n1. C is old.\n2. D is old.", "bs ks ks ks",
         "1. B is old.\n\n# Next\n\n1. C is old.\n2. D is old."),
        ("1) A is old.\n\n2) B is old.\n\n7) C is old.", "bs ks ks", "1) B is old.\n\n7) C is old."),
        # Headings stay or go, tables stay valid, quotations keep their marks.
        ("# Head\n\nA is old.\n\n# Tail\n\nB is old.", "bs ks", "# Head\n\n# Tail\n\nB is old."),
        (TABLE, "bs ks ks", "| City | People |\n|---|---|\n| Rome | 3 million |\n\nEnd of it all."),
        (TABLE, "ks bs ks", "| City | People |\n|---|---|\n| Paris | 2 million |\n\nEnd of it all."),
        (TABLE, "bs bs ks", "| City | People |\n|---|---|\n\nEnd of it all."),
        ("> A is old.\n> B is old.\n\nC is old.", "bs ks ks", "> B is old.\n\nC is old."),
        ("> A is old.\n> B is old.\n\nC is old.", "ks bs ks", "> A is old.\n\nC is old."),
        ("> A is old.\n> B is old.\n\nC is old.", "bs bs ks", "C is old."),
        # Markup around several sentences stays closed.
        ("**A is old. B is old.**", "bs ks", "**B is old.**"),
        ("**A is old. B is old.**", "ks bs", "**A is old.**"),
        # Other actions go on beside it.
        ("A is old. B is old. It is old.", "au bs hs", "A is old [not checked]. Possibly, it is old."),
    ],
)  # fmt: skip
def test_dropping(guarded: Guarded, answer: str, codes: str, expected: str) -> None:
    result = guarded(answer, codes, block_mode="drop", sentence_message="[removed]")
    assert result.text == expected
    assert not result.blocked


@pytest.mark.parametrize(
    ("answer", "codes", "expected"),
    [
        ("A is old. B is old. C is old.", "ks bs ks", "A is old. [removed] C is old."),
        ("A is old. B is old. C is old.", "bs bs ks", "[removed] C is old."),
        (PAIR + " A is old.", "ks bs ks", "Paris is the capital of France. A is old."),
        (PAIR + " A is old.", "bs ks ks", "Paris has 2 million people. A is old."),
        ("The tower, which was built in 1950, is 330 m tall. A is old.", "bs ks ks", "[removed] A is old."),
        ("- A is old.\n- B is old.", "ks bs", "- A is old.\n- [removed]"),
        (STEPS, "ks bs ks ks", STEPS.replace("Two is second.", "[removed]")),
        ("> A is old.\n> B is old.", "ks bs", "> A is old.\n> [removed]"),
        (TABLE, "bs ks ks", TABLE.replace("| Paris | 2 million |", "| [removed] | – |")),
    ],
)
def test_replacing(guarded: Guarded, answer: str, codes: str, expected: str) -> None:
    result = guarded(answer, codes, block_mode="replace", sentence_message="[removed]")
    assert result.text == expected


def test_a_message_with_a_pipe_does_not_break_a_table(guarded: Guarded) -> None:
    text = guarded(TABLE, "bs ks ks", block_mode="replace", sentence_message="a|b\nc").text
    assert "| a\\|b c | – |\n" in text


@pytest.mark.parametrize(
    ("answer", "codes"),
    [
        ("Paris is the capital of France, and it is old.", "bs ks"),
        ("The tower, which was built in 1950, is 330 m tall.", "bs ks"),
    ],
)
def test_claims_that_go_with_a_blocked_one_are_named(guarded: Guarded, answer: str, codes: str) -> None:
    result = guarded("It is so. " + answer, "ks " + codes, block_mode="drop")
    assert result.text == "It is so."
    assert len(result.notes) == 1
    assert "could not be split" in result.notes[0]


def test_a_sentence_that_may_have_lost_what_it_refers_to_is_named(guarded: Guarded) -> None:
    result = guarded("The tower is old. It was built in 1889.", "bs ks", block_mode="drop")
    assert result.text == "It was built in 1889."
    assert result.notes == ("the sentence behind claim 1 begins with “It”; check what it refers to",)


def test_too_little_left_replaces_the_answer(guarded: Guarded) -> None:
    answer = "A is very old indeed. B is old."
    policy = {"answer_message": "Sorry.", "block_mode": "drop"}
    blocked = guarded(answer, "bs ks", min_kept=0.5, **policy)
    assert blocked.text == "Sorry."
    assert blocked.blocked
    assert [(edit.start, edit.end) for edit in blocked.edits] == [(0, len(answer))]
    assert blocked.notes == ("the answer was replaced: too little of the answer was left",)
    assert not guarded(answer, "bs ks", min_kept=0.2, **policy).blocked
    assert not guarded(answer, "ks bs", min_kept=0.5, **policy).blocked


def test_an_answer_is_never_left_empty(guarded: Guarded) -> None:
    result = guarded("A is old.", "bs", block_mode="drop", answer_message="Sorry.")
    assert result.text == "Sorry."
    assert result.blocked


def test_claims_lost_with_a_blocked_one_count_as_lost(guarded: Guarded) -> None:
    answer = "Paris is the capital of France, and it is very, very old."
    assert guarded(answer, "bs ks", min_kept=0.3).blocked
    assert not guarded(answer, "ks bs", min_kept=0.3).blocked
