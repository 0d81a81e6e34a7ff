"""Parts of an answer that is still being written; what was shown cannot be taken back."""

from collections.abc import Callable
from typing import Any

import pytest

from franq_guard.policy import Policy
from franq_guard.rewriting import Edit, rewrite, rewrite_growing
from franq_guard.schema import ScoredClaim

Scored = Callable[[str, str], list[ScoredClaim]]

ANSWER = "It is old. It is new. It is red."
FIRST, SECOND = len("It is old. "), len("It is old. It is new. ")
STEPS = "1. One is old.\n2. Two is old.\n3. Three is old.\n"


@pytest.mark.parametrize(
    ("codes", "start", "settings", "expected"),
    [
        ("ks as ks", FIRST, {}, "It is new [72% likely true · source 1]. It is red."),
        ("as ks as", FIRST, {}, "It is new. It is red [72% likely true · source 1]."),
        ("hs ks hs", FIRST, {}, "It is new. Possibly, it is red."),
        ("ks hs ks", FIRST, {}, "Possibly, it is new. It is red."),
        # What was removed before stays away, and what is removed now leaves no gap that can be helped.
        ("bs ks ks", FIRST, {"block_mode": "drop"}, "It is new. It is red."),
        ("bs bs ks", FIRST, {"block_mode": "drop"}, "It is red."),
        ("ks ks bs", FIRST, {"block_mode": "drop"}, "It is new."),
        ("ks bs ks", FIRST, {"block_mode": "replace"}, "[removed] It is red."),
        # One message stands for sentences in a row: it was shown with the first.
        ("bs bs ks", FIRST, {"block_mode": "replace"}, " It is red."),
        ("bs ks bs", FIRST, {"block_mode": "replace"}, "It is new. [removed]"),
        ("ks ks ks", FIRST, {}, "It is new. It is red."),
    ],
)
def test_a_part_from_the_middle(
    scored: Scored, codes: str, start: int, settings: dict[str, Any], expected: str
) -> None:
    policy = Policy(**{"min_kept": 0, "sentence_message": "[removed]", **settings})
    result = rewrite_growing(ANSWER, scored(ANSWER, codes), policy, start=start, last=False)
    assert result.text == expected
    assert not result.blocked
    assert all(edit.start >= start for edit in result.edits)


def test_the_first_part_is_not_the_whole(scored: Scored) -> None:
    policy = Policy(min_kept=1, annotation="footnotes", block_mode="drop")
    claims = scored(ANSWER, "as bs ks")
    part = rewrite_growing(ANSWER, claims, policy, start=0, last=False)
    assert (part.text, part.blocked) == ("It is old.[^g1] It is red.", False)
    whole = rewrite_growing(ANSWER, claims, policy, start=0, last=True)
    assert whole == rewrite(ANSWER, claims, policy)
    assert whole.blocked


def test_footnotes_come_with_the_last_part(scored: Scored) -> None:
    policy = Policy(annotation="footnotes")
    claims = scored(ANSWER, "au an au")
    part = rewrite_growing(ANSWER, claims, policy, start=FIRST, last=False)
    assert part.text == "It is new.[^g2] It is red.[^g3]"
    last = rewrite_growing(ANSWER, claims, policy, start=SECOND, last=True)
    assert last.text == (
        "It is red.[^g3]\n\n[^g1]: Not checked: the deadline passed.\n"
        "[^g2]: 72% likely true. The sources do not mention it.\n"
        "[^g3]: Not checked: the deadline passed."
    )


def test_too_little_in_the_end_is_said_behind_what_was_shown(scored: Scored) -> None:
    policy = Policy(min_kept=0.5, block_mode="drop", answer_message="Sorry.")
    claims = scored(ANSWER, "bs bs ks")
    last = rewrite_growing(ANSWER + "\n", claims, policy, start=SECOND, last=True)
    assert (last.text, last.blocked) == ("It is red.\n\nSorry.", True)
    assert "too little" in last.notes[-1]
    assert not rewrite_growing(ANSWER, claims, policy, start=SECOND, last=False).blocked
    enough = Policy(min_kept=0.3, block_mode="drop")
    assert not rewrite_growing(ANSWER, claims, enough, start=SECOND, last=True).blocked


def test_numbers_go_on_behind_items_that_were_not_shown(scored: Scored) -> None:
    policy = Policy(min_kept=0, block_mode="drop")
    claims = scored(STEPS, "bs ks ks")
    second = STEPS.index("2.")
    result = rewrite_growing(STEPS, claims, policy, start=second, last=False)
    assert result.text == "1. Two is old.\n2. Three is old.\n"
    assert result.edits[0] == Edit(second, second + 1, "1")


def test_a_sentence_is_named_once_where_it_begins(scored: Scored) -> None:
    policy = Policy(min_kept=0, block_mode="drop")
    claims = scored(ANSWER, "bs ks ks")
    first = rewrite_growing(ANSWER, claims, policy, start=FIRST, last=False)
    assert first.notes == ("the sentence behind claim 1 begins with “It”; check what it refers to",)
    assert rewrite_growing(ANSWER, claims, policy, start=SECOND, last=False).notes == ()


def test_notes_on_what_was_shown_are_not_repeated(scored: Scored) -> None:
    answer = "Paris is the capital of France, and it is old. It is red."
    claims = scored(answer, "bs ks ks")
    policy = Policy(min_kept=0, block_mode="drop")
    assert "could not be split" in rewrite_growing(answer, claims, policy, start=0, last=False).notes[0]
    later = rewrite_growing(answer, claims, policy, start=answer.index("It is red"), last=False)
    assert not any("could not be split" in note for note in later.notes)


@pytest.mark.parametrize("answer", ["", " \n"])
def test_nothing_stays_nothing(answer: str) -> None:
    assert rewrite_growing(answer, [], Policy(), start=0, last=False).text == answer
