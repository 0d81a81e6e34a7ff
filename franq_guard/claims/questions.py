"""Claims out of bare answers: "No." to "Is Paris in Germany?" states that Paris is not in Germany."""

from __future__ import annotations

import re
from itertools import pairwise

from franq_guard.claims.lexicon import AUXILIARIES, BE, DETERMINERS, DO, PREPOSITIONS
from franq_guard.claims.verbs import Word, words_of

_YES = r"yes|yeah|yep|correct|true|right|indeed|that(?:'s| is) (?:right|correct|true)"
_NO = r"no|nope|incorrect|false|wrong|that(?:'s| is) (?:wrong|false|incorrect|not (?:true|correct))"
_ECHO = (
    r"(?:[\s,.]+(?:it|he|she|they|there|you|we|i|that|this)\s+"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|might|should)(?:n't|\s?not)?)?"
)
_BARE = re.compile(rf"(?:(?P<yes>{_YES})|(?P<no>{_NO})){_ECHO}[\s.!]*")
_LEAD = re.compile(rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?:\s*[,.;:!—–]+\s*|\s+-\s+)(?=\S)", re.IGNORECASE)
_TRUE_OR_FALSE = re.compile(
    r"(?:true or false|is (?:it|the following) true(?: that)?)\s*[:,?-]?\s*", re.IGNORECASE
)
_PRONOUNS = frozenset(
    {"it", "he", "she", "they", "we", "you", "i", "there", "this", "that", "these", "those"}
)
_PARTICIPLES = frozenset(
    ("born built made known written won located founded called named based used found held").split()
)
_AFTER_SUBJECT = (
    DETERMINERS
    | PREPOSITIONS
    | _PARTICIPLES
    | frozenset(
        "located still also ever currently part considered older younger bigger larger smaller taller longer "
        "higher shorter able true false dead alive open closed married".split()
    )
)
_DEMONYM = re.compile(r"(?:ish|ese|ian|can|ean|french|german|dutch|greek|swiss|thai)$")


def polarity(text: str) -> bool | None:
    """Reads a bare "Yes.", "No, it isn't." or "False.": True for yes, False for no, None for all else."""
    found = _BARE.fullmatch(_normal(text))
    return None if found is None else found["yes"] is not None


def split_polarity(text: str) -> tuple[bool, int, int] | None:
    """Finds "Yes" or "No" in front of more.

    Returns:
        True for yes; the end of the word; the start of the rest. None if the text begins otherwise.
    """
    found = _LEAD.match(text)
    if found is None:
        return None
    return found["yes"] is not None, found.end("yes" if found["yes"] else "no"), found.end()


def is_yes_no_question(question: str) -> bool:
    """Whether a question begins like one that "yes" or "no" answers."""
    words = words_of(question)
    return bool(words) and (
        words[0].lower in AUXILIARIES or _TRUE_OR_FALSE.match(question.strip()) is not None
    )


def answer_statement(question: str, *, yes: bool) -> str | None:
    """Turns a question and its yes or no into a statement.

    Only where the subject surely ends: after a pronoun or a name (with "the" or "of"), before an article,
    preposition, comparative or participle; after "do" and modals also after one plural noun.

    Returns:
        "Paris is not in Germany." for "Is Paris in Germany?" and no; None if unsure.
    """
    body = question.strip()
    if lead := _TRUE_OR_FALSE.match(body):
        claim = body[lead.end() :].strip().rstrip("?. ")
        if not claim:
            return None
        claim = claim[0].upper() + claim[1:]
        return f"{claim}." if yes else f"It is false that {claim}."
    if body.count("?") != 1 or not body.endswith("?"):
        return None
    body = body[:-1].rstrip()
    words = words_of(body)
    lowers = {word.lower for word in words}
    if len(words) < 3 or words[0].lower not in AUXILIARIES or words[0].lower.endswith("n't"):
        return None
    if not lowers.isdisjoint({"or", "not", "never", "no", "any", "anyone", "anything", "nobody", "if"}):
        return None
    end = _subject_end(body, words)
    if end is None:
        return None
    subject = body[words[1].start : words[end - 1].end]
    verb = words[0].lower + ("" if yes else " not")
    return f"{subject[0].upper()}{subject[1:]} {verb}{body[words[end - 1].end :]}."


def _subject_end(body: str, words: list[Word]) -> int | None:
    """Index of the first word after the subject, which begins at word 1."""
    first = words[1].lower
    if first in _PRONOUNS:
        return 2
    at = 2 if first == "the" else 1
    while at < len(words) and (words[at].capitalised or words[at].lower == "of"):
        at += 1
    named = at > (2 if first == "the" else 1)
    if any(not gap.isspace() for gap in _gaps(body, words[1 : at + 1])):
        return None
    auxiliary = words[0].lower
    if not named:
        several = first.endswith("s") and not first.endswith("ss") and first not in DETERMINERS
        more = len(words) > 2 and not words[2].lower.endswith("s")
        return 2 if auxiliary not in BE and several and more else None
    if at == len(words) or (at > 2 and _DEMONYM.search(words[at - 1].lower)):
        return None
    return at if auxiliary in DO or _follows_subject(words[at]) or auxiliary not in BE else None


def _follows_subject(word: Word) -> bool:
    return word.lower in _AFTER_SUBJECT or word.lower.endswith(("ed", "ly", "er"))


def _gaps(body: str, words: list[Word]) -> list[str]:
    return [body[left.end : right.start] for left, right in pairwise(words)]


def _normal(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split()).strip('*_"“” ')
