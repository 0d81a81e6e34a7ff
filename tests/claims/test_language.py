from __future__ import annotations

import pytest

from franq_guard.claims import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Paris is the capital of France.", "en"),
        ("The cat sat.", "en"),
        ("Photosynthesis converts carbon dioxide into glucose, oxygen being the by-product.", "en"),
        ("Der Eiffelturm ist 300 Meter hoch und steht in Paris.", "de"),
        ("La tour Eiffel est un monument situé au centre de Paris.", "fr"),
        ("La torre Eiffel mide 330 metros de altura y fue construida en el siglo diecinueve.", "es"),
        ("Wieża Eiffla znajduje się w samym centrum miasta.", "pl"),
        ("باريس عاصمة فرنسا.", "ar"),
        ("巴黎是法国的首都。", "zh"),
        ("東京は日本の首都です。", "ja"),
        ("서울은 한국의 수도이다.", "ko"),
        ("Париж столица Франции.", "ru"),
        ("Το Παρίσι είναι πρωτεύουσα.", "el"),
        ("פריז היא בירת צרפת.", "he"),
        ("पेरिस राजधानी है।", "hi"),
        ("ปารีสเป็นเมืองหลวง", "th"),
        ("Parisは日本語ではパリと書かれます。", "ja"),
    ],
)
def test_languages(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "Paris",
        "Yes.",
        "12.5 - 1998",
        "E = mc2",
        "😀👍",
        "\ud800\x00",
        "a" * 100_000,
        "Emmanuel Macron",
        "Rodrigo de Jesus Santos",
        "Johann Wolfgang von Goethe was born in Frankfurt am Main.",
        "Barack Obama, Angela Merkel, Jacques Chirac, Mao Zedong",
        "x = foo(bar); y = baz[1]",
        "https://www.lemonde.fr/le/monde/est/grand",
    ],
)
def test_nothing_is_guessed_from_names_numbers_and_code(text: str) -> None:
    assert detect_language(text) in {None, "en"}


def test_a_quoted_word_does_not_change_the_language() -> None:
    assert detect_language("The word for Paris in Chinese is 巴黎, and it is used often.") == "en"
