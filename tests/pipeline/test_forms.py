"""Which answers are scored in short form, and the settings of that form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.claims import RuleExtractor
from franq_guard.errors import ConfigError
from franq_guard.pipeline.forms import ShortForm, as_one_claim, choose_form

QUESTION = "When was the Eiffel Tower in Paris completed?"


def form_of(answer, *, question=QUESTION, choice="auto", max_words=12):
    claims = RuleExtractor().extract(answer, question=question).claims
    return choose_form(choice, question, answer, claims, max_words=max_words)


@pytest.mark.parametrize(
    "answer",
    [
        "1889",
        "Paris",
        "Yes.",
        "No",
        "**1889**",
        "- 1889",
        "  31 March 1889\n",
        "In 1889.",
        "The Eiffel Tower was completed in 1889.",
        "It was completed in 1889, for the World's Fair.",
        "Sure! It was completed in 1889.",
        "Gustave Eiffel",
        "$2.5 million",
        "Im Jahr 1889.",
        "1889年",
    ],
)
def test_one_short_statement_is_short(answer):
    form, reason = form_of(answer)
    assert (form, reason.split(" in ")[0]) == ("short", "one claim")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("The Eiffel Tower was completed in 1889. It is 330 metres tall.", "2 claims"),
        ("- Paris\n- Lyon\n- Marseille", "3 claims"),
        ("1. It was built in 1887.\n2. It was opened in 1889.", "2 claims"),
        ("| city | year |\n|---|---|\n| Paris | 1889 |\n| Rome | 1900 |", "2 claims"),
        ("```python\nprint(1889)\n```", "no claim"),
        ("", "no claim"),
        (" \n ", "no claim"),
        ("I don't know.", "no claim"),
        ("You're welcome!", "no claim"),
        ("Would you like to know more?", "no claim"),
        (
            "The tower that Gustave Eiffel's company designed and built from iron was completed in 1889.",
            "one claim, but 15 words",
        ),
        ("The Eiffel Tower is an iron tower in Paris. " * 20, "20 claims"),
        ("埃菲尔铁塔建成于一八八九年" * 12, "one claim, but 156 characters"),
    ],
)
def test_everything_else_is_long(answer, why):
    form, reason = form_of(answer)
    assert form == "long"
    assert reason.startswith(why)


def test_the_number_of_words_can_be_set():
    answer = "The Eiffel Tower was completed in 1889."
    assert form_of(answer, max_words=7)[0] == "short"
    assert form_of(answer, max_words=6)[0] == "long"


@pytest.mark.parametrize("choice", ["auto", "short"])
def test_without_a_question_there_is_nothing_to_sample(choice):
    assert form_of("1889", question=" ", choice=choice) == (
        "long",
        "there is no question to sample other answers to",
    )


def test_the_form_can_be_set():
    assert form_of("1889", choice="long") == ("long", "long form is the setting")
    assert form_of("One thing. Another thing is here.", choice="short") == (
        "short",
        "short form is the setting",
    )


def test_as_one_claim_takes_the_whole_answer():
    answer = "\n Paris is in France. Rome is in Italy. "
    claims = RuleExtractor().extract(answer).claims
    assert len(claims) == 2
    [claim] = as_one_claim(answer, claims)
    assert claim.text == claim.sentence.text == "Paris is in France. Rome is in Italy."
    assert answer[claim.spans[0].start : claim.spans[0].end] == claim.text


@pytest.mark.parametrize("answer", ["", "Sure!", "Sure! Paris is in France."])
def test_as_one_claim_leaves_at_most_one_claim_alone(answer):
    claims = RuleExtractor().extract(answer).claims
    assert as_one_claim(answer, claims) == claims


@given(st.text(max_size=200), st.sampled_from(["auto", "long", "short"]))
def test_every_answer_has_a_form_and_a_reason(answer, choice):
    form, reason = form_of(answer, choice=choice)
    assert form in ("long", "short")
    assert reason


@pytest.mark.parametrize(
    "settings",
    [
        {"samples": 0},
        {"samples": 2.0},
        {"samples": True},
        {"temperature": 0},
        {"temperature": float("nan")},
        {"top_k": -1},
        {"top_p": 0},
        {"top_p": 1.1},
        {"max_new_tokens": 257},
        {"max_words": 0},
        {"seed": -1},
        {"clustering": "none"},
        {"estimator": "x"},
        {"graph": "x"},
    ],
)
def test_settings_out_of_range_are_refused_by_name(settings):
    [name] = settings
    with pytest.raises(ConfigError, match=rf"short_form\.{name}"):
        ShortForm(**settings)


def test_settings_that_change_the_scale_change_the_names_of_the_signals():
    assert ShortForm(samples=3, seed=5, max_words=20).signals == ("semantic_entropy", "sum_eigenvalues")
    assert ShortForm(estimator="kuhn").signals == ("semantic_entropy:estimator=kuhn", "sum_eigenvalues")
    assert ShortForm(graph="jaccard", temperature=0.5).signals == (
        "semantic_entropy:temperature=0.5",
        "sum_eigenvalues:temperature=0.5,graph=jaccard",
    )
