"""What the rules look at: one scored claim, its question and passages, and the alignment of each window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from franq_guard.alignment import ClaimAlignment
from franq_guard.alignment.claim_alignment import SUPPORTED_ABOVE, TALKS_ABOUT
from franq_guard.alignment.lexical import terms, tokenize
from franq_guard.models.base import FloatArray
from franq_guard.quantities import Quantity, quantities
from franq_guard.schema import ScoredClaim


@dataclass(frozen=True)
class Case:
    """One claim for the rules.

    Attributes:
        question: what was asked.
        passages: the texts.
        claim: the claim, scored.
        alignment: what the passages say about it; None without passages.
    """

    question: str
    passages: Sequence[str]
    claim: ScoredClaim
    alignment: ClaimAlignment | None

    @property
    def supported(self) -> bool:
        """True if the passages bear the claim out."""
        faithful = self.alignment.p_faithful if self.alignment is not None else self.claim.p_faithful
        return faithful is not None and faithful > SUPPORTED_ABOVE

    @cached_property
    def scores(self) -> FloatArray:
        """P(faithful) of each window, averaged over the claim's sentences; (W,), empty without passages."""
        if self.alignment is None or not self.alignment.sentences:
            return np.zeros(0)
        return np.asarray(self.alignment.scores.mean(axis=0))

    @cached_property
    def talks(self) -> NDArray[np.bool_]:
        """Which windows mention at least half of the claim's words; (W,)."""
        if self.alignment is None:
            return np.zeros(0, dtype=np.bool_)
        return np.asarray(self.alignment.coverage >= TALKS_ABOUT)

    @cached_property
    def denies(self) -> NDArray[np.bool_]:
        """Which of those contradict it, to the model or by their numbers or negations; (W,)."""
        if self.alignment is None or not self.alignment.sentences:
            return np.zeros(0, dtype=np.bool_)
        contradicted = self.alignment.window_probabilities.argmax(axis=1) == 2
        return np.asarray(self.talks & (contradicted | self.alignment.differs))

    @cached_property
    def claim_quantities(self) -> tuple[Quantity, ...]:
        """Numbers, dates and the like that the claim states."""
        return quantities(self.claim.text)

    @cached_property
    def question_coverage(self) -> float:
        """The largest share of the question's words that a window mentions, in [0, 1]; 0 without windows."""
        return self.share_in_windows(self.question)

    def share_in_windows(self, text: str) -> float:
        """The largest share of a text's words in one window, in [0, 1]; 0 without words or windows."""
        wanted = terms(text).words
        if self.alignment is None or not wanted:
            return 0.0
        found = (len(wanted.intersection(tokenize(window.text))) for window in self.alignment.windows)
        return max(found, default=0) / len(wanted)

    def passage_of(self, window: int) -> int | None:
        """The passage that a window is from; None for an empty one."""
        assert self.alignment is not None  # noqa: S101
        pieces = self.alignment.windows[window].pieces
        return pieces[0].passage if pieces else None
