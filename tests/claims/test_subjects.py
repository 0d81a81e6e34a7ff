from __future__ import annotations

import pytest

from franq_guard.claims.subjects import antecedent_of, resolve_pronoun


@pytest.mark.parametrize(
    ("before", "sentence", "expected"),
    [
        ("The Eiffel Tower is in Paris.", "It was built in 1889.", "The Eiffel Tower was built in 1889."),
        ("Paris is the capital.", "Its mayor is Anne.", "Paris's mayor is Anne."),
        ("James Taylor is an American singer.", "He was born in Boston.", "James Taylor was born in Boston."),
        ("Marie Curie (1867-1934) was a physicist.", "She won two prizes.", "Marie Curie won two prizes."),
        ('"Lawson" is a chain of stores.', "It was founded in 1939.", "Lawson was founded in 1939."),
        ("C# is a language.", "It is used by many.", "C# is used by many."),
        ("Cats and dogs are pets.", "They are popular.", "Cats and dogs are popular."),
    ],
)
def test_a_clear_subject_replaces_the_pronoun(before: str, sentence: str, expected: str) -> None:
    assert resolve_pronoun(sentence, antecedent_of(before, None)) == expected


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("In 1990, Paris was big.", "It was old."),
        ("Paris is big.", "He was born there."),
        ("Paris is big.", "They are old."),
        ("Paris is big.", "It is important to know this."),
        ("Paris is big.", "It is likely that it grows."),
        ("Paris is big.", "It is raining."),
        ("Paris is big.", "This is so."),
        ("Paris is big.", "London is bigger."),
        ("James Taylor is an American singer.", "It was released in 1970."),
        ("There is a tower.", "It is old."),
        ("Many people live there.", "It is old."),
        ("paris is big.", "It is old."),
        ("", "It is old."),
    ],
)
def test_in_doubt_the_pronoun_stays(before: str, sentence: str) -> None:
    assert resolve_pronoun(sentence, antecedent_of(before, None)) == sentence


def test_a_pronoun_hands_its_antecedent_on() -> None:
    first = antecedent_of("James Taylor is an American singer.", None)
    second = antecedent_of("He was born in Boston.", first)
    assert resolve_pronoun("He is famous.", second) == "James Taylor is famous."


def test_an_unclear_sentence_ends_the_chain() -> None:
    first = antecedent_of("The Eiffel Tower is in Paris.", None)
    second = antecedent_of("In the north, Montmartre is old.", first)
    assert resolve_pronoun("It is high.", second) == "It is high."
