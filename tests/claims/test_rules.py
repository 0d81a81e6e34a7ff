from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.claims import BlockKind, ClaimExtractor, Extraction, RuleExtractor, split_blocks
from franq_guard.errors import ConfigError
from franq_guard.schema import Claim
from tests.claims.texts import patient, texts


def extract(answer: str, question: str = "") -> tuple[Claim, ...]:
    return RuleExtractor().extract(answer, question=question).claims


def checked(answer: str, question: str = "") -> list[str]:
    return [claim.text for claim in extract(answer, question) if claim.checkworthy]


def assert_consistent(answer: str, extraction: Extraction) -> None:
    """Every span is exact, claims are in order, and nothing but markup is left out."""
    claims = extraction.claims
    assert [claim.index for claim in claims] == list(range(len(claims)))
    places = [[(span.start, span.end) for span in claim.spans] for claim in claims]
    assert places == sorted(places)
    covered = set()
    for claim in claims:
        assert claim.checkworthy == (claim.reason == "")
        assert claim.text
        edges = [edge for span in claim.spans for edge in (span.start, span.end)]
        assert edges == sorted(edges)
        for span in (*claim.spans, claim.sentence):
            assert answer[span.start : span.end] == span.text == span.text.strip() != ""
        assert claim.sentence.start <= claim.spans[0].start < claim.sentence.end
        covered.update(range(claim.sentence.start, claim.sentence.end))
    for block in split_blocks(answer):
        inside = {at for start, end in block.lines for at in range(start, end)}
        assert block.kind is not BlockKind.MARKUP or not inside
        assert all(at in covered or answer[at].isspace() for at in inside)


def test_it_is_a_claim_extractor() -> None:
    assert isinstance(RuleExtractor(), ClaimExtractor)


def test_an_answer_becomes_atomic_claims_in_order() -> None:
    answer = (
        "Great question! The Eiffel Tower is in Paris. It was built in 1889 and has 3 levels. Anything else?"
    )
    claims = extract(answer)
    assert [(claim.text, claim.source_text, claim.reason) for claim in claims] == [
        ("Great question!", "Great question!", "meta talk"),
        ("The Eiffel Tower is in Paris.", "The Eiffel Tower is in Paris.", ""),
        ("The Eiffel Tower was built in 1889", "It was built in 1889", ""),
        ("The Eiffel Tower has 3 levels", "has 3 levels", ""),
        ("Anything else?", "Anything else?", "question"),
    ]
    assert claims[3].sentence.text == "It was built in 1889 and has 3 levels."
    assert {claim.extractor for claim in claims} == {"rules"}


def test_a_refusal_does_not_hide_the_fact_beside_it() -> None:
    answer = "The documents do not mention the price, but Paris is the capital."
    assert [claim.reason for claim in extract(answer)] == ["refusal", ""]
    assert checked(answer) == ["Paris is the capital"]


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Is Paris in France?", "Yes.", ["Paris is in France."]),
        ("Is Paris in Germany?", "No.", ["Paris is not in Germany."]),
        ("Is Paris in Germany?", "No, it isn't.", ["Paris is not in Germany."]),
        (
            "Is Paris in Germany?",
            "No, Paris is in France.",
            ["Paris is not in Germany.", "Paris is in France."],
        ),
        (
            "Is the Louvre in Paris?",
            "Yes. It is in France.",
            ["The Louvre is in Paris.", "The Louvre is in France."],
        ),
        ("Is Marie Curie Polish?", "No.", ["Is Marie Curie Polish: No."]),
        ("True or false: Paris is in Germany.", "False.", ["It is false that Paris is in Germany."]),
        ("What is the capital of France?", "Paris", ["What is the capital of France: Paris"]),
        ("When was it built?", "1889", ["When was it built: 1889"]),
        ("How high is it?", "about 300 metres.", ["How high is it: about 300 metres."]),
        ("What?", "**Paris**", ["What: Paris"]),
        ("What?", "# Paris", ["What: Paris"]),
        ("What is the capital of France?", "It is Paris.", ["It is Paris."]),
        ("法国的首都是什么？", "巴黎", ["法国的首都是什么: 巴黎"]),
        ("", "Paris", ["Paris"]),
        ("", "Yes.", []),
    ],
)
def test_short_answers_take_the_question_in(question: str, answer: str, expected: list[str]) -> None:
    assert checked(answer, question) == expected


