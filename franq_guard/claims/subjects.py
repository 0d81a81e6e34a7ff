"""The subject of an English clause, and pronouns that stand for it in the next one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from franq_guard.claims.lexicon import DETERMINERS, MODALS, PASSIVE, PLURAL_VERBS, PREPOSITIONS
from franq_guard.claims.verbs import Word, is_finite, top_level, words_of

RELATIVES = frozenset({"which", "who", "that", "whose", "whom", "where", "when"})

_MAX_WORDS = 10
_NOT_FIRST = PREPOSITIONS | frozenset(
    "and but or so yet whereas there here no none nobody nothing few hardly not then thus also however "
    "therefore both what who it's that's".split()
)
_NOT_INSIDE = RELATIVES | frozenset({"or", "if", "because", "than"})
_BREAKS = frozenset(",;:—–")
_PLURALS = frozenset(("people children men women police data media they we you these those").split())
_PRONOUNS = frozenset({"it", "he", "she", "they", "its", "his", "her", "their"})
_NOT_NAMES = frozenset(("i you we this that these those one some many most such another").split())
_OCCUPATIONS = (
    r"\w+(?:ist|ician|maker)|singer|songwriter|actor|actress|author|writer|poet|painter|composer|player|footballer|"
    r"president|politician|minister|king|queen|director|professor|engineer|inventor|philosopher|lawyer|teacher|"
    r"explorer|soldier|general|businessman|businesswoman|man|woman|leader|founder|model|historian|mathematician|"
    r"architect|coach|rapper|dancer|comedian|emperor|empress|saint|bishop|pope|judge|officer|rabbi|referee|surfer|"
    r"statesman|sculptor|designer|producer|person|critic|terrorist|nurse|physician|surgeon|astronaut|columnist"
)
_PERSON = re.compile(
    rf"\b(?:was born|died|married|his|her|he|she)\b"
    rf"|\b(?:is|was|became|as) (?:an?|the|one of the) [^,.;]{{0,60}}\b(?:{_OCCUPATIONS})\b"
    rf"|\b(?:is|was) [^,.;]{{0,60}}\bwho\b",
    re.IGNORECASE,
)
_ATTACHED = re.compile(r"(?:[#+%°\"”»'’*_]|\s?\([^()]*\))*")
_IN_BRACKETS = re.compile(r"\s?\([^()]*\)")
_BE = r"it (?:is|was|has been|may be|might be|would be|will be|can be|seems|appears)"
_IMPERSONAL = re.compile(
    rf"{_BE}(?: \w+){{0,3}}? that\b|{_BE}(?: (?!\w+ed )\w+){{1,3}}? (?:to|who|when|if|whether)\b"
    r"|it (?:takes|took|rains|rained|snows)\b|it (?:is|was) (?:raining|snowing|not until)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a clause is about.

    Attributes:
        text: as written, or as taken over from the clause before.
        verb: index, among the words of the clause, of the finite verb that follows it.
        plural: True if the verb is plural, False if singular, None if it does not show.
        person: True if the clause speaks of a person.
    """

    text: str
    verb: int
    plural: bool | None
    person: bool


def find_subject(sentence: str, words: Sequence[Word]) -> Subject | None:
    """Finds the subject of the clause made of `words`: all before its first finite verb.

    Args:
        sentence: the text in which the words are, masked or not.
        words: consecutive words of one clause.

    Returns:
        None in doubt: an introductory phrase, a comma, a relative clause or an alternative before the verb,
        a negative subject, or a number that does not agree.
    """
    verb = next((at for at in range(min(len(words), _MAX_WORDS + 1)) if is_finite(words, at)), 0)
    if not verb:
        return None
    inside = [word.lower for word in words[:verb]]
    last = words[verb - 1].end
    end = _ATTACHED.match(sentence, last, words[verb].start)
    text = sentence[words[0].start : end.end() if end else last]
    first = inside[0]
    if first in _NOT_FIRST or first in PASSIVE or (first.endswith("ly") and not words[0].capitalised):
        return None
    if not _NOT_INSIDE.isdisjoint(inside[1:]) or not _BREAKS.isdisjoint(_IN_BRACKETS.sub("", text)):
        return None
    plural = is_plural_verb(words[verb].lower)
    if plural and "and" not in inside and inside[-1] not in _PLURALS and not inside[-1].endswith("s"):
        if not ("of" in inside or "in" in inside):
            return None
    return Subject(text, verb, plural, _PERSON.search(sentence) is not None)


def is_plural_verb(verb: str) -> bool | None:
    """True for "are", False for "is", None for verbs that do not show their number."""
    if verb in PLURAL_VERBS:
        return True
    if verb in {"is", "was", "has", "does", "isn't", "wasn't", "hasn't", "doesn't"}:
        return False
    return None


def antecedent_of(statement: str, previous: Subject | None) -> Subject | None:
    """Finds what a pronoun at the beginning of the next sentence stands for.

    Args:
        statement: a sentence; a pronoun as its subject hands on `previous`.
        previous: what a pronoun at its own beginning stands for.
    """
    words = words_of(top_level(statement))
    subject = find_subject(statement, words)
    if subject is None:
        return None
    name = _IN_BRACKETS.sub("", subject.text).strip('*_"“”«» ')
    first = words[0].lower
    if first in _PRONOUNS:
        if previous is None or len(name.split()) > 1:
            return None
        if first == "it" and previous.person:
            return None
        return Subject(
            previous.text, subject.verb, previous.plural, previous.person or first in {"he", "she"}
        )
    if first in _NOT_NAMES or not words[0].capitalised:
        return None
    return replace(subject, text=name)


def resolve_pronoun(statement: str, antecedent: Subject | None) -> str:
    """Puts the antecedent in place of a pronoun at the beginning if they agree; else changes nothing."""
    words = words_of(statement)
    if antecedent is None or len(words) < 2 or words[0].start != 0:
        return statement
    pronoun = words[0].lower
    if pronoun not in _PRONOUNS or not _agrees(statement, words, pronoun, antecedent):
        return statement
    name = antecedent.text
    if pronoun in {"its", "his", "her", "their"}:
        name += "'" if antecedent.plural and name.endswith("s") else "'s"
    return name + statement[words[0].end :]


def _agrees(statement: str, words: Sequence[Word], pronoun: str, antecedent: Subject) -> bool:
    several = antecedent.plural is True or " and " in antecedent.text
    if pronoun in {"they", "their"}:
        return several
    if several:
        return False
    possessive = pronoun in {"its", "his", "her"}
    if possessive and (words[1].lower in DETERMINERS or words[1].lower in MODALS):
        return False
    if not possessive and not is_finite(words, 1) and not words[1].lower.endswith(("s", "ed", "ly")):
        return False
    if pronoun in {"it", "its"}:
        return not antecedent.person and not _IMPERSONAL.match(statement)
    return antecedent.person and _is_name(antecedent.text)


def _is_name(text: str) -> bool:
    words = text.split()
    return len(words) <= 5 and words[0] not in {"The", "A", "An"} and words[-1][0].isupper()
