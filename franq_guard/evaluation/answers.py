"""Is a short answer right? Normalised match with the accepted answers, as open question answering does it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_WORD = re.compile(r"\w+")
_ARTICLES = frozenset({"a", "an", "the"})


class Place(NamedTuple):
    """Characters `[start, end)` of a text."""

    start: int
    end: int


def normalise(text: str) -> str:
    """Lower case, no punctuation or articles, single spaces."""
    return " ".join(word for word, _ in _words(text))


def find_answer(text: str, answer: str) -> list[Place]:
    """Where a text says an answer, word for word after normalisation; places do not overlap.

    An answer without a word is nowhere.
    """
    there = _words(text)
    keys = [word for word, _ in there]
    wanted = [word for word, _ in _words(answer)]
    places: list[Place] = []
    at = 0
    while wanted and at + len(wanted) <= len(keys):
        if keys[at : at + len(wanted)] == wanted:
            places.append(Place(there[at][1].start, there[at + len(wanted) - 1][1].end))
            at += len(wanted)
        else:
            at += 1
    return places


def holds_answer(text: str, answers: Sequence[str]) -> bool:
    """True if the text says one of the accepted answers."""
    return any(find_answer(text, answer) for answer in answers)


def is_right(text: str, question: str, answers: Sequence[str]) -> bool:
    """True if a text says one of the accepted answers, and not only by repeating the question.

    Accepted answers that the question says itself ("Where was Manchester by the Sea filmed?") count only if
    all of them do.
    """
    new = [answer for answer in answers if not find_answer(question, answer)]
    return holds_answer(text, new or answers)


def _words(text: str) -> list[tuple[str, Place]]:
    return [
        (word, Place(*match.span()))
        for match in _WORD.finditer(text)
        if (word := match[0].casefold()) not in _ARTICLES
    ]
