from __future__ import annotations

import pytest

from franq_guard.claims.questions import answer_statement, is_yes_no_question, polarity, split_polarity


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("Is Paris in France?", "Paris is in France.", "Paris is not in France."),
        ("Was Einstein born in Ulm?", "Einstein was born in Ulm.", "Einstein was not born in Ulm."),
        (
            "Is the Eiffel Tower in Paris?",
            "The Eiffel Tower is in Paris.",
            "The Eiffel Tower is not in Paris.",
        ),
        (
            "Is New York City the capital of the United States?",
            "New York City is the capital of the United States.",
            "New York City is not the capital of the United States.",
        ),
        ("Is K2 taller than Everest?", "K2 is taller than Everest.", "K2 is not taller than Everest."),
        ("Does Paris have an airport?", "Paris does have an airport.", "Paris does not have an airport."),
        ("Do penguins fly?", "Penguins do fly.", "Penguins do not fly."),
        ("Can it swim?", "It can swim.", "It can not swim."),
        ("Is there life on Mars?", "There is life on Mars.", "There is not life on Mars."),
        (
            "Is Bank of America in Charlotte?",
            "Bank of America is in Charlotte.",
            "Bank of America is not in Charlotte.",
        ),
        (
            "True or false: the Earth is flat.",
            "The Earth is flat.",
            "It is false that The Earth is flat.",
        ),
    ],
)
def test_statements(question: str, yes: str, no: str) -> None:
    assert answer_statement(question, yes=True) == yes
    assert answer_statement(question, yes=False) == no


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Is?",
        "What is the capital of France?",
        "Is Marie Curie Polish?",
        "Is it Paris or Lyon?",
        "Isn't Paris in France?",
        "Is Paris not in France?",
        "Is Paris in France? Is it big?",
        "Is the big tower in Paris?",
        "Is Paris, the capital, in France?",
        "Do sea lions eat fish?",
        "Is Paris in France",
        "Is any city bigger?",
    ],
)
def test_in_doubt_there_is_no_statement(question: str) -> None:
    assert answer_statement(question, yes=True) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes.", True),
        ("yes", True),
        ("Yes, it is.", True),
        ("**Yes**", True),
        ("That's correct.", True),
        ("No.", False),
        ("No, it isn’t.", False),
        ("No, they did not!", False),
        ("False", False),
        ("No, Paris is in France.", None),
        ("None", None),
        ("Yesterday", None),
        ("", None),
    ],
)
def test_polarity(text: str, expected: bool | None) -> None:
    assert polarity(text) is expected


def test_yes_or_no_in_front_of_more() -> None:
    assert split_polarity("No, it is in France.") == (False, 2, 4)
    assert split_polarity("Yes: it is.") == (True, 3, 5)
    assert split_polarity("No one knows.") is None
    assert split_polarity("Nobody, really") is None


def test_yes_no_questions() -> None:
    assert is_yes_no_question("Is Paris in France?")
    assert is_yes_no_question("True or false: x")
    assert not is_yes_no_question("Who is it?")
    assert not is_yes_no_question("")
