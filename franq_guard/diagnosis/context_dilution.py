"""Context dilution: the passage that decides was retrieved, but lies so deep that the answer missed it."""

from __future__ import annotations

import numpy as np

from franq_guard.diagnosis.case import Case
from franq_guard.quantities import missing_names
from franq_guard.schema import Trigger, TriggerName

_DEEP = 400
"""Characters of context before the deciding place from which on it counts as buried."""
_VERY_DEEP = 4000
_NEARLY_SAYS = 0.6

_ADVICE = "Put the best passages first (rerank), or pass fewer, shorter or compressed ones."


def context_dilution(case: Case) -> Trigger | None:
    """Fires if a window decides about the claim, the claim disagrees with it, and much text stands before it.

    A window decides if it contradicts the claim, to the model or by its numbers or negations, or if it has
    most of the claim's words and lacks one of its names or does not bear it out. The strength grows with the
    text before it.
    """
    if case.alignment is None or case.supported or not len(case.scores):
        return None
    coverage = case.alignment.coverage
    decides = case.denies | (coverage >= _NEARLY_SAYS)
    for at in np.flatnonzero(case.talks & ~decides):
        decides[at] = bool(missing_names(case.claim.text, [case.alignment.windows[at].text]))
    if not decides.any():
        return None
    row = int(np.argmax(np.where(decides, coverage + case.denies, -1.0)))
    depth = _depth(case, row)
    passage = case.passage_of(row)
    if passage is None or depth < _DEEP:
        return None
    total = sum(len(text) for text in case.passages)
    return Trigger(
        name=TriggerName.CONTEXT_DILUTION,
        strength=0.4 + 0.6 * min(depth / _VERY_DEEP, 1.0),
        detail=(
            f"Passage {passage + 1} speaks to this and says otherwise, but behind {depth:,} of "
            f"{total:,} characters of context."
        ),
        advice=_ADVICE,
        passages=(passage,),
    )


def _depth(case: Case, row: int) -> int:
    """Characters of context before a window."""
    assert case.alignment is not None  # noqa: S101
    piece = case.alignment.windows[row].pieces[0]
    return sum(len(text) for text in case.passages[: piece.passage]) + piece.start
