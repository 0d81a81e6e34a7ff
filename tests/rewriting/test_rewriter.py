import dataclasses
import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.claims.rules import RuleExtractor
from franq_guard.errors import InputError
from franq_guard.policy import Policy
from franq_guard.rewriting import Edit, Rewriting, rewrite
from franq_guard.schema import Action, Passage, ScoredClaim, Span, Verdict

Scored = Callable[[str, str], list[ScoredClaim]]
Guarded = Callable[..., Rewriting]

EXTRACTOR = RuleExtractor()
CODE = "```py\nprint('The tower is tall. It is old.')  # **x** [1]\n```"
TABLE = "| City | People |\n|---|:-:|\n| Paris | 2 million [1] |\n| Rome | 3 \\| 4 million |"
PIECES = st.sampled_from(
    [
        "Paris is the capital of France and has 2 million people.",
        "The tower, which was built in 1889, is 330 m tall [1].",
        "However, it may be old; and it is “very big”.",
        "Is it tall?",
        "It is (as far as I know) **red** and *tall*!",
        "**It is old. It is new.**",
        'He said: "The tower is tall."',
        "See [the page](http://a.b/c_(d)) or `x ** y`.",
        "\n\n",
        "\n",
        "\n- The tower has three levels. It is old.\n  - It is nested.\n- **Height:** 330 m",
        "\n1. First is easy.\n2. Second is hard.\n3. Third is late.\n",
        "\n\n> It is quoted.\n> And it is old,\n> very old.\n\n",
        "\n\n# The heading\n\n",
        f"\n\n{TABLE}\n\n",
        f"\n\n{CODE}\n\n",
        "\n```\nopen fence",
        "埃菲尔铁塔高330米。它很旧。",
        "Die Stadt Paris ist die Hauptstadt von Frankreich und hat sehr viele Einwohner.",
        "\ud800 \x00 \x1b[31m",
        '((( ** __ `` " “ [',
        "[^g1] It is noted.[^1]",
    ]
)
ANSWERS = st.lists(PIECES | st.text(max_size=10), max_size=8).map(" ".join) | st.text(
    st.characters(exclude_categories=()), max_size=80
)
POLICIES = st.builds(
    Policy,
    annotation=st.sampled_from(["inline", "footnotes"]),
    block_mode=st.sampled_from(["drop", "replace"]),
    sentence_message=st.just("[removed]"),
    min_kept=st.sampled_from([0.0, 0.5]),
)
CHECKED = st.sampled_from([Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.NOT_MENTIONED, Verdict.UNCHECKED])


@st.composite
def decided(draw: st.DrawFn, actions: st.SearchStrategy[Action]) -> tuple[str, list[ScoredClaim]]:
    answer = draw(ANSWERS)
    claims = []
    for claim in EXTRACTOR.extract(answer).claims:
        verdict = draw(CHECKED)
        claims.append(
            ScoredClaim(
                **{field.name: getattr(claim, field.name) for field in dataclasses.fields(claim)},
                action=draw(actions) if claim.checkworthy else Action.KEEP,
                verdict=verdict,
                p_true=None if verdict is Verdict.UNCHECKED else draw(st.floats(0, 1)),
            )
        )
    return answer, claims


def apply(answer: str, edits: tuple[Edit, ...]) -> str:
    """The reference: from the last edit to the first, so that positions stay valid."""
    for edit in reversed(edits):
        answer = answer[: edit.start] + edit.replacement + answer[edit.end :]
    return answer


def bare_markers(text: str) -> int:
    return len(re.findall(r"^[ \t]*(?:[-*]|\d+\.|#+)[ \t]*$", text, re.MULTILINE))


@given(decided(st.sampled_from(Action)), POLICIES)
def test_edits_are_sorted_disjoint_and_give_the_text(
    given: tuple[str, list[ScoredClaim]], policy: Policy
) -> None:
    answer, claims = given
    result = rewrite(answer, claims, policy, passages=[Passage("The tower is old.")])
    assert apply(answer, result.edits) == result.text
    for edit in result.edits:
        assert 0 <= edit.start <= edit.end <= len(answer)
        assert edit.start < edit.end or edit.replacement
    for edit, following in pairwise(result.edits):
        assert edit.end <= following.start
        assert (edit.start, edit.end) != (following.start, following.end)
    if result.blocked:
        assert result.text == policy.answer_message
    else:
        assert bare_markers(result.text) <= bare_markers(answer)


@given(decided(st.just(Action.KEEP)), POLICIES)
def test_an_answer_that_is_kept_stays_bit_for_bit(
    given: tuple[str, list[ScoredClaim]], policy: Policy
) -> None:
    answer, claims = given
    assert rewrite(answer, claims, policy) == Rewriting(answer)


