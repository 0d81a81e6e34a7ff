"""Does a text deny what a claim says, or the other way round? By the words that negations govern."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from franq_guard.claims.lexicon import NEGATIONS
from franq_guard.quantities.stems import STOP_WORDS, stem

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[.,;:!?()–—]")
_PREFIXED = re.compile(r"(?:failed|fails|refused|refuses|declined|unable|ceased) to\b", re.IGNORECASE)
_NO_CONTENT = STOP_WORDS | frozenset("yeah yep well absolutely sure indeed okay actually really".split())
_DENIALS = NEGATIONS - {"without"}
_REACH = 2
"""Content words after a negation that it governs."""
_NOT_DENIALS = re.compile(
    r"\bnot (?:only|just|for profit)\b|\b(?:nothing|none|no one) (?:but|other than)\b"
    r"|\bnot? (?:less|more|fewer|later) than\b|\bno\. ?\d|\bno doubt\b",
    re.IGNORECASE,
)
_MOST_SHARED = 0.75
"""Share of the claim's content words that a sentence must have before their negations are compared."""


@lru_cache(maxsize=4096)
def negated_words(sentence: str) -> tuple[frozenset[str], frozenset[str]]:
    """Stems of the content words that a sentence denies, and of those that it has at all."""
    text = _NOT_DENIALS.sub(lambda match: " " * len(match[0]), sentence)
    text = _PREFIXED.sub("not", text)
    denied: set[str] = set()
    present: set[str] = set()
    reach = 0
    for match in _WORD.finditer(text):
        word = match[0].lower().replace("’", "'")
        if word in _DENIALS:
            reach = 0 if reach else _REACH  # two of them undo each other
        elif not word[0].isalnum():
            reach = 0
        elif word not in _NO_CONTENT and not word[0].isdigit() and not word.endswith("n't"):
            present.add(stem(word))
            if reach:
                denied.add(stem(word))
                reach -= 1
    return frozenset(denied), frozenset(present)


def negation_differs(claim: str, sentences: Sequence[str]) -> str | None:
    """Tells whether a text says the opposite of a claim in nearly the same words.

    Args:
        claim: the claim.
        sentences: the sentences of a text.

    Returns:
        The sentence that says the opposite; None if there is none, or another one agrees with the claim.
    """
    denied, present = negated_words(claim)
    if not present:
        return None
    opposite = None
    for sentence in sentences:
        other_denied, other_present = negated_words(sentence)
        shared = present & other_present
        if len(shared) < _MOST_SHARED * len(present):
            continue
        if not (denied ^ other_denied) & shared:
            return None
        opposite = opposite or sentence
    return opposite
