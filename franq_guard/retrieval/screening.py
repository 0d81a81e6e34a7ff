"""Screens the passages of one question: emptiness, repetition, contradiction, relevance."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence

from franq_guard.alignment import Aligner
from franq_guard.errors import FranqGuardError, ModelError
from franq_guard.retrieval.conflicts import Conflicts, find_conflicts
from franq_guard.retrieval.duplicates import find_duplicates, is_empty
from franq_guard.retrieval.findings import PassageFinding, Screening
from franq_guard.retrieval.relevance import relevances

logger = logging.getLogger(__name__)

_NONE = Conflicts(frozenset(), 0, 0)


def screen_passages(
    question: str,
    texts: Sequence[str],
    *,
    settings: Screening,
    aligner: Callable[[], Aligner],
    deadline: Callable[[], None],
    raise_errors: bool,
) -> tuple[PassageFinding, ...]:
    """Says what is wrong with each passage.

    Args:
        question: what was asked.
        texts: the passages, best first.
        settings: thresholds and limits.
        aligner: gives the alignment model; called only if there are statements to compare.
        deadline: called between pieces of work; may raise to stop.
        raise_errors: raise what goes wrong in the search for conflicts; else the notes say it.

    Returns:
        One finding for each passage, in order.

    Raises:
        ModelError: if the alignment model fails and `raise_errors` is set.
        CheckTimeoutError: if the deadline passes and `raise_errors` is set.
    """
    duplicates = find_duplicates(texts, above=settings.duplicate_above, limit=settings.max_passages)
    relevance = relevances(question, texts, low=settings.irrelevant_below)
    empty = [is_empty(text) for text in texts]
    distinct = [
        index
        for index in range(min(len(texts), settings.max_passages))
        if not empty[index] and index not in duplicates.equal
    ]
    notes: list[str] = []
    conflicts = _NONE
    if settings.conflicts:
        try:
            conflicts = find_conflicts(texts, distinct, settings=settings, aligner=aligner, deadline=deadline)
        except Exception as error:
            if raise_errors:
                if isinstance(error, FranqGuardError):
                    raise
                raise ModelError(f"the screening failed: {type(error).__name__}: {error}") from error
            logger.warning("conflicts between passages could not be looked for: %s", error)
            notes.append(f"conflicts were not looked for: {type(error).__name__}: {error}")
        if conflicts.compared < conflicts.candidates:
            notes.append(
                f"compared the {conflicts.compared:,} most similar of {conflicts.candidates:,} pairs of "
                "statements"
            )
    opponents = _opponents(conflicts, duplicates.equal)
    return tuple(
        PassageFinding(
            index=index,
            empty=empty[index],
            duplicate_of=_original(index, duplicates.equal, duplicates.near, opponents),
            conflicts_with=tuple(sorted(opponents[index])),
            relevance=value,
            irrelevant=value is not None and value < settings.irrelevant_below,
            notes=(*notes, *_limits(index, text, settings)),
        )
        for index, (text, value) in enumerate(zip(texts, relevance, strict=True))
    )


def _opponents(conflicts: Conflicts, equal: dict[int, int]) -> defaultdict[int, set[int]]:
    """Who contradicts whom; what holds for a passage holds for its copies."""
    copies: defaultdict[int, list[int]] = defaultdict(list)
    for copy, original in equal.items():
        copies[original].append(copy)
    found: defaultdict[int, set[int]] = defaultdict(set)
    for pair in conflicts.pairs:
        for one, other in (pair, pair[::-1]):
            for index in (one, *copies[one]):
                found[index].update((other, *copies[other]))
    return found


def _original(
    index: int, equal: dict[int, int], near: dict[int, int], opponents: defaultdict[int, set[int]]
) -> int | None:
    first = equal.get(index, index)
    original = near.get(first)
    # Whoever contradicts a passage does not repeat it, however few words differ.
    if original is not None and original not in opponents[first]:
        return original
    return equal.get(index)


def _limits(index: int, text: str, settings: Screening) -> list[str]:
    notes = []
    if index >= settings.max_passages:
        notes.append(f"beyond the first {settings.max_passages:,} passages: compared for equality only")
    elif settings.conflicts and len(text) > settings.max_characters:
        notes.append(f"searched the first {settings.max_characters:,} characters for conflicts")
    return notes
