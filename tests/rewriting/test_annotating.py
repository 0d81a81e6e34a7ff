from collections.abc import Callable

import pytest

from franq_guard.rewriting import Rewriting

Guarded = Callable[..., Rewriting]


@pytest.mark.parametrize(
    ("answer", "codes", "expected"),
    [
        # The marker says what the passages say.
        ("It opened in 1889.", "as", "It opened in 1889 [72% likely true · source 1]."),
        ("It opened in 1889.", "ac", "It opened in 1889 [72% likely true · contradicted by source 1]."),
        ("It opened in 1889.", "an", "It opened in 1889 [72% likely true · not in the sources]."),
        ("It opened in 1889.", "au", "It opened in 1889 [not checked]."),
        # It stands behind the claim's own words.
        (
            "Paris is the capital of France and has 2 million people.",
            "as an",
            "Paris is the capital of France [72% likely true · source 1] and has 2 million people "
            "[72% likely true · not in the sources].",
        ),
        (
            "The tower, which was built in 1889, is 330 m tall.",
            "ks as",
            "The tower, which was built in 1889 [72% likely true · source 1], is 330 m tall.",
        ),
        (
            "It is old. It is tall. It is grey.",
            "ks au ks",
            "It is old. It is tall [not checked]. It is grey.",
        ),
        # Closing punctuation stays last, unless it belongs to the last word or to a quotation.
        ("The tower is so tall!", "au", "The tower is so tall [not checked]!"),
        ("The tower is tall...", "au", "The tower is tall [not checked]..."),
        ("He lives in the U.S.", "au", "He lives in the U.S. [not checked]"),
        ("She works for Acme Inc.", "au", "She works for Acme Inc. [not checked]"),
        ('He said: "The tower is tall."', "au", 'He said: "The tower is tall." [not checked]'),
        ("He said: “The tower is tall.”", "au", "He said: “The tower is tall.” [not checked]"),
        ('He called it "tall".', "au", 'He called it "tall" [not checked].'),
        ("**The tower is tall.**", "au", "**The tower is tall [not checked].**"),
        ("The tower is **tall**.", "au", "The tower is **tall** [not checked]."),
        ("The tower is *tall*", "au", "The tower is *tall* [not checked]"),
        # Citations stay with their words.
        ("The tower is tall [1].", "au", "The tower is tall [1] [not checked]."),
        ("The tower is tall [1][2].", "au", "The tower is tall [1][2] [not checked]."),
        ("The tower is tall.[1]", "au", "The tower is tall.[1] [not checked]"),
        ("The tower is tall.【3†a】", "au", "The tower is tall.【3†a】 [not checked]"),
        # Nothing goes into code, links, formulas.
        ("The flag is set by `--fast`.", "au", "The flag is set by `--fast` [not checked]."),
        (
            "It is on [this page](http://a.b/c_d).",
            "au",
            "It is on [this page](http://a.b/c_d) [not checked].",
        ),
        ("It is at https://a.b/c.", "au", "It is at https://a.b/c [not checked]."),
        ("The energy is $mc^2$.", "au", "The energy is $mc^2$ [not checked]."),
        # Layout.
        ("- It is tall.\n- It is old.", "ks au", "- It is tall.\n- It is old [not checked]."),
        ("1. It is tall.\n2. Paris", "ks au", "1. It is tall.\n2. Paris [not checked]"),
        ("> It is tall.\n> It is old.", "au ks", "> It is tall [not checked].\n> It is old."),
        ("> The tower is very\n> tall indeed.", "au", "> The tower is very\n> tall indeed [not checked]."),
        ("Wide text is\nwrapped here.", "au", "Wide text is\nwrapped here [not checked]."),
        ("埃菲尔铁塔高330米。", "au", "埃菲尔铁塔高330米 [not checked]。"),
        (
            "| City | People |\n|---|---|\n| Paris | 2 million |\n| Rome | 3 million |",
            "au ks",
            "| City | People |\n|---|---|\n| Paris | 2 million [not checked] |\n| Rome | 3 million |",
        ),
        ("City | People\n---|---\nParis | 2", "au", "City | People\n---|---\nParis | 2 [not checked]"),
        ("| City | P |\n|---|---|\n| Paris ||", "au", "| City | P |\n|---|---|\n| Paris | [not checked] |"),
        ("| A | B |\n|---|---|\n| a | b\\|c |", "au", "| A | B |\n|---|---|\n| a | b\\|c [not checked] |"),
        ("It is tall.\r\nIt is old.\r\n", "au ks", "It is tall [not checked].\r\nIt is old.\r\n"),
        ("It is tall.\n", "au", "It is tall [not checked].\n"),
    ],
)
def test_inline(guarded: Guarded, answer: str, codes: str, expected: str) -> None:
    result = guarded(answer, codes)
    assert result.text == expected
    assert not result.notes
    assert not result.blocked


@pytest.mark.parametrize(
    ("answer", "codes", "expected"),
    [
        (
            "Paris is the capital of France and has 2 million people. It is old.\n",
            "as an ks",
            "Paris is the capital of France[^g1] and has 2 million people.[^g2] It is old.\n\n"
            "[^g1]: 72% likely true. Source 1 (Eiffel Tower): “The tower \\[of iron\\] was completed”\n"
            "[^g2]: 72% likely true. The sources do not mention it.\n",
        ),
        (
            "It is old.",
            "ac",
            "It is old.[^g1]\n\n"
            "[^g1]: 72% likely true. Contradicted by source 1 (Eiffel Tower): "
            "“The tower \\[of iron\\] was completed”",
        ),
        ("It is old.", "au", "It is old.[^g1]\n\n[^g1]: Not checked: the deadline passed."),
        (
            "The tower, which was built in 1889, is 330 m tall.",
            "ks au",
            "The tower, which was built in 1889,[^g1] is 330 m tall.\n\n"
            "[^g1]: Not checked: the deadline passed.",
        ),
        (
            "| City | People |\n|---|---|\n| Paris | 2 million |",
            "au",
            "| City | People |\n|---|---|\n| Paris | 2 million[^g1] |\n\n"
            "[^g1]: Not checked: the deadline passed.",
        ),
        (
            "It is old [^g1].\n\n[^g1]: Says who.",
            "au ks",
            "It is old [^g1].[^gg1]\n\n[^g1]: Says who.\n\n[^gg1]: Not checked: the deadline passed.",
        ),
        (
            "It is old.\n\n```py\nx = 1",
            "au",
            "It is old.[^g1]\n\n[^g1]: Not checked: the deadline passed.\n\n```py\nx = 1",
        ),
        (
            "It is old.\n\n```py\nx = 1\n```",
            "au",
            "It is old.[^g1]\n\n```py\nx = 1\n```\n\n[^g1]: Not checked: the deadline passed.",
        ),
    ],
)
def test_footnotes(guarded: Guarded, answer: str, codes: str, expected: str) -> None:
    assert guarded(answer, codes, annotation="footnotes").text == expected


def test_footnotes_are_numbered_in_the_order_of_the_answer(guarded: Guarded) -> None:
    text = guarded(
        "A is old. B is old. C is old.", "au bs au", annotation="footnotes", block_mode="drop"
    ).text
    assert text.startswith("A is old.[^g1] C is old.[^g2]\n\n[^g1]: ")
    assert text.count("[^g") == 4