@given(decided(st.sampled_from([Action.KEEP, Action.ANNOTATE, Action.HEDGE])), POLICIES)
def test_without_blocking_nothing_is_lost_but_capitals(
    given: tuple[str, list[ScoredClaim]], policy: Policy
) -> None:
    answer, claims = given
    result = rewrite(answer, claims, policy)
    assert not result.blocked
    for edit in result.edits:
        gone = answer[edit.start : edit.end]
        assert gone == "" or edit.replacement == gone.lower()


@given(decided(st.sampled_from(Action)), POLICIES)
def test_code_and_tables_stay_valid(given: tuple[str, list[ScoredClaim]], policy: Policy) -> None:
    answer, claims = given
    answer = f"{answer}\n\n{CODE}\n\n{TABLE}"
    extracted = EXTRACTOR.extract(answer).claims
    if "```\nopen" in answer or not any(claim.reason == "code" for claim in extracted):
        return
    scored = [
        ScoredClaim(
            **{field.name: getattr(claim, field.name) for field in dataclasses.fields(claim)},
            action=claims[at % len(claims)].action if claims and claim.checkworthy else Action.KEEP,
            verdict=Verdict.UNCHECKED,
        )
        for at, claim in enumerate(extracted)
    ]
    result = rewrite(answer, scored, policy)
    if result.blocked:
        return
    assert CODE in result.text
    table = result.text[result.text.rindex("| City") :].split("\n\n")[0]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in table.split("\n")} == {3}


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=40), st.data())
def test_claims_with_any_spans_can_be_rewritten(answer: str, data: st.DataObject) -> None:
    def span() -> Span:
        start = data.draw(st.integers(0, len(answer) - 1))
        return Span.of(answer, start, data.draw(st.integers(start + 1, len(answer))))

    claims = [
        ScoredClaim(
            index=at,
            text="x",
            spans=tuple(span() for _ in range(data.draw(st.integers(1, 3)))),
            sentence=span(),
            action=data.draw(st.sampled_from(Action)),
            verdict=data.draw(CHECKED),
            p_true=0.5,
        )
        for at in range(data.draw(st.integers(0, 4)))
    ]
    result = rewrite(answer, claims, data.draw(POLICIES))
    assert apply(answer, result.edits) == result.text


def test_claims_of_another_answer_are_refused(scored: Scored) -> None:
    claims = scored("It is old.", "as")
    with pytest.raises(InputError, match=r"claim 0: the answer has no 'It is old\.' at 0"):
        rewrite("It is new.", claims, Policy())


def test_a_claim_that_fills_another_sentence_is_blocked_there_too() -> None:
    answer = "The tower is old. It was built in 1650. It stands in Paris."
    spans = (Span.of(answer, 4, 9), Span.of(answer, 18, 39))
    false_claim = ScoredClaim(
        index=0,
        text="The tower was built in 1650.",
        spans=spans,
        sentence=Span.of(answer, 0, 17),
        action=Action.BLOCK,
    )
    others = [
        ScoredClaim(index=at, text="x", spans=(span,), sentence=span, action=Action.KEEP)
        for at, span in (
            (1, Span.of(answer, 0, 17)),
            (2, Span.of(answer, 18, 39)),
            (3, Span.of(answer, 40, 59)),
        )
    ]
    result = rewrite(answer, [false_claim, *others], Policy(block_mode="drop"))
    assert result.text == "The tower is old. It stands in Paris."


def parts(answer: str, *pieces: tuple[tuple[str, ...], Action]) -> list[ScoredClaim]:
    """Claims of one sentence, each with the words that express it."""
    sentence = Span.of(answer, 0, len(answer))
    claims = []
    for at, (words, action) in enumerate(pieces):
        starts = [answer.index(word) for word in words]
        spans = tuple(
            Span.of(answer, start, start + len(word)) for start, word in zip(starts, words, strict=True)
        )
        claims.append(
            ScoredClaim(
                index=at,
                text="x",
                spans=spans,
                sentence=sentence,
                action=action,
                verdict=Verdict.SUPPORTED,
                p_true=0.4,
            )
        )
    return claims


