"""What the passages say about one claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from franq_guard.alignment.lexical import Terms, terms, tokenize
from franq_guard.alignment.mismatch import FEATURES, MismatchIndex
from franq_guard.alignment.splitters import SplitFunction
from franq_guard.alignment.windows import Piece, Window
from franq_guard.models.base import FloatArray
from franq_guard.quantities import quantities
from franq_guard.schema import Evidence, Verdict

SUPPORTED_ABOVE = 0.5
"""P(faithful) must exceed this for "supported" (FRANQ's own threshold, strict)."""

_DIFFERS = 0.75
"""What a difference in numbers or negation counts for at least, where P(contradicted) orders evidence."""

TALKS_ABOUT = 0.5
"""Share of a claim's words a window must mention before its contradiction counts: without it, small models
take any other subject for a contradiction. Chosen on benchmarks/data/lexical_combiner_fit.jsonl."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimAlignment:
    """What the passages say about one claim.

    Attributes:
        claim: the claim.
        sentences: what it was cut into, S of them; none for a claim without text.
        p_faithful: mean over the claim's sentences of the best window's score, in [0, 1]; NaN for a claim
            without text.
        windows: the W windows that were scored.
        probabilities: aligned, neutral, contradicted of each claim sentence and window, shape (S, W, 3).
        scores: what the maximum is taken over, shape (S, W): P(aligned), or the combiner's P(faithful),
        lowered
            by the mismatch penalty.
        mismatches: columns of `mismatch.FEATURES`, shape (S, W, 3); all 0 without the penalty.
        coverage: share of the claim's words that each window mentions, shape (W,).
        notes: limits that cut in.
    """

    claim: str
    sentences: tuple[str, ...]
    p_faithful: float
    windows: tuple[Window, ...]
    probabilities: FloatArray
    scores: FloatArray
    mismatches: FloatArray
    coverage: FloatArray
    notes: tuple[str, ...] = ()
    passages: Sequence[str] = field(repr=False)
    split: SplitFunction = field(repr=False)

    @property
    def window_probabilities(self) -> FloatArray:
        """Aligned, neutral, contradicted of each window, averaged over the claim's sentences; (W, 3).

        NaN for a claim without text.
        """
        if not self.sentences:
            return np.full((len(self.windows), 3), np.nan)
        return np.asarray(self.probabilities.mean(axis=0))

    @property
    def passage_entailment(self) -> Mapping[int, tuple[float, float]]:
        """(P_e, P_c) by passage: entailment and contradiction of its most entailing window.

        For MaxNLI (paper eq. 4). A passage without a scored window is left out.
        """
        if not self.sentences:
            return {}
        best: dict[int, tuple[float, float]] = {}
        for window, (aligned, _, contradicted) in zip(self.windows, self.window_probabilities, strict=True):
            for passage in dict.fromkeys(piece.passage for piece in window.pieces):
                if passage not in best or aligned > best[passage][0]:
                    best[passage] = (float(aligned), float(contradicted))
        return best

    @property
    def verdict(self) -> Verdict:
        """What the passages say.

        - supported: P(faithful) > 0.5.
        - contradicted: not supported, and a window that mentions at least half of the claim's words finds
          contradiction more likely than alignment and than neither, or differs from it in a number, date or
          unit, or says the opposite in nearly the same words.
        - not_mentioned: anything else.
        - not_checkworthy: a claim without text.
        """
        if np.isnan(self.p_faithful):
            return Verdict.NOT_CHECKWORTHY
        if self.p_faithful > SUPPORTED_ABOVE:
            return Verdict.SUPPORTED
        return Verdict.CONTRADICTED if self._denied().any() else Verdict.NOT_MENTIONED

    def _denied(self) -> FloatArray:
        """P(contradicted) of the windows that talk about the claim and deny it; 0 for the others."""
        rows = self.window_probabilities
        talks = self.coverage >= TALKS_ABOUT
        denied = np.where(talks & (rows.argmax(axis=1) == 2), rows[:, 2], 0.0)
        return np.where(talks & self.differs, np.maximum(rows[:, 2], _DIFFERS), denied)

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Whether a window differs in a number, date, unit or negation from a sentence of the claim; (W,)."""
        columns = [FEATURES.index("different"), FEATURES.index("negated")]
        return np.asarray((self.mismatches[:, :, columns] > 0).any(axis=(0, 2)))

    def evidence(self, top: int = 3) -> tuple[Evidence, ...]:
        """The text that decided, best first: what contradicts a contradicted claim, else what scores highest.

        Each place is the sentence, among those of its window, that mentions most of the claim. The three
        probabilities are those of the whole window, which is what the model read.

        Args:
            top: most pieces to return.
        """
        if not self.sentences:
            return ()
        order = self.scores.mean(axis=0)
        if self.verdict is Verdict.CONTRADICTED:
            order = order + self._denied() * 2.0  # windows that deny go first
        wanted = terms(self.claim)
        found: dict[Piece, Evidence] = {}
        for index in np.argsort(-order, kind="stable"):
            if len(found) >= top:
                break
            place = self._narrowed(self.windows[index], wanted)
            if place is not None and place not in found:
                aligned, neutral, contradicted = (float(p) for p in self.window_probabilities[index])
                found[place] = Evidence(
                    passage=place.passage,
                    start=place.start,
                    end=place.end,
                    text=self.passages[place.passage][place.start : place.end],
                    aligned=aligned,
                    neutral=neutral,
                    contradicted=contradicted,
                    differs=self._difference(index),
                )
        return tuple(found.values())

    def _difference(self, index: int) -> str:
        """How a window differs from the claim in what can be compared exactly; empty if it does not."""
        if not self.mismatches[:, index].any():
            return ""
        numbers = MismatchIndex(self.windows, self.split)
        found = [
            f"“{difference.claim.text}” against “{difference.text.text}”"
            for difference in numbers.differences(quantities(self.claim), index)
            if difference.text is not None
        ]
        return ", ".join(found) or "one affirms what the other denies"

    def _narrowed(self, window: Window, wanted: Terms) -> Piece | None:
        candidates = [
            Piece(piece.passage, piece.start + span.start, piece.start + span.end)
            for piece in window.pieces
            for span in self.split(self.passages[piece.passage][piece.start : piece.end])
        ] or list(window.pieces)
        return max(
            candidates,
            key=lambda piece: _mentions(self.passages[piece.passage][piece.start : piece.end], wanted),
            default=None,
        )


def _mentions(text: str, wanted: Terms) -> tuple[int, bool]:
    """How many of the words a text holds; among equals one with a number goes first if the claim has one."""
    found = tokenize(text)
    return len(wanted.words.intersection(found)), bool(wanted.numbers) and any(
        token[0].isdigit() for token in found
    )
