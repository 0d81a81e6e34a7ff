from __future__ import annotations

import pytest

from franq_guard.claims import checkworthiness

NOT_CHECKWORTHY = {
    "greeting": ["Hello!", "Hi there,", "Good morning.", "Dear customer,"],
    "thanks": ["Thanks!", "Thank you for your question.", "You’re welcome!"],
    "offer of help": [
        "I hope this helps!",
        "Let me know if you have any questions, or if you need more details.",
        "If you need anything else, feel free to ask.",
        "I'm happy to help!",
        "Sure, I can help with that.",
        "Please don't hesitate to reach out.",
    ],
    "meta talk": [
        "Sure!",
        "Great question!",
        "As an AI language model, I don't have personal opinions.",
        "Here is a summary of the text:",
        "Let me explain.",
        "Certainly! Here are the key points:",
        "In summary:",
    ],
    "refusal": [
        "I don't know.",
        "I'm sorry, but I cannot answer that.",
        "Unfortunately, I do not have enough information.",
        "The documents do not mention the price of the ticket.",
        "Based on the provided documents, I cannot determine when it was built.",
        "There is no information about this in the passages.",
        "The provided context does not contain the answer.",
    ],
    "question": ["Is Paris big?", "巴黎大吗？", "هل هي كبيرة؟", "What else (if anything)?"],
    "no words": ["😀", "---", "\u200b\u202e", "…"],
    "link": [
        "https://example.org/a",
        "Sources: https://example.org/a, www.example.org",
        "See also https://a.b",
    ],
    "no statement": ["Yes.", "No!", "True"],
}

CHECKWORTHY = [
    "Sure, Paris is the capital of France.",
    "Great question! Paris is the capital.",
    "I hope this helps, Paris is the capital of France.",
    "The documents say that Paris is big.",
    "I don't know the price, but Paris is the capital of France.",
    "The documents do not mention the price, but they say that it is big.",
    "Let me know if you need more; Paris is the capital.",
    "As an AI, I can tell you that Paris is in Spain.",
    "Here are the largest cities: Paris, Lyon and Marseille.",
    "I don't think that Paris is big.",
    "I believe Paris is the most beautiful city.",
    "Did you know that Paris has two million people?",
    "Paris is big, isn't it?",
    'He asked "why is it so?"',
    "Hello Kitty was created in 1974.",
    "Well water is often hard.",
    "Welcome to Paris, the capital of Germany.",
    "Thanks to its location, the city is rich.",
    "The study did not mention side effects.",
    "No information was lost in the crash of 1998.",
    "If you have a fever, you must not take it.",
    "42",
    "Paris",
    "巴黎是法国的首都。",
    "See https://example.org, which says it is 5 m long.",
]


@pytest.mark.parametrize(
    ("reason", "sentence"), [(reason, each) for reason, all_of in NOT_CHECKWORTHY.items() for each in all_of]
)
def test_nothing_to_check(reason: str, sentence: str) -> None:
    assert checkworthiness(sentence, kind="prose") == reason


@pytest.mark.parametrize("sentence", CHECKWORTHY)
def test_facts_are_checked(sentence: str) -> None:
    assert checkworthiness(sentence, kind="prose") == ""


def test_blocks_without_statements() -> None:
    assert checkworthiness("x = 1", kind="code") == "code"
    assert checkworthiness("Country | Capital", kind="table_header") == "table header"
    assert checkworthiness("Overview", kind="heading") == "heading"
    assert checkworthiness("Why Paris?", kind="heading") == "question"


def test_a_heading_or_row_may_carry_a_fact() -> None:
    assert checkworthiness("Paris is the capital of France", kind="heading") == ""
    assert checkworthiness("France | Paris", kind="table_row") == ""
    assert checkworthiness("Hello", kind="table_row") == ""


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("[1] returns.md", "reference"),
        ("[2]: Refund policy, 2024", "reference"),
        ("Sources: returns.md", "reference"),
        ("[1] says that returns are free.", ""),
        ("Please contact support.", "offer of help"),
        ("See the docs for more.", "offer of help"),
        ("Please note that Paris is in France.", ""),
    ],
)
def test_references_and_requests_state_nothing(sentence, reason):
    assert checkworthiness(sentence, kind="prose") == reason
