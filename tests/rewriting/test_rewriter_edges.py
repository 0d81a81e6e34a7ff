"""How much is left, which notes are made, and who caused an edit."""

from collections.abc import Callable

import pytest
from fakes import make_guard

from franq_guard.policy import Policy
from franq_guard.rewriting import Edit, Rewriting, rewrite
from franq_guard.schema import Action, ScoredClaim, Span, Verdict

Scored = Callable[[str, str], list[ScoredClaim]]
Guarded = Callable[..., Rewriting]


def claims_of(answer: str, *parts: tuple[str, Action], checkworthy: bool = True) -> list[ScoredClaim]:
    """One claim for each sentence."""
    found = []
    for at, (words, action) in enumerate(parts):
        start = answer.index(words)
        span = Span.of(answer, start, start + len(words))
        found.append(
            ScoredClaim(
                index=at,
                text="x",
                spans=(span,),
                sentence=span,
                action=action,
                verdict=Verdict.SUPPORTED,
                p_true=0.1,
                checkworthy=checkworthy,
            )
        )
    return found


@pytest.mark.parametrize(("min_kept", "blocked"), [(0.0, False), (0.5, False), (0.51, True), (1.0, True)])
def test_just_enough_is_enough(guarded: Guarded, min_kept: float, blocked: bool) -> None:
    assert guarded("A is old. B is old.", "bs ks", min_kept=min_kept).blocked is blocked
    assert guarded("A is old. B is old.", "ks bs", min_kept=min_kept).blocked is blocked


def test_white_space_is_no_part_of_an_answer() -> None:
    answer = "A  is   old. B \t is \n old."
    claims = claims_of(answer, ("A  is   old.", Action.KEEP), ("B \t is \n old.", Action.BLOCK))
    assert not rewrite(answer, claims, Policy(min_kept=0.5)).blocked


def test_what_two_claims_share_is_lost_with_either_and_counts_once() -> None:
    answer = "A is old. B is old. C is old."
    claims = claims_of(
        answer, ("A is old.", Action.KEEP), ("B is old.", Action.BLOCK), ("C is old.", Action.KEEP)
    )
    twice = [*claims, ScoredClaim(**{**_fields(claims[1]), "index": 3})]
    assert not rewrite(answer, twice, Policy(min_kept=0.66)).blocked
    assert rewrite(answer, twice, Policy(min_kept=0.67)).blocked


def test_a_long_claim_behind_a_short_one_is_measured_where_it_stands(guarded: Guarded) -> None:
    answer = "A is old. B is a very old and tall tower."
    share = 1 - 7 / len(answer.replace(" ", ""))
    assert not guarded(answer, "bs ks", min_kept=share - 0.01).blocked
    assert guarded(answer, "bs ks", min_kept=share + 0.01).blocked


def _fields(claim: ScoredClaim) -> dict[str, object]:
    return {name: getattr(claim, name) for name in claim.__dataclass_fields__}


def test_what_is_not_checkworthy_does_not_count() -> None:
    answer = "Hello there, my friend. A is old. B is old."
    parts = (("A is old.", Action.BLOCK), ("B is old.", Action.KEEP))
    greeting = claims_of(answer, ("Hello there, my friend.", Action.KEEP), checkworthy=False)
    rest = [
        ScoredClaim(**{**_fields(claim), "index": claim.index + 1}) for claim in claims_of(answer, *parts)
    ]
    assert rewrite(answer, [*greeting, *rest], Policy(min_kept=0.51)).blocked
    idle = claims_of(answer, *parts, checkworthy=False)
    assert not rewrite(answer, idle, Policy(min_kept=1.0)).blocked


@pytest.mark.parametrize("answer", ["A is old.", "A is old. —", "**A is old.** …\n"])
def test_an_answer_of_which_signs_are_left_is_replaced(answer: str) -> None:
    claims = claims_of(answer, ("A is old.", Action.BLOCK))
    result = rewrite(answer, claims, Policy(min_kept=0, block_mode="drop", answer_message="Sorry."))
    assert (result.text, result.blocked) == ("Sorry.", True)
    assert result.edits == (Edit(0, len(answer), "Sorry."),)
    assert len(result.notes) == 1 and "nothing" in result.notes[0]


def test_notes_name_every_claim(guarded: Guarded) -> None:
    answer = "Paris is the capital of France, and it is old. It is so."
    (note, *_) = guarded(answer, "bs ks ks", block_mode="drop").notes
    assert note.startswith("claim 2 went with claim 1:")
    answer = "It is so. Either Paris is old, or Lyon is old, or Rome is old."
    claims = claims_of(answer, ("It is so.", Action.KEEP))
    sentence = Span.of(answer, 10, len(answer))
    for at, words in enumerate(("Paris is old", "Lyon is old", "Rome is old"), 1):
        start = answer.index(words)
        span = Span.of(answer, start, start + len(words))
        action = Action.BLOCK if at == 2 else Action.KEEP
        claims.append(
            ScoredClaim(
                index=at, text="x", spans=(span,), sentence=sentence, action=action,
                verdict=Verdict.SUPPORTED, p_true=0.1,
            )
        )  # fmt: skip
    (note,) = rewrite(answer, claims, Policy(min_kept=0, block_mode="drop")).notes
    assert note.startswith("claims 2, 4 went with claim 3:")


