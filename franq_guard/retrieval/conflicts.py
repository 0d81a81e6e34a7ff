"""Which passages contradict one another: the alignment model over pairs of their statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from franq_guard.alignment import Aligner
from franq_guard.alignment.lexical import terms
from franq_guard.claims import RuleExtractor, detect_language
from franq_guard.claims.subjects import find_subject
from franq_guard.claims.verbs import top_level, words_of
from franq_guard.models.outputs import checked_probabilities
from franq_guard.retrieval.findings import Screening
from franq_guard.retrieval.overlap import common_items

_BATCH = 64
_FEWEST_WORDS = 2
_OPEN_SUBJECTS = frozenset("it he she they its his her their this that these those we i you".split())


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a passage.

    Attributes:
        passage: index of the passage.
        text: the statement, its pronoun resolved where that was safe.
        words: stems of its content words.
        subject: stems of the words of its subject; of all of them where none was found.
    """

    passage: int
    text: str
    words: frozenset[str]
    subject: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """What was found.

    Attributes:
        pairs: (i, j) of passages that contradict each other, i < j.
        candidates: pairs of statements that were alike enough to be compared.
        compared: how many of them were.
    """

    pairs: frozenset[tuple[int, int]]
    candidates: int
    compared: int


def find_conflicts(
    texts: Sequence[str],
    places: Sequence[int],
    *,
    settings: Screening,
    aligner: Callable[[], Aligner],
    deadline: Callable[[], None],
) -> Conflicts:
    """Finds passages with statements that contradict each other.

    Statements are compared if they share enough words and the subject of one is mentioned in the other:
    without that, small models take any other subject for a contradiction.

    Args:
        texts: all passages.
        places: indices of those to compare.
        settings: thresholds and limits.
        aligner: gives the alignment model; called only if there is something to compare.
        deadline: called now and then; may raise to stop.

    Raises:
        ModelError: if the model fails.
    """
    statements: list[Statement] = []
    for place in places:
        deadline()
        statements += statements_of(place, texts[place][: settings.max_characters])
    pairs = _alike(statements, settings.min_overlap)
    if not pairs:
        return Conflicts(frozenset(), 0, 0)
    model = aligner()
    readable = model.languages
    if readable is not None:
        foreign = {at for at in {at for pair in pairs for at in pair} if _foreign(statements[at], readable)}
        pairs = [pair for pair in pairs if foreign.isdisjoint(pair)]
    chosen = pairs[: settings.max_pairs]
    both = [(statements[a].text, statements[b].text) for i, j in chosen for a, b in ((i, j), (j, i))]
    contradicted = np.zeros(len(both))
    for start in range(0, len(both), _BATCH):
        deadline()
        batch = both[start : start + _BATCH]
        rows = checked_probabilities(model.model.score(batch), len(batch), model.id)
        contradicted[start : start + _BATCH] = rows[:, 2]
    in_both = contradicted.reshape(-1, 2).min(axis=1) >= settings.conflict_above
    found = frozenset(
        (min(one, other), max(one, other))
        for (i, j), conflict in zip(chosen, in_both, strict=True)
        if conflict
        for one, other in [(statements[i].passage, statements[j].passage)]
    )
    return Conflicts(found, len(pairs), len(chosen))


def statements_of(passage: int, text: str) -> list[Statement]:
    """The statements of a passage that can be understood on their own."""
    found = []
    for claim in RuleExtractor().extract(text).claims:
        words = words_of(claim.text)
        content = terms(claim.text).words
        if not claim.checkworthy or len(content) < _FEWEST_WORDS:
            continue
        if words and words[0].lower in _OPEN_SUBJECTS:
            continue
        subject = find_subject(claim.text, words_of(top_level(claim.text)))
        found.append(
            Statement(passage, claim.text, content, terms(subject.text).words if subject else content)
        )
    return found


def _alike(statements: Sequence[Statement], least: float) -> list[tuple[int, int]]:
    """Pairs worth comparing, those with the highest Jaccard index first."""
    sizes = np.asarray([len(statement.words) for statement in statements], dtype=np.int64)
    passages = np.asarray([statement.passage for statement in statements], dtype=np.int64)
    ranked: list[tuple[float, int, int]] = []
    for i, j, common in common_items([statement.words for statement in statements]):
        enough = (common >= least * np.minimum(sizes[i], sizes[j])) & (passages[i] != passages[j])
        jaccard = common / (sizes[i] + sizes[j] - common)
        for a, b, value in zip(i[enough].tolist(), j[enough].tolist(), jaccard[enough].tolist(), strict=True):
            if _comparable(statements[a], statements[b]):
                ranked.append((-value, a, b))
    return [(a, b) for _, a, b in sorted(ranked)]


def _comparable(one: Statement, other: Statement) -> bool:
    if one.text == other.text:
        return False
    return one.subject <= other.words or other.subject <= one.words


def _foreign(statement: Statement, readable: frozenset[str]) -> bool:
    language = detect_language(statement.text)
    return language is not None and language not in readable
