"""Which language a text is in: first by script, then, for Latin script, by a statistical model.

Whatever can't be told for sure stays untold: names, numbers and formulas have no language.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from typing import Any

_SAMPLE = 2000
"""Characters looked at; more don't change the outcome."""
_MIN_SCRIPT_SHARE = 0.3
_MIN_WORDS = 4
_MIN_LETTERS = 16
_MAX_ENGLISH = 0.02
"""P(English) above which a text is not called foreign."""

_SCRIPTS = {
    "ARABIC": "ar",
    "CJK": "zh",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "CYRILLIC": "ru",
    "GREEK": "el",
    "HEBREW": "he",
    "DEVANAGARI": "hi",
    "BENGALI": "bn",
    "GURMUKHI": "pa",
    "GUJARATI": "gu",
    "TAMIL": "ta",
    "TELUGU": "te",
    "KANNADA": "kn",
    "MALAYALAM": "ml",
    "SINHALA": "si",
    "THAI": "th",
    "LAO": "lo",
    "TIBETAN": "bo",
    "MYANMAR": "my",
    "KHMER": "km",
    "GEORGIAN": "ka",
    "ARMENIAN": "hy",
    "ETHIOPIC": "am",
}
"""First word of the Unicode character names of a script, and the most common language written in it."""

_LATIN = tuple(
    (
        "af az bs ca cs cy da de en es et eu fi fr ga gl hr hu id is it lt lv ms mt nl no pl pt ro sk sl sq "
        "sv sw tl tr vi"
    ).split()
)
_ENGLISH_ONLY = frozenset(
    (
        "the of and that it she they with from their this which been there than into about what where how "
        "does did would have were when are"
    ).split()
)
_ENGLISH = _ENGLISH_ONLY | frozenset(
    "to in is was he for on as by at his her its be has had not or an but who do can will".split()
)
_CODE = re.compile(r"`[^`]*`")
_NOT_A_WORD = re.compile(r"[\d_@/\\=<>{}]|www\.")
_LOWER_WORD = re.compile(r"(?<!\w)[^\W\d_A-ZÀ-ÖØ-Þ][^\W\d_]*(?:['’][^\W\d_]+)?(?!\w)")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+)[\"'“«(*_]*([^\W\d_]+)")


def detect_language(text: str) -> str | None:
    """Tells the language of a text.

    Returns:
        ISO 639-1 code; None if it can't be told: too short, or nothing but names, numbers, code or emoji.
        A script that several languages share gives the most common of them.
    """
    sample = text[:_SAMPLE]
    return script_language(sample) or _latin_language(sample)


def script_language(text: str) -> str | None:
    """The language that a non-Latin script stands for if 30 % of the letters are in it; else None."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return None
    letters = [char for char in sample if char.isalpha()]
    counts: Counter[str] = Counter()
    for char in letters:
        if char > "\u036f":
            name = unicodedata.name(char, "").partition(" ")[0]
            counts[_SCRIPTS.get(name, "")] += 1
    del counts[""]
    kana = counts["ja"]
    if kana and kana * 10 >= counts["zh"]:
        counts["ja"] += counts.pop("zh", 0)
    language, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
    return language if count and count >= _MIN_SCRIPT_SHARE * len(letters) else None


def _latin_language(sample: str) -> str | None:
    prose = " ".join(word for word in _CODE.sub(" ", sample).split() if not _NOT_A_WORD.search(word))
    words = _LOWER_WORD.findall(prose)
    words += [word.lower() for word in _SENTENCE_START.findall(prose) if word.lower() in _ENGLISH]
    english = sum(word in _ENGLISH for word in words)
    if not _ENGLISH_ONLY.isdisjoint(words) and english * 5 >= len(words):
        return "en"
    if len(words) < _MIN_WORDS or sum(map(len, words)) < _MIN_LETTERS:
        return None
    ranking = dict(_identifier().rank(" ".join(words)))
    language = max(ranking, key=ranking.__getitem__)
    if language == "en":
        return "en"
    return language if ranking["en"] <= _MAX_ENGLISH else None


@cache
def _identifier() -> Any:
    """The model, restricted to languages in Latin script; loads in half a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_LATIN)
    return identifier
