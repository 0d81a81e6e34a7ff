"""Proper names in a claim, and whether a text has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from franq_guard.quantities.stems import STOP_WORDS, fold

_NAME = r"[A-ZÀ-ÖØ-Þ][^\W\d_]*(?:['’.-][^\W\d_]+)*\.?"
_NAMES = re.compile(rf"{_NAME}(?:(?: (?:of|de|van|von|der|den|la|du|da|al|bin)){{0,2}} {_NAME})*")
_WORD = re.compile(r"[^\W_]+")
_CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday spring summer autumn winter ad bc bce ce am pm i".split()
)
_PREFIX = 4


def names(claim: str) -> list[str]:
    """Finds the proper names of a claim.

    A capitalised word alone at its beginning is no name, since every sentence begins so; nor are months and
    days.
    """
    found = []
    for match in _NAMES.finditer(claim):
        words = [word for word in _WORD.findall(match[0]) if fold(word) not in _CALENDAR | STOP_WORDS]
        opens = not claim[: match.start()].strip(" \"'“‘(*_")
        if words and not (opens and len(words) == 1 and not words[0].isupper()):
            found.append(match[0].rstrip("."))
    return found


def missing_names(claim: str, texts: Iterable[str]) -> list[str]:
    """The names of a claim of which a text lacks a word; initials and close relatives count as the word.

    Args:
        claim: the claim.
        texts: all texts together that may hold the names.

    Returns:
        In the order of the claim.
    """
    known: set[str] = set()
    initials: set[str] = set()
    for text in texts:
        words, capitals = _words(text)
        known |= words
        initials |= capitals
    prefixes = {word[:_PREFIX] for word in known if len(word) >= _PREFIX}
    return [
        name
        for name in names(claim)
        if not all(_is_known(word, known, prefixes, initials) for word in _parts(name))
    ]


def _is_known(word: str, known: set[str], prefixes: set[str], initials: set[str]) -> bool:
    folded = fold(word)
    if folded in known or (len(folded) > _PREFIX and folded[:_PREFIX] in prefixes):
        return True
    return word.isupper() and any(folded in run for run in initials)


def _parts(name: str) -> Iterator[str]:
    for word in _WORD.findall(name):
        if len(word) > 1 and fold(word) not in STOP_WORDS | _CALENDAR and word[0].isupper():
            yield word


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The text's words, folded, and the initials of its runs of capitalised words."""
    runs = (
        "".join(fold(word[0]) for word in _WORD.findall(match[0]) if word[0].isupper())
        for match in _NAMES.finditer(text)
    )
    return frozenset(fold(word) for word in _WORD.findall(text)), frozenset(
        run for run in runs if len(run) > 1
    )
