"""What else the model could have said at each token, and whether it would have meant the same (for CCP)."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from franq_guard._arrays import BoolArray, FloatArray, IntArray
from franq_guard.claims.lexicon import FUNCTION_WORDS
from franq_guard.models.base import AlignmentModel, TokenDistributions
from franq_guard.uncertainty.ccp import combine_relations
from franq_guard.uncertainty.semantic_classes import Relation, relations

COUNT = 10
"""The token itself and nine alternatives, as in lm-polygraph."""
_FURTHEST = 10.0
"""An alternative e^10 times less likely than the token moves CCP by less than 5e-5: it counts as neutral."""
_STRIPPED = string.punctuation + string.whitespace + "“”‘’–—…"

Words = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives:
    """Of T tokens; see `Gathered`.

    Attributes:
        log_probs: the token first, then its likeliest alternatives, shape (T, K).
        relations: what the token says about each, shape (T, K).
        stop_words: True where the token is a function word, shape (T,); None if that does not matter.
    """

    log_probs: FloatArray
    relations: IntArray
    stop_words: BoolArray | None


@dataclass(frozen=True, slots=True)
class _Row:
    words: list[str]
    log_probs: list[float]


def compare_alternatives(
    model: AlignmentModel,
    answers: Sequence[tuple[TokenDistributions, Collection[int]]],
    *,
    stop_words: bool,
    known: dict[Words, FloatArray] | None = None,
) -> list[Alternatives]:
    """Compares each token with its alternatives, both ways; each pair of words is judged once.

    Args:
        model: judges pairs of words.
        answers: distributions of each answer, and the positions that count; at others nothing is judged,
            and all alternatives are neutral.
        stop_words: whether function words say nothing, as in the version for claims; what stands in their
            place is not judged.
        known: judgements from earlier calls; receives the new ones.
    """
    judged = {} if known is None else known
    tables = [_table(found) for found, _ in answers]
    pairs = {
        pair
        for table, (_, tokens) in zip(tables, answers, strict=True)
        for place in tokens
        for pair in _pairs(table[place], stop_words)
    } - judged.keys()
    ordered = sorted(pairs, key=lambda pair: (len(pair[0]) + len(pair[1]), pair))
    if ordered:
        judged.update(zip(ordered, model.score(ordered), strict=True))
    return [
        _alternatives(table, frozenset(tokens), judged, stop_words)
        for table, (_, tokens) in zip(tables, answers, strict=True)
    ]


def _table(found: TokenDistributions) -> list[_Row]:
    rows = []
    text, offsets = found.scores.tokens.text, found.scores.tokens.offsets
    for place, token in enumerate(found.scores.tokens.ids):
        start, end = offsets[place]
        others = [
            (word, float(value))
            for other, word, value in zip(
                found.top_ids[place], found.top_texts[place], found.top_log_probs[place], strict=True
            )
            if other != token
        ][: COUNT - 1]
        rows.append(
            _Row(
                [_bare(text[start:end]), *(_bare(word) for word, _ in others)],
                [float(found.scores.log_probs[place]), *(value for _, value in others)],
            )
        )
    return rows


def _bare(token: str) -> str:
    return token.strip(_STRIPPED)


def _pairs(row: _Row, stop_words: bool) -> Iterator[Words]:
    """The pairs of a position that a model has to judge."""
    first = row.words[0]
    if stop_words and first.lower() in FUNCTION_WORDS:
        return
    for word, value in zip(row.words[1:], row.log_probs[1:], strict=True):
        if _worth_asking(first, word) and value > row.log_probs[0] - _FURTHEST:
            yield first, word
            yield word, first


def _worth_asking(first: str, word: str) -> bool:
    return bool(first) and bool(word) and first.casefold() != word.casefold()


def _alternatives(
    table: Sequence[_Row], tokens: Collection[int], judged: dict[Words, FloatArray], stop_words: bool
) -> Alternatives:
    width = max((len(row.words) for row in table), default=1)
    log_probs = np.full((len(table), width), -np.inf)
    kinds = np.full((len(table), width), int(Relation.NEUTRAL))
    stops = np.zeros(len(table), dtype=np.bool_)
    for place, row in enumerate(table):
        log_probs[place, : len(row.words)] = row.log_probs
        stops[place] = row.words[0].lower() in FUNCTION_WORDS
        asked = set(_pairs(row, stop_words)) if place in tokens else set()
        for column, word in enumerate(row.words):
            first = row.words[0]
            if column == 0 or word.casefold() == first.casefold():
                kinds[place, column] = Relation.ENTAILMENT
            elif (first, word) in asked:
                forward, backward = relations([judged[first, word], judged[word, first]])
                kinds[place, column] = combine_relations(forward, backward)
    return Alternatives(log_probs, kinds, stops if stop_words else None)
