from __future__ import annotations

import pytest
from hypothesis import given

from franq_guard.claims import split_clauses
from tests.claims.texts import patient, texts

SPLIT = {
    "A is x, and B is y.": {"A is x": ["A is x"], "B is y": ["B is y"]},
    "Paris is the capital of France and has 2 million people.": {
        "Paris is the capital of France": ["Paris is the capital of France"],
        "Paris has 2 million people": ["has 2 million people"],
    },
    "Paris is big; London is bigger.": {"Paris is big": None, "London is bigger": None},
    "Paris, which is the capital of France, has 2 million people.": {
        "Paris has 2 million people": ["Paris", "has 2 million people"],
        "Paris is the capital of France": ["is the capital of France"],
    },
    "Marie Curie, who was born in Warsaw, won two Nobel Prizes and died in 1934.": {
        "Marie Curie won two Nobel Prizes": ["Marie Curie", "won two Nobel Prizes"],
        "Marie Curie was born in Warsaw": ["was born in Warsaw"],
        "Marie Curie died in 1934": ["died in 1934"],
    },
    "The tower is 1,000 m tall, and it weighs 7,300 tons.": {
        "The tower is 1,000 m tall": None,
        "The tower weighs 7,300 tons": ["it weighs 7,300 tons"],
    },
    # an auxiliary that is shared is put in; one that is not, is not
    "James Taylor was born in Boston and raised in Ohio.": {
        "James Taylor was born in Boston": None,
        "James Taylor was raised in Ohio": ["raised in Ohio"],
    },
    "It was released in 1990 and sold 2 million copies.": {
        "It was released in 1990": None,
        "It sold 2 million copies": None,
    },
    "He was born in Paris and moved to London.": {"He was born in Paris": None, "He moved to London": None},
    "She has won a Grammy and recorded over 20 albums.": {
        "She has won a Grammy": None,
        "She has recorded over 20 albums": None,
    },
    "Paris is not in Spain but is in Europe.": {"Paris is not in Spain": None, "Paris is in Europe": None},
    'He wrote "War and Peace" and was a count.': {'He wrote "War and Peace"': None, "He was a count": None},
    "The Eiffel Tower (built in 1889; 330 m) is in Paris and attracts 7 million visitors.": {
        "The Eiffel Tower (built in 1889; 330 m) is in Paris": None,
        "The Eiffel Tower (built in 1889; 330 m) attracts 7 million visitors": [
            "attracts 7 million visitors"
        ],
    },
    "C# is a language and was made by Microsoft.": {
        "C# is a language": None,
        "C# was made by Microsoft": None,
    },
}

WHOLE = [
    "Paris",
    "Salt and pepper are spices.",
    "The distance between Paris and Lyon is 400 km.",
    'He said "A is x, and B is y."',
    "“A is x, and B is y,” he wrote.",
    "It (A is x, and B is y) holds.",
    'Unbalanced "A is x, and B is y.',
    "If A is x, then B is y, and C is z.",
    "A is x because B is y, and C is z.",
    "He said A is x, and B is y.",
    "It is clear that A is x, and B is y.",
    "Is A x, and is B y?",
    "X may be good and have problems.",
    "No city is big and has parks.",
    "Neither A is x nor B is y, and C is z.",
    "A or B is x and is y.",
    "Paris has museums, parks, and the Seine runs through it.",
    "Research and development costs money and effort.",
    "The city is known for wine and cheese.",
    "Paris is big and Lyon is small.",
    "Paris is big, but London is not.",
    "Paris was never founded in 1900 and renamed in 1950.",
    "The museum has paintings and works by Monet.",
    "He is a man who lives in Paris and works in Lyon.",
    "The house was bought and the garden sold.",
    "Il est grand, et elle est petite.",
    "Perhaps A is x, and B is y.",
    "a" * 100_000,
]


@pytest.mark.parametrize("sentence", SPLIT)
def test_split(sentence: str) -> None:
    expected = SPLIT[sentence]
    clauses = {clause.text: [sentence[a:b] for a, b in clause.ranges] for clause in split_clauses(sentence)}
    assert list(clauses) == list(expected)
    for text, spans in expected.items():
        assert clauses[text] == (spans if spans is not None else clauses[text])


@pytest.mark.parametrize("sentence", WHOLE)
def test_in_doubt_a_sentence_stays_whole(sentence: str) -> None:
    assert [clause.text for clause in split_clauses(sentence)] == [sentence]


@patient
@given(texts)
def test_ranges_are_sorted_and_disjoint(text: str) -> None:
    clauses = split_clauses(text)
    assert [clause.ranges for clause in clauses] == sorted(clause.ranges for clause in clauses)
    for clause in clauses:
        edges = [edge for piece in clause.ranges for edge in piece]
        assert edges == sorted(edges)
        if text.strip():
            assert all(start < end for start, end in clause.ranges)
            assert all(text[a:b] == text[a:b].strip() for a, b in clause.ranges)


def test_nothing_gives_nothing() -> None:
    assert split_clauses(" \n") == []


def test_a_verb_that_is_also_a_plural_noun_counts_before_an_object():
    sentence = "It was painted green in 1968, and its base measures 900 metres on each side."
    assert [clause.text for clause in split_clauses(sentence)] == [
        "It was painted green in 1968",
        "Its base measures 900 metres on each side",
    ]
    assert len(split_clauses("The law was passed in 1968, and other measures followed.")) == 1