@pytest.mark.parametrize(
    ("answer", "codes", "notes"),
    [
        ("The tower is old. It is tall. It is red.", "bs ks ks", 1),
        ("The tower is old. It is tall. It is red.", "bs bs ks", 1),
        ("The tower is old. The hall is tall. It is red.", "bs ks ks", 0),
        ("The tower is old. It is tall. It is red.", "ks ks bs", 0),
        ("The tower is old. It is tall. A is old. It is red.", "bs ks bs ks", 2),
    ],
)
def test_sentences_that_refer_back_are_named_each(
    guarded: Guarded, answer: str, codes: str, notes: int
) -> None:
    found = guarded(answer, codes, block_mode="drop").notes
    assert len(found) == notes
    assert all("“It”" in note for note in found)


def test_a_mark_beside_code_that_is_set_in_is_plain() -> None:
    answer = "- So:\n\n  ```\n  x = 1\n  ```\n\nIt is so."
    code = "```\n  x = 1\n  ```"
    claims = claims_of(answer, (code, Action.HEDGE), ("It is so.", Action.KEEP))
    result = rewrite(answer, claims, Policy())
    assert result.text == answer.replace(code, f"{code}\n\n  [10% likely true]")
    assert len(result.notes) == 1 and "claim 1 got a plain marker" in result.notes[0]


def test_actions_of_one_sentence_go_together(guarded: Guarded) -> None:
    # A part is cut off, and what stays is hedged or annotated.
    answer = "Paris is the capital of France and has 2 million people."
    hedged = guarded(answer, "hn bs", block_mode="drop")
    assert hedged.text == "The documents do not mention this: Paris is the capital of France."
    assert [edit.claim for edit in hedged.edits] == [0, 1]
    marked = guarded(answer, "an bs", block_mode="drop")
    assert marked.text == "Paris is the capital of France [72% likely true · not in the sources]."


def test_markers_of_one_sentence_stand_in_the_order_of_their_words(guarded: Guarded) -> None:
    answer = "Paris is the capital of France and has 2 million people."
    result = guarded(answer, "an au", annotation="footnotes")
    assert result.text.startswith(
        "Paris is the capital of France[^g1] and has 2 million people.[^g2]\n\n[^g1]: 72%"
    )


class Reword:
    """Stands for a model: says "perhaps" where it is asked to."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def rephrase(self, sentences: list[tuple[str, tuple[ScoredClaim, ...]]]) -> list[str | None]:
        self.asked += [text for text, _ in sentences]
        return [text.replace(" is ", " is perhaps ") if "red" not in text else None for text, _ in sentences]


def test_rewording_replaces_a_sentence_for_its_claim(scored: Scored) -> None:
    answer = "It is old. It is new. It is red. So it is."
    model = Reword()
    result = rewrite(answer, scored(answer, "hs ks hs ks"), Policy(), rephraser=model)
    assert model.asked == ["It is old.", "It is red."]
    assert result.text == "It is perhaps old. It is new. Possibly, it is red. So it is."
    assert result.edits[0] == Edit(0, 10, "It is perhaps old.", 0)


def test_rewording_several_claims_names_none(scored: Scored) -> None:
    answer = "Paris is the capital of France and has 2 million people."
    result = rewrite(answer, scored(answer, "hs hs"), Policy(), rephraser=Reword())
    assert result.edits == (Edit(0, len(answer), answer.replace(" is ", " is perhaps "), None),)


def test_what_is_broken_over_lines_is_not_reworded(scored: Scored) -> None:
    answer = "The tower is very\nold and tall indeed."
    model = Reword()
    rewrite(answer, scored(answer, "hs"), Policy(), rephraser=model)
    assert model.asked == []


def test_a_sentence_in_bold_goes_with_its_marks():
    policy = Policy(annotate_below=None, hedge_below=None, block_below=0.5, block_mode="drop")
    answer = "The tower is tall. **Zebras sleep.** It is in Paris."
    report = make_guard(policy=policy).check("How tall?", ["The tower is tall.", "It is in Paris."], answer)
    assert report.text == "The tower is tall. It is in Paris."


@pytest.mark.parametrize("mark", ["*", "**", "***"])
def test_emphasis_over_several_sentences_stays_closed(mark):
    policy = Policy(annotate_below=None, hedge_below=None, block_below=0.5, block_mode="drop")
    passages = ["The tower is tall.", "It is in Paris."]
    for answer, expected in (
        (
            "{0}The tower is tall. Zebras sleep.{0} It is in Paris.",
            "{0}The tower is tall.{0} It is in Paris.",
        ),
        (
            "It is in Paris. {0}Zebras sleep. The tower is tall.{0}",
            "It is in Paris. {0}The tower is tall.{0}",
        ),
    ):
        report = make_guard(policy=policy).check("How tall?", passages, answer.format(mark))
        assert report.text == expected.format(mark)
