from __future__ import annotations

import pytest
from hypothesis import given

from franq_guard.claims import split_sentences
from tests.claims.texts import patient, texts

SPLITS = [
    # decimals, abbreviations, initials
    ["It is 3.5 m.", "The U.S. army, e.g. Dr. Smith and J. R. Smith, came.", "OK."],
    ["It fell to $3.5.", "Then it rose vs. 4.2 in Jan. 2020 at No. 5, i.e. approx. 3 p.m. on a Monday."],
    ["He takes vitamin C.", "It helps."],
    ["It is part of the .NET platform.", "It is free."],
    ["He was in Help! (1965) and Geum-soon! (2005).", "He sang."],
    # quotations, brackets, ellipsis
    ['He asked "Why? Because." and left.', "She stayed."],
    ["(This is so. And that.)", "Done."],
    ["It went on…", "Then it ended.", "Well..."],
    ['He said "hello.', "Then he left.", "The end."],
    # URLs and citations
    ["See https://a.b.c/d.html?e=f.g for more.", "Done."],
    ["Paris is nice.[1]", "It is big. [2][3]", "It is old. [doc 4]", "End."],
    # other scripts
    ["巴黎很大。", "它在法国！", "是吗？"],
    ["東京は大きい。", "人が多い。"],
    ["باريس عاصمة فرنسا.", "هل هي كبيرة؟", "نعم."],
    ["पेरिस राजधानी है।", "यह बड़ा है।"],
    ["😀 Hello 𝒳 world.", "It is fine. 👍🏽"],
    # the rest
    ["No.", "No.", "No."],
    ["A full sentence.", "and half a sen"],
    ["Half a sentence"],
]


@pytest.mark.parametrize("sentences", SPLITS, ids=lambda each: each[0][:24])
@pytest.mark.parametrize("between", [" ", "\n\n", "\r\n\r\n"])
def test_sentences(sentences: list[str], between: str) -> None:
    assert [span.text for span in split_sentences(between.join(sentences))] == sentences


@pytest.mark.parametrize("text", ["巴黎很大。它在法国！是吗？", "東京は大きい。人が多い。"])
def test_scripts_without_spaces(text: str) -> None:
    assert all(span.text[-1] in "。！？" for span in split_sentences(text))
    assert len(split_sentences(text)) == sum(map(text.count, "。！？"))


def test_repeated_sentences_have_their_own_places() -> None:
    assert [(span.start, span.end) for span in split_sentences("No. No. No.")] == [(0, 3), (4, 7), (8, 11)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\nText.", ["# Title", "Text."]),
        ("1. One. Two.\n2. Three", ["1. One.", "Two.", "2. Three"]),
        ("| a | b |\n|---|---|\n| 1. x | 2 |", ["| a | b |\n|---|---|", "| 1. x | 2 |"]),
        ("```\nx = 1. y\n```", ["```\nx = 1. y\n```"]),
        ("> One goes\n> on. Two.", ["> One goes\n> on.", "Two."]),
        ("> One.\n> Two.", ["> One.", "> Two."]),
        (
            "A sentence that was wrapped because the page is only so wide\nand goes on. Next.",
            ["A sentence that was wrapped because the page is only so wide\nand goes on.", "Next."],
        ),
        ("Capital: Paris\nPopulation: 2 million", ["Capital: Paris", "Population: 2 million"]),
        ("A.\r\nB is here.", ["A.", "B is here."]),
        ("C\x00 is there. D is here.", ["C\x00 is there.", "D is here."]),
        ("Is \ud800 here. Yes it is.", ["Is \ud800 here.", "Yes it is."]),
        ("", []),
        (" \r\n ", []),
        ("a" * 100_000, ["a" * 100_000]),
    ],
)
def test_structure(text: str, expected: list[str]) -> None:
    assert [span.text for span in split_sentences(text)] == expected


def test_language_decides_about_abbreviations() -> None:
    text = "Das gilt z.B. Hunde sind treu."
    assert len(split_sentences(text, language="de")) == 1


def test_a_long_passage_has_all_its_sentences() -> None:
    assert len(split_sentences("It has ten words, that is more than nine. " * 5000)) == 5000


@patient
@given(texts)
def test_spans_are_exact_and_cover_the_text(text: str) -> None:
    at = 0
    for span in split_sentences(text):
        assert span.text == text[span.start : span.end] == span.text.strip() != ""
        assert at <= span.start
        assert not text[at : span.start].strip()
        at = span.end
    assert not text[at:].strip()


@pytest.mark.parametrize("mark", ["*", "**", "***", "_", "__"])
def test_emphasis_closes_with_its_own_sentence(mark):
    text = f"It is old. {mark}The tower is tall.{mark} It is in Paris."
    assert [span.text for span in split_sentences(text)] == [
        "It is old.",
        f"{mark}The tower is tall.{mark}",
        "It is in Paris.",
    ]


@pytest.mark.parametrize(("mark", "cited"), [("**", "[1]"), ("*", " [2, 3]"), ("~~", "")])
def test_emphasis_closes_before_the_citation_of_its_sentence(mark, cited):
    text = f"{mark}The tower is tall.{mark}{cited} It is in Paris."
    found = [span.text for span in split_sentences(text)]
    assert found == [text.removesuffix(" It is in Paris."), "It is in Paris."]


def test_emphasis_that_opens_belongs_to_the_next_sentence():
    assert [span.text for span in split_sentences("It is old. **The tower** is tall.")] == [
        "It is old.",
        "**The tower** is tall.",
    ]
