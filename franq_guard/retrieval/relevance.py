"""How much of a question a passage speaks to."""

from __future__ import annotations

from collections.abc import Sequence

from franq_guard.alignment.lexical import terms, tokenize
from franq_guard.claims import detect_language
from franq_guard.retrieval.duplicates import is_empty


def relevances(question: str, texts: Sequence[str], *, low: float) -> list[float | None]:
    """The share of the question's content words that each passage mentions, whatever else was retrieved.

    Args:
        question: the question.
        texts: the passages.
        low: below this the words may be lacking because the passage is in another language.

    Returns:
        For each passage a number in [0, 1]; None for an empty passage, one in another language, or if the
        question has no words.
    """
    wanted = terms(question).words
    if not wanted:
        return [None] * len(texts)
    found: list[float | None] = []
    language = detect_language(question)
    for text in texts:
        share = len(wanted.intersection(tokenize(text))) / len(wanted)
        blind = is_empty(text) or (share < low and _differ(language, detect_language(text)))
        found.append(None if blind else share)
    return found


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other
