"""Which numbers a text bears out."""

import pytest

from franq_guard.quantities import Relation, differences, missing_names, names, negation_differs, quantities

SAME = None


@pytest.mark.parametrize(
    ("claim", "text", "relation"),
    [
        ("437 people", "437 people came", SAME),
        ("about 440 people", "437 people came", SAME),
        ("about 300 people", "298 people came", SAME),
        ("12,000 inhabitants", "11,842 inhabitants", SAME),
        ("4 km", "3.9 km", SAME),
        ("3.7 kilometres", "3,700 metres", SAME),
        ("more than 300 people", "437 people", SAME),
        ("nearly twelve thousand people", "11,842 people", SAME),
        ("two boats", "2 boats", SAME),
        ("in the 1920s", "built in 1924", SAME),
        ("in July 2021", "on 14 July 2021", SAME),
        ("50 percent", "half of all", SAME),
        ("330 metres", "Height (m): 330", SAME),
        ("in 1924", "in the 1920s", Relation.FINER),
        ("437 people", "about 400 people", Relation.FINER),
        ("437 people", "several hundred people", Relation.FINER),
        ("on 14 July 2021", "in the summer of 2021", Relation.FINER),
        ("11,842 people", "roughly 12,000 people", Relation.FINER),
        ("4 km", "between 3 and 5 km", Relation.FINER),
        ("1,520 cars", "1,250 cars", Relation.DIFFERENT),
        ("in 1934", "in 1911", Relation.DIFFERENT),
        ("500 metres", "330 metres", Relation.DIFFERENT),
        ("330 feet", "330 metres", Relation.DIFFERENT),
        ("5 kg", "5 litres", Relation.DIFFERENT),
        ("480 dollars", "480 euros", Relation.DIFFERENT),
        ("41%", "14%", Relation.DIFFERENT),
        ("the second time", "the third time", Relation.DIFFERENT),
        ("on Thursday", "on Mondays", Relation.DIFFERENT),
        ("at 8 pm", "at 6 pm", Relation.DIFFERENT),
        ("437 people", "3 dogs", Relation.ABSENT),
        ("437 people", "people came", Relation.ABSENT),
        ("480 dollars", "20 euros", Relation.ABSENT),
        ("5 km", "5 kg and 8 kg of flour", Relation.DIFFERENT),
    ],
)
def test_relations(claim, text, relation):
    found = differences(quantities(claim), quantities(text))
    assert [difference.relation for difference in found] == ([] if relation is SAME else [relation])


def test_one_that_agrees_settles_it_and_the_nearest_is_shown():
    [wanted] = quantities("in 1934")
    assert differences([wanted], quantities("In 1911, in 1934 and in 1990.")) == ()
    [found] = differences([wanted], quantities("In 1811, in 1930 and in 1990."))
    assert found.text is not None
    assert found.text.text == "1930"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Photography is allowed in the museum.", "Photography is not allowed in the museum."),
        ("The ferry is not free.", "The ferry is free for all passengers."),
        ("The bridge was never finished.", "The bridge was finished in 1911."),
        ("The coach didn't resign.", "The coach resigned in May."),
    ],
)
def test_opposites(claim, text):
    assert negation_differs(claim, [text]) == text


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The ferry is free.", "The ferry is free for all passengers."),
        ("The ferry is not free.", "The ferry is not free, as of May."),
        ("The tower is tall.", "The tower is tall, not wide."),
        ("The ferry is free.", "Bicycles are not allowed on the train."),
        ("The plan has flaws.", "The plan has not only flaws."),
        ("It did not fail to win the cup.", "It won the cup."),
        ("", "It is not free."),
        ("The ferry is free.", ""),
    ],
)
def test_no_opposites(claim, text):
    assert negation_differs(claim, [text]) is None


def test_a_sentence_that_agrees_settles_it():
    sentences = ["The ferry is not free.", "Since May the ferry is free."]
    assert negation_differs("The ferry is free.", sentences) is None


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("The wreck was found by Markus Feld.", ["Markus Feld"]),
        ("The poet died in Valencia in May.", ["Valencia"]),
        ("NATO met on Monday.", ["NATO"]),
        ("Towers are tall.", []),
        ("", []),
    ],
)
def test_names(claim, found):
    assert names(claim) == found


def test_missing_names():
    text = "The United Kingdom and the German diver Markus Feld signed it in Valencia."
    assert missing_names("It was signed by Markus Feld, the UK and Germany.", [text]) == []
    assert missing_names("It was signed by Clara Voss in Valencia.", [text]) == ["Clara Voss"]
    assert missing_names("It was signed by Clara Voss.", [text, "Clara Voss was there."]) == []
