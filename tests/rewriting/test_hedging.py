from collections.abc import Callable

import pytest

from franq_guard.rewriting import Rewriting

Guarded = Callable[..., Rewriting]

PAIR = "Paris is the capital of France and has 2 million people."
TWO = "Paris is the capital of France, and Lyon is a river port."
RELATIVE = "The tower, which was built in 1950, is 330 m tall."


@pytest.mark.parametrize(
    ("answer", "codes", "expected"),
    [
        # A whole sentence says why it is doubtful.
        ("The tower is tall.", "hs", "Possibly, the tower is tall."),
        ("The tower is tall.", "hn", "The documents do not mention this, but the tower is tall."),
        ("The tower is tall.", "hc", "According to the documents, this may be wrong: the tower is tall."),
        ("The tower is tall.", "hu", "This could not be checked: the tower is tall."),
        ("It is so. The tower is tall.", "ks hs", "It is so. Possibly, the tower is tall."),
        # Only words that are surely no names lose their capital.
        ("Paris is old. We love Paris.", "hs ks", "Possibly, Paris is old. We love Paris."),
        ("Paris is old. We love Paris.", "hn ks",
         "The documents do not mention this, but Paris is old. We love Paris."),
        ("Paris is old.", "hs", "This is uncertain: Paris is old."),
        ("Paris is old.", "hn", "The documents do not mention this: Paris is old."),
        ("Paris is old.", "hc", "According to the documents, this may be wrong: Paris is old."),
        ("First, Paris is old.", "hs", "First, possibly Paris is old."),
        ("Third parties are liable.", "hs", "Possibly, third parties are liable."),
        ("NASA is old.", "hs", "Possibly, NASA is old."),
        ("IT is hard.", "hs", "Possibly, IT is hard."),
        ("I was there in 1999.", "hs", "Possibly, I was there in 1999."),
        ("1889 was a good year.", "hs", "Possibly, 1889 was a good year."),
        ("The Hague is old.", "hs", "Possibly, The Hague is old."),
        ("A tower is tall.", "hs", "Possibly, a tower is tall."),
        ("They were completed in 1889.", "hs", "Possibly, they were completed in 1889."),
        ("Tower and bridge were old. The tower is tall.", "hs ks",
         "Possibly, tower and bridge were old. The tower is tall."),
        ("In 1889, the tower was opened.", "hs", "Possibly, in 1889, the tower was opened."),
        # Several doubtful claims share one hedge.
        (PAIR, "hs hs", "This is uncertain: Paris is the capital of France and has 2 million people."),
        (PAIR, "hn hn",
         "The documents do not mention this: Paris is the capital of France and has 2 million people."),
        (PAIR, "hs hn",
         "The documents do not fully support this: Paris is the capital of France and has 2 million people."),
        (TWO, "hs hs", "This is uncertain: Paris is the capital of France, and Lyon is a river port."),
        # A part of a sentence is hedged alone.
        (PAIR, "ks hs", "Paris is the capital of France and possibly has 2 million people."),
        (PAIR, "ks hn",
         "Paris is the capital of France and possibly has 2 million people (not in the documents)."),
        (PAIR, "hs ks", "Paris is the capital of France (uncertain) and has 2 million people."),
        (TWO, "ks hs", "Paris is the capital of France, and possibly Lyon is a river port."),
        (TWO, "hc ks",
         "Paris is the capital of France (the documents say otherwise), and Lyon is a river port."),
        (RELATIVE, "ks hs", "The tower, which was possibly built in 1950, is 330 m tall."),
        (RELATIVE, "ks hc",
         "The tower, which was possibly built in 1950 (the documents say otherwise), is 330 m tall."),
        (RELATIVE, "hs ks", "The tower, which was built in 1950, is 330 m tall (uncertain)."),
        (RELATIVE, "hs hs", "Possibly, the tower, which was built in 1950, is 330 m tall."),
        (PAIR, "au hs", "Paris is the capital of France [not checked] and possibly has 2 million people."),
        (PAIR, "hs au", "Paris is the capital of France (uncertain) and has 2 million people [not checked]."),
        # Words that join sentences stay in front.
        ("However, the tower is tall.", "hs", "However, possibly the tower is tall."),
        ("But the tower is tall.", "hs", "But possibly the tower is tall."),
        ("In addition, the tower is tall.", "hn",
         "In addition, possibly the tower is tall (not in the documents)."),
        # Fragments, headings, cells, commands get an aside.
        ("Paris", "hs", "Paris (uncertain)"),
        ("Paris.", "hs", "Paris (uncertain)."),
        ("Gustave Eiffel", "hn", "Gustave Eiffel (not in the documents)"),
        ("Use the blue button.", "hs", "Use the blue button (uncertain)."),
        ("| City | P |\n|---|---|\n| Paris | 2 |", "hc",
         "| City | P |\n|---|---|\n| Paris | 2 (the documents say otherwise) |"),
        # Layout and markup survive.
        ("- The tower is tall.\n- Paris", "hs hs", "- Possibly, the tower is tall.\n- Paris (uncertain)"),
        ("- the tower is tall", "hs", "- possibly, the tower is tall"),
        ("1. The tower is tall.\n2. It is old.", "ks hs", "1. The tower is tall.\n2. Possibly, it is old."),
        ("> The tower is tall.", "hs", "> Possibly, the tower is tall."),
        ("**The tower** is tall.", "hs", "Possibly, **the tower** is tall."),
        ("*The tower is tall.*", "hs", "Possibly, *the tower is tall.*"),
        ("**Height:** The tower is 330 m tall.", "hs", "**Height:** Possibly, the tower is 330 m tall."),
        ("The tower is tall [1].", "hs", "Possibly, the tower is tall [1]."),
        ("The tower is tall.[1]", "hs", "Possibly, the tower is tall.[1]"),
        ("[The tower](http://a.b) is tall.", "hs", "Possibly, [The tower](http://a.b) is tall."),
        ("The flag is set by `--fast`.", "hs", "Possibly, the flag is set by `--fast`."),
        ("`foo` is a function.", "hs", "Possibly, `foo` is a function."),
        # Quotations keep their words.
        ('"The tower is tall."', "hs", '"The tower is tall." (uncertain)'),
        ("“The tower is tall”, he said.", "hs", "“The tower is tall”, he said (uncertain)."),
        ('He said: "The tower is tall."', "hs", 'Possibly, he said: "The tower is tall."'),
        ("“Lawson” is a shop.", "hs", "Possibly, “Lawson” is a shop."),
        # Parentheses don't nest.
        ("The tower is tall (it has three levels).", "hs",
         "Possibly, the tower is tall (it has three levels)."),
        # What may be doubt or not is marked instead.
        ("Members may vote twice.", "hs", "Members may vote twice [40% likely true · source 1]."),
        # Other languages get no English words.
        ("Die Stadt Paris ist die Hauptstadt von Frankreich und sehr alt.", "hs",
         "Die Stadt Paris ist die Hauptstadt von Frankreich und sehr alt [40%?]."),
        ("埃菲尔铁塔高330米。", "hs", "埃菲尔铁塔高330米 [40%?]。"),
    ],
)  # fmt: skip
def test_hedges(guarded: Guarded, answer: str, codes: str, expected: str) -> None:
    result = guarded(answer, codes)
    assert result.text == expected
    assert not result.notes


@pytest.mark.parametrize(
    "answer",
    [
        "The tower is possibly tall.",
        "Perhaps the tower is tall.",
        "The tower might be tall.",
        "It is believed that the tower is tall.",
        "The tower is thought to be tall.",
        "I think the tower is tall.",
        "The tower was reportedly sold.",
        "Allegedly, the tower was sold.",
        "The tower seems to be tall.",
    ],
)
def test_what_is_hedged_is_not_hedged_twice(guarded: Guarded, answer: str) -> None:
    result = guarded(answer, "hs")
    assert result.text == answer
    assert result.notes == ("claim 1 is left as it is: it expresses doubt already",)


def test_doubt_in_a_quotation_is_not_the_answer_s(guarded: Guarded) -> None:
    answer = "The sign says “possibly closed”."
    assert guarded(answer, "hs").text == "Possibly, the sign says “possibly closed”."


def test_the_month_of_may_is_no_doubt(guarded: Guarded) -> None:
    assert (
        guarded("The tower was opened in May 1889.", "hs").text
        == "Possibly, the tower was opened in May 1889."
    )
