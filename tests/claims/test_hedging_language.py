"""How sure a text sounds, by language."""

import pytest

from franq_guard.claims import hedging_language as module
from franq_guard.claims.hedging_language import (
    CATEGORIES,
    LANGUAGES,
    STATED_CONFIDENCE,
    HedgingLanguage,
    Tone,
    add_hedging_language,
    hedging_language,
    tone,
)
from franq_guard.errors import InputError

CASES = {
    "en": {
        Tone.DOUBTFUL: [
            "Perhaps it is old.",
            "It might be old.",
            "I’m not sure whether it is old.",
            "It is unlikely.",
        ],
        Tone.LIKELY: ["It is probably old.", "It seems old.", "I think it is old.", "It is said to be old."],
        Tone.UNSURE: ["It may be old.", "He could swim."],
        Tone.PLAIN: ["It is old.", "In May 1889.", "The mighty river.", "It is not proven."],
        Tone.EMPHATIC: [
            "It is definitely old.",
            "Without a doubt it is old.",
            "It always works.",
            "This proves it.",
        ],
        Tone.REFUSED: ["I don't know.", "The documents do not mention it.", "There is no information on it."],
    },
    "de": {
        Tone.DOUBTFUL: ["Vielleicht ist er alt.", "Er könnte alt sein.", "Möglicherweise stimmt das."],
        Tone.LIKELY: ["Er ist wahrscheinlich alt.", "Meines Wissens ist er alt.", "Ich glaube, er ist alt."],
        Tone.UNSURE: ["Er kann alt sein."],
        Tone.PLAIN: ["Er ist alt."],
        Tone.EMPHATIC: ["Er ist zweifellos alt.", "Das ist definitiv so."],
        Tone.REFUSED: ["Das weiß ich nicht.", "Die Dokumente enthalten dazu keine Angaben."],
    },
    "fr": {
        Tone.DOUBTFUL: ["Elle est peut-être vieille.", "Elle pourrait être vieille."],
        Tone.LIKELY: ["Elle est probablement vieille.", "Il semble que la tour soit vieille."],
        Tone.UNSURE: ["Elle peut être vieille."],
        Tone.PLAIN: ["Elle est vieille."],
        Tone.EMPHATIC: ["Elle est certainement vieille.", "Sans aucun doute, elle est vieille."],
        Tone.REFUSED: ["Je ne sais pas.", "Les documents ne mentionnent pas la date."],
    },
    "es": {
        Tone.DOUBTFUL: ["Quizás es vieja.", "Tal vez sea vieja.", "Podría ser vieja."],
        Tone.LIKELY: ["Probablemente es vieja.", "Se cree que es vieja."],
        Tone.UNSURE: ["La torre puede ser vieja."],
        Tone.PLAIN: ["Es vieja."],
        Tone.EMPHATIC: ["Sin duda es vieja.", "Definitivamente es vieja."],
        Tone.REFUSED: ["No lo sé.", "Los documentos no mencionan la fecha."],
    },
}


@pytest.mark.parametrize(
    ("language", "wanted", "text"),
    [
        (code, wanted, text)
        for code, tones in CASES.items()
        for wanted, texts in tones.items()
        for text in texts
    ],
)
def test_tones(language, wanted, text):
    assert tone(text, language) is wanted


def test_every_shipped_language_is_tested():
    assert set(CASES) == set(LANGUAGES)


def test_doubt_takes_certainty_back():
    assert tone("It is certainly possible, but perhaps it is not.", "en") is Tone.DOUBTFUL


def test_surer_words_state_more():
    order = [Tone.DOUBTFUL, Tone.LIKELY, Tone.UNSURE, Tone.PLAIN, Tone.EMPHATIC]
    stated = [STATED_CONFIDENCE[one] for one in order]
    assert stated == sorted(stated)
    assert STATED_CONFIDENCE[Tone.REFUSED] is None


@pytest.mark.parametrize("code", [None, "", "xx", "tlh"])
def test_other_languages_are_not_judged(code):
    assert hedging_language(code) is None
    assert tone("maybe", code) is None


def test_a_language_can_be_added(monkeypatch):
    monkeypatch.setattr(module, "_added", {})
    lists = dict.fromkeys(CATEGORIES, ()) | {"low": ["forse"], "emphatic": ["senza dubbio"]}
    add_hedging_language("it", lists)
    assert tone("Forse è alta.", "it") is Tone.DOUBTFUL
    assert tone("È alta senza dubbio.", "it") is Tone.EMPHATIC
    assert tone("È alta.", "it") is Tone.PLAIN


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({}, "missing"),
        (dict.fromkeys(CATEGORIES, ()) | {"low": ["("]}, "regular expression"),
        (dict.fromkeys(CATEGORIES, ()) | {"low": [""]}, "not empty"),
        (dict.fromkeys(CATEGORIES, ()) | {"low": "forse"}, "texts"),
    ],
)
def test_bad_lists_are_refused(lists, message):
    with pytest.raises(InputError, match=message):
        HedgingLanguage.from_lists(lists)