def test_the_span_of_a_short_answer_is_the_answer() -> None:
    (claim,) = extract("  Paris ", "What is the capital of France?")
    assert (claim.spans[0].start, claim.spans[0].end, claim.source_text) == (2, 7, "Paris")


def test_list_items_take_in_the_line_above() -> None:
    answer = "The airports of Paris:\n\n- Orly\n- Beauvais is far away.\n"
    claims = extract(answer)
    assert [claim.text for claim in claims][1:] == ["The airports of Paris: Orly", "Beauvais is far away."]
    assert claims[1].sentence.text == claims[1].source_text == "Orly"


def test_table_rows_name_their_columns() -> None:
    answer = (
        "| Country | Capital | **Note** |\n|---|---|---|\n"
        "| France | Paris | |\n| Spain | [Madrid](https://a.b) | old |"
    )
    header, first, second = extract(answer)
    assert header.reason == "table header"
    assert (first.text, first.source_text) == ("Country: France; Capital: Paris", "France | Paris")
    assert second.text == "Country: Spain; Capital: Madrid; Note: old"


def test_repeated_sentences_are_separate_claims() -> None:
    claims = extract("It rains. It rains. It rains.")
    assert [claim.spans[0].start for claim in claims] == [0, 10, 20]


def test_other_languages_are_split_into_sentences() -> None:
    answer = "巴黎是法国的首都，它很大。它在欧洲。"
    assert checked(answer) == ["巴黎是法国的首都，它很大。", "它在欧洲。"]
    assert checked("Paris est la capitale de la France et elle est très grande.") == [
        "Paris est la capitale de la France et elle est très grande."
    ]


def test_code_is_left_alone() -> None:
    (claim,) = extract("```python\nx = 1\n```")
    assert (claim.checkworthy, claim.reason) == (False, "code")


def test_claims_beyond_the_limit_are_kept_and_noted() -> None:
    extraction = RuleExtractor(max_claims=3).extract("It rains. " * 5)
    assert len(extraction.claims) == 5
    assert extraction.notes == ("claims beyond the first 3 are not checked",)
    assert RuleExtractor(max_claims=5).extract("It rains. " * 5).notes == ()
    with pytest.raises(ConfigError, match="max_claims"):
        RuleExtractor(max_claims=0)


def test_claims_can_be_encoded() -> None:
    (claim,) = extract("Paris \ud800 is\x00 in\u202e France.")
    assert claim.text == "Paris \ufffd is in France."
    assert claim.source_text == "Paris \ud800 is\x00 in\u202e France."


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " \t\r\n\u2003",
        "\x00",
        "\ud800",
        "😀 👍🏽",
        "```\nx = {1}\n",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "باريس عاصمة فرنسا. هي كبيرة.",
        "巴黎是法国的首都。",
        "a" * 100_000,
        "It rains and it is cold. " * 600,
        "Paris is the capital of",
        'He said "it is so. And',
        "\u200b\u202eParis is big\u202c.\ufeff",
        "One.\r\nTwo is here.\r\n\r\n- Three\r\n",
        "- \n-\n1.\n>\n#\n---\n",
        "(" * 5000 + '"' * 5001,
        ", which is " * 3000,
        "A is x, and " * 2000,
    ],
    ids=lambda each: ascii(each[:12]),
)
def test_bad_input(answer: str) -> None:
    extraction = RuleExtractor().extract(answer, question="Is it so?")
    assert_consistent(answer, extraction)
    assert bool(extraction.claims) == any(block.lines for block in split_blocks(answer))


def test_white_space_has_no_claims() -> None:
    assert extract(" \n\t ") == ()


@patient
@given(texts, st.sampled_from(["", "Is Paris in France?", "What is it?"]) | texts)
def test_any_answer_is_covered_by_exact_spans(answer: str, question: str) -> None:
    assert_consistent(answer, RuleExtractor().extract(answer, question=question))