@pytest.mark.parametrize(
    ("answer", "first", "second", "actions", "expected"),
    [
        # A shared subject does not count as a claim's own words.
        (
            "Paris is old and has 2 million people.",
            ("Paris", "is old"),
            ("Paris", "has 2 million people"),
            (Action.KEEP, Action.HEDGE),
            "Paris is old and possibly has 2 million people.",
        ),
        # Doubt about one part is not doubt about another.
        (
            "Paris is possibly old and has 2 million people.",
            ("Paris is possibly old",),
            ("has 2 million people",),
            (Action.HEDGE, Action.HEDGE),
            "Paris is possibly old and possibly has 2 million people.",
        ),
        # Doubt that opens a sentence holds for all of it.
        (
            "Perhaps Paris is old and has 2 million people.",
            ("Perhaps Paris is old",),
            ("has 2 million people",),
            (Action.HEDGE, Action.HEDGE),
            "Perhaps Paris is old and has 2 million people.",
        ),
        # Inside parentheses, asides are in brackets.
        (
            "Paris is old (it has 2 million people).",
            ("Paris is old",),
            ("it has 2 million people",),
            (Action.KEEP, Action.HEDGE),
            "Paris is old (possibly it has 2 million people).",
        ),
        (
            "Paris is old (2 million people).",
            ("Paris is old",),
            ("million people",),
            (Action.KEEP, Action.HEDGE),
            "Paris is old (2 million people [uncertain]).",
        ),
        # Parentheses go with what they hold.
        (
            "Paris (2 million people) is old.",
            ("Paris", "is old"),
            ("2 million people",),
            (Action.KEEP, Action.BLOCK),
            "Paris is old.",
        ),
        # The last part of a list goes, and the list is closed again.
        (
            "Paris is old, has parks, and was bombed.",
            ("Paris is old", "has parks"),
            ("was bombed",),
            (Action.KEEP, Action.BLOCK),
            "Paris is old and has parks.",
        ),
        (
            "Paris is old, has parks, and lies by a river.",
            ("Paris is old", "lies by a river"),
            ("has parks",),
            (Action.KEEP, Action.BLOCK),
            "Paris is old, and lies by a river.",
        ),
        # What would mean something else alone goes as a whole.
        (
            "Either Paris is old or Rome is old.",
            ("Either Paris is old",),
            ("Rome is old",),
            (Action.KEEP, Action.BLOCK),
            "[removed]",
        ),
        (
            "Paris is old, Rome is young, and has parks.",
            ("Paris is old", "has parks"),
            ("Rome is young",),
            (Action.KEEP, Action.BLOCK),
            "[removed]",
        ),
        (
            "He said that Rome is old.",
            ("He said",),
            ("Rome is old",),
            (Action.KEEP, Action.BLOCK),
            "[removed]",
        ),
        # Overlapping claims can't be told apart.
        (
            "Paris is old and has parks.",
            ("Paris is old",),
            ("Paris", "has parks"),
            (Action.KEEP, Action.BLOCK),
            "[removed]",
        ),
    ],
)
def test_parts_of_a_sentence(
    answer: str,
    first: tuple[str, ...],
    second: tuple[str, ...],
    actions: tuple[Action, Action],
    expected: str,
) -> None:
    claims = parts(answer, (first, actions[0]), (second, actions[1]))
    policy = Policy(min_kept=0, block_mode="replace", sentence_message="[removed]")
    assert rewrite(answer, claims, policy).text == expected


def test_a_language_can_be_named(scored: Scored) -> None:
    claims = scored("Paris.", "hs")
    assert rewrite("Paris.", claims, Policy()).text == "Paris (uncertain)."
    assert rewrite("Paris.", claims, Policy(), language="de").text == "Paris [40%?]."
    german = [Passage("Die Stadt Paris ist die Hauptstadt von Frankreich und sehr alt.")]
    assert rewrite("Paris.", claims, Policy(), passages=german).text == "Paris [40%?]."


@pytest.mark.parametrize(
    ("passage", "opening"),
    [
        ("Ice is cold.", "This is uncertain: Water was"),
        ("In the sea, water is cold.", "Possibly, water was"),
        ("They called her Water.", "Possibly, Water was"),
        ("The water is called Old Water.", "This is uncertain: Water was"),
    ],
)
def test_passages_tell_nouns_from_names(scored: Scored, passage: str, opening: str) -> None:
    answer = "Water was hot."
    text = rewrite(answer, scored(answer, "hs"), Policy(), passages=[Passage(passage)]).text
    assert text == f"{opening} hot."


def test_probabilities_are_never_certain(scored: Scored) -> None:
    claims = [
        dataclasses.replace(claim, p_true=p) for claim in scored("It is old.", "as") for p in (0.0, 1.0)
    ]
    assert rewrite("It is old.", claims[:1], Policy()).text == "It is old [<1% likely true · source 1]."
    assert rewrite("It is old.", claims[1:], Policy()).text == "It is old [>99% likely true · source 1]."


def test_edits_name_their_claim(guarded: Guarded) -> None:
    result = guarded("It is old. It is new. It is red.", "ks as hs")
    assert [(edit.claim, edit.replacement) for edit in result.edits] == [
        (1, " [72% likely true · source 1]"),
        (2, "Possibly, "),
        (2, "i"),
    ]
