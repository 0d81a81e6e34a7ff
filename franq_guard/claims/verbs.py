"""Words of an English sentence, and which of them are surely finite verbs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from franq_guard.claims.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    PASSIVE,
    PAST,
    PREPOSITIONS,
    PRESENT,
    PRESENT_OR_NOUN,
    PRONOUNS,
)

_WORD = re.compile(r"\d+(?:[.,]\d+)*(?:[^\W\d_]+)?|[^\W_]+(?:['’.&-][^\W_]+)*")
_ALSO_NOUNS = frozenset({"can", "will", "must", "might", "may", "do"})
_ADVERBS = frozenset(
    {"not", "also", "later", "then", "now", "still", "once", "there", "to", "home", "because"}
)


_QUOTED = re.compile(
    "\"[^\"]*(?:\"|$)|“[^”]*(?:”|$)|«[^»]*(?:»|$)|„[^“”]*(?:[“”]|$)|(?<!\\w)['‘](?=\\w)[^'’]*(?:['’]\\w[^'’]*)*['’](?!\\w)"
)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence.

    Attributes:
        text: as written.
        lower: for look-up: lower case, with a straight apostrophe.
        start: first character in the sentence.
        end: one past the last character.
    """

    text: str
    lower: str
    start: int
    end: int

    @property
    def capitalised(self) -> bool:
        """True if it begins with a capital letter."""
        return self.text[0].isupper()


def words_of(sentence: str) -> list[Word]:
    """Finds the words of a sentence; hyphens, apostrophes and inner full stops do not end one."""
    return [
        Word(match[0], match[0].lower().replace("’", "'"), match.start(), match.end())
        for match in _WORD.finditer(sentence)
    ]


def top_level(sentence: str) -> str:
    """Blanks brackets and fills quotations with a placeholder word, keeping every character's place."""
    text = _QUOTED.sub(lambda match: "X" * len(match[0]), sentence)
    closers: list[str] = []
    out = []
    for char in text:
        if char in _BRACKETS:
            closers.append(_BRACKETS[char])
        out.append(" " if closers else char)
        if closers and char == closers[-1]:
            closers.pop()
    return "".join(out)


def is_finite(words: Sequence[Word], at: int) -> bool:
    """Whether a word is surely a finite verb: an auxiliary, or a listed verb in fitting surroundings."""
    word = words[at].lower
    before = words[at - 1].lower if at else ""
    if before == "to":
        return False
    if word in AUXILIARIES:
        return not (word in _ALSO_NOUNS and before in DETERMINERS)
    if before in DETERMINERS:
        return False
    if word in PRESENT_OR_NOUN:
        return at + 1 < len(words) and (
            words[at + 1].lower in DETERMINERS or words[at + 1].lower[0].isdigit()
        )
    after = words[at + 1] if at + 1 < len(words) else None
    regular = word.endswith("ed") and len(word) > 4
    if after is None or not (word in PRESENT or word in PAST or regular):
        return False
    if word in PRESENT or word not in PASSIVE | {"led", "held", "met"}:
        return begins_object(after) and not (regular and word not in PAST and after.lower in PREPOSITIONS)
    return begins_object(after) and after.lower not in PREPOSITIONS


def has_finite_verb(text: str) -> bool:
    """Whether a text surely has a finite verb; False if in doubt."""
    words = words_of(text)
    return any(is_finite(words, at) for at in range(len(words)))


def begins_object(word: Word) -> bool:
    """Whether a word may follow a verb rather than the noun or adjective that is written like it."""
    lower = word.lower
    return (
        lower in DETERMINERS
        or lower in PREPOSITIONS
        or lower in PRONOUNS
        or lower in _ADVERBS
        or word.capitalised
        or lower[0].isdigit()
        or lower.endswith("ly")
    )
