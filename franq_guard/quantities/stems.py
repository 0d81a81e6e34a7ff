"""Words made comparable: stop words of English, case and accents folded, inflections taken off."""

from __future__ import annotations

import unicodedata

STOP_WORDS = frozenset(
    "a about after all also although am among an and another any are as at be because been before being "
    "between both but by can could did do does doing during each either else etc ever every for from had "
    "has have having he her here hers herself him himself his how however i if in into is it its itself "
    "just ll may me might more most much must my myself nor of on only onto or other our ours out over "
    "own per re s same shall she should since so some such t than that the their theirs them themselves "
    "then there these they this those though through to too under until up upon us ve very was we were "
    "what when where whether which while who whom whose why will with within would yes yet you your yours "
    "d m".split()
)
"""English words that carry no content."""


def fold(text: str) -> str:
    """Lower case, without accents, digits of other scripts as 0 to 9; the length may change."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(
        str(unicodedata.digit(char)) if char.isdigit() else char
        for char in decomposed
        if not unicodedata.category(char).startswith("M")
    )


def stem(word: str) -> str:
    """Takes English inflections off, so that "completed" meets "complete". Other scripts stay as they are."""
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            if ending in ("ing", "ed") and len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def content_stem(word: str) -> str | None:
    """The stem of a word that carries content; None for a stop word."""
    folded = fold(word)
    return None if folded in STOP_WORDS else stem(folded)
