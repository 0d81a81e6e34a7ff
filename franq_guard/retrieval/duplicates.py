"""Which passages say the same as one before them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from franq_guard.alignment.lexical import terms, tokenize
from franq_guard.retrieval.overlap import common_items

_SHINGLE = 3


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What was found among N passages.

    Attributes:
        equal: passage -> the first passage with the same words in the same order.
        near: passage -> the first passage that is nearly the same; none of these is in `equal`.
    """

    equal: dict[int, int]
    near: dict[int, int]


def is_empty(text: str) -> bool:
    """True if a text holds nothing but white space, control and invisible formatting characters."""
    return all(char.isspace() or unicodedata.category(char) in ("Cc", "Cf") for char in text)


def find_duplicates(texts: Sequence[str], *, above: float, limit: int) -> Duplicates:
    """Finds passages that repeat an earlier one.

    The first of several stays; what repeats a repetition points to the first. Passages that mention different
    numbers are never nearly the same: they may be two versions of a fact.

    Args:
        texts: the passages; empty ones repeat nothing.
        above: Jaccard index of word triples from which two are nearly the same, in (0, 1].
        limit: passages from this index on are compared for equality only.
    """
    first: dict[str, int] = {}
    equal: dict[int, int] = {}
    for index, text in enumerate(texts):
        if not is_empty(text):
            original = first.setdefault(" ".join(text.casefold().split()), index)
            if original != index:
                equal[index] = original
    places = [index for index in first.values() if index < limit]
    return Duplicates(equal, _near_duplicates([texts[index] for index in places], places, above))


def _near_duplicates(texts: Sequence[str], places: Sequence[int], above: float) -> dict[int, int]:
    sets = [_shingles(text) for text in texts]
    sizes = np.asarray([len(shingles) for shingles in sets])
    numbers = [terms(text).numbers for text in texts]
    near: dict[int, int] = {}
    for i, j, common in common_items(sets):
        similar = common >= above * (sizes[i] + sizes[j] - common)
        for one, other in zip(i[similar].tolist(), j[similar].tolist(), strict=True):
            # Only what stays can be repeated, else a chain of small changes would end far away.
            if places[one] not in near and places[other] not in near and numbers[one] == numbers[other]:
                near[places[other]] = places[one]
    return near


def _shingles(text: str) -> frozenset[str]:
    words = tokenize(text)
    if len(words) <= _SHINGLE:
        return frozenset([" ".join(words) or text.strip()])
    return frozenset(" ".join(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1))
