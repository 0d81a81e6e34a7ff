"""Do the passages entail the claims? The alignment model over windows, for many answers at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np

from franq_guard.alignment.claim_alignment import ClaimAlignment
from franq_guard.alignment.combiner import LexicalCombiner
from franq_guard.alignment.lexical import Terms, terms
from franq_guard.alignment.lexical_index import LexicalIndex
from franq_guard.alignment.mismatch import FEATURES, MismatchIndex, MismatchPenalty
from franq_guard.alignment.splitters import SplitFunction, resolve_splitter
from franq_guard.alignment.windows import Window, cut, nli_sp_windows, sentence_windows, whole_window
from franq_guard.errors import ConfigError, InputError
from franq_guard.models.base import AlignmentModel, FloatArray, IntArray
from franq_guard.models.outputs import checked_probabilities

Windowing = Literal["sentences", "nli_sp", "whole"]
"""How passages are cut: short groups of sentences, AlignScore's chunks, or not at all."""

_PAIRS_BETWEEN_CHECKS = 64
_CLAIM_LIMIT = {"sentences": 250, "nli_sp": 400, "whole": 400}
_FEWEST_WINDOWS = 4


@dataclass(frozen=True, slots=True)
class AlignmentJob:
    """One answer's claims and the passages they are held against."""

    claims: Sequence[str]
    passages: Sequence[str]


@dataclass(frozen=True, slots=True)
class _ClaimPlan:
    """What is to be scored for one claim."""

    claim: str
    parts: tuple[str, ...]
    terms: Terms
    rows: IntArray
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _JobPlan:
    passages: Sequence[str]
    windows: list[Window]
    index: LexicalIndex
    numbers: MismatchIndex
    claims: list[_ClaimPlan]


def alignscore(matrix: FloatArray) -> float:
    """Mean over claim sentences of the maximum over windows (Zha et al. 2023, sec. 3.3).

    Args:
        matrix: scores, shape (S, W): claim sentences by windows.

    Returns:
        In [0, 1]; NaN if there is no claim sentence.
    """
    return float(matrix.max(axis=1).mean()) if matrix.size else float("nan")


class Aligner:
    """Scores claims against passages with an alignment model.

    Thread-safe if the model is.

    Args:
        model: the alignment model.
        windowing: how passages are cut.
        window_sentences: most sentences in a window ("sentences" only).
        stride: sentences from one window's start to the next's ("sentences" only).
        splitter: "rules", "punkt", or a function text -> spans. None means the rules for "sentences";
            for "nli_sp" Punkt where it is installed, because AlignScore was published with it.
        combiner: adds lexical evidence; None takes the model's P(aligned) as it is.
        mismatch: lowers the score of windows whose numbers, dates, units or negations differ from the
        claim's;
            None leaves them to the model. English only.
        max_windows_per_claim: of more windows than this only the most relevant are scored.
        max_pairs_per_answer: bounds the work for one answer: many claims get fewer windows each.

    Raises:
        ConfigError: if a setting is out of range, or the combiner was fitted for another model.
    """

    def __init__(
        self,
        model: AlignmentModel,
        *,
        windowing: Windowing = "sentences",
        window_sentences: int = 3,
        stride: int = 2,
        splitter: str | SplitFunction | None = None,
        combiner: LexicalCombiner | None = None,
        mismatch: MismatchPenalty | None = None,
        max_windows_per_claim: int = 64,
        max_pairs_per_answer: int = 4096,
    ) -> None:
        if windowing not in get_args(Windowing):
            raise ConfigError(f"windowing {windowing!r} is unknown; use one of {get_args(Windowing)}")
        if not 1 <= stride <= window_sentences:
            raise ConfigError(
                "window_sentences must be at least 1, and stride between 1 and window_sentences"
            )
        if max_windows_per_claim < 1 or max_pairs_per_answer < 1:
            raise ConfigError("max_windows_per_claim and max_pairs_per_answer must be at least 1")
        if combiner is not None and combiner.model_id != model.id:
            raise ConfigError(
                f"the lexical combiner was fitted for {combiner.model_id!r}, not for {model.id!r}; "
                "use combiner=None with this model"
            )
        self._model = model
        self._windowing = windowing
        self._size = window_sentences
        self._stride = stride
        self._splitter = resolve_splitter(splitter, prefer_punkt=windowing == "nli_sp")
        self._combiner = combiner
        self._mismatch = mismatch
        self._max_windows = max_windows_per_claim
        self._max_pairs = max_pairs_per_answer

    @property
    def id(self) -> str:
        """Names the model, the combiner, the penalty, the windowing and a splitter other than the rules."""
        combined = "+".join(
            [self._model.id, *(part.name for part in (self._combiner, self._mismatch) if part is not None)]
        )
        windowing = f"sentences-{self._size}" if self._windowing == "sentences" else self._windowing
        splitter = "" if self._splitter.name == "rules" else f":{self._splitter.name}"
        return f"{combined}/{windowing}{splitter}"

    def with_model(self, model: AlignmentModel) -> Aligner:
        """This aligner over another interface to the same weights, such as a worker that callers share."""
        other = copy(self)
        other._model = model
        return other

    @property
    def model(self) -> AlignmentModel:
        """The alignment model."""
        return self._model

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes the model can judge; None if unlimited or unknown."""
        return self._model.languages

    @property
    def splitter_name(self) -> str:
        """Which sentence splitter is in use: "rules", "punkt" or the name of a user's function."""
        return self._splitter.name

    def align(
        self,
        jobs: Sequence[AlignmentJob],
        *,
        progress: Callable[[int, int], None] | None = None,
        deadline: Callable[[], None] | None = None,
    ) -> list[list[ClaimAlignment]]:
        """Scores the claims of several answers; equal pairs are scored once.

        Args:
            jobs: one for each answer.
            progress: called with (pairs scored, pairs in all).
            deadline: called between batches; may raise to stop.

        Returns:
            For each job one result for each claim, in order.

        Raises:
            InputError: if a claim or passage is not text.
            ModelError: if the model fails.
        """
        plans = []
        for job in jobs:
            if deadline is not None:
                deadline()
            plans.append(self._plan(job))
        pairs = {
            (plan.windows[row].text, part)
            for plan in plans
            for claim in plan.claims
            for part in claim.parts
            for row in claim.rows
        }
        scored = self._score(pairs, progress, deadline)
        return [[self._result(plan, claim, scored) for claim in plan.claims] for plan in plans]

    def windows(self, passages: Sequence[str]) -> list[Window]:
        """Cuts passages the way this aligner does."""
        if self._windowing == "nli_sp":
            return nli_sp_windows(passages, self._splitter.split)
        if self._windowing == "whole":
            return whole_window(passages)
        return sentence_windows(passages, self._splitter.split, size=self._size, stride=self._stride)

    def _plan(self, job: AlignmentJob) -> _JobPlan:
        if not all(isinstance(text, str) for text in (*job.claims, *job.passages)):
            raise InputError("claims and passages must be strings; pass passage.text, not the passage")
        windows = self.windows(job.passages)
        wanted = [terms(claim) for claim in job.claims]
        parts = [self._parts(claim) for claim in job.claims]
        pieces = [terms(piece) for texts in parts for piece in chain.from_iterable(texts)]
        index = LexicalIndex(windows, [*wanted, *pieces])
        count = max(len(pieces), 1)
        limit = min(self._max_windows, max(self._max_pairs // count, _FEWEST_WINDOWS))
        claims = [
            self._claim_plan(claim, texts, found, index, len(windows), limit)
            for claim, texts, found in zip(job.claims, parts, wanted, strict=True)
        ]
        numbers = MismatchIndex(windows, self._splitter.split)
        return _JobPlan(job.passages, windows, index, numbers, claims)

    def _parts(self, claim: str) -> list[list[str]]:
        """The claim's sentences, over-long ones cut up, since a model must never cut off a claim's end."""
        limit = _CLAIM_LIMIT[self._windowing]
        if self._windowing == "whole":
            ranges = [(0, len(claim))]
        else:
            ranges = [(span.start, span.end) for span in self._splitter.split(claim)]
        return [[claim[a:b] for a, b in cut(claim, *place, limit)] for place in ranges]

    def _claim_plan(
        self, claim: str, parts: list[list[str]], wanted: Terms, index: LexicalIndex, count: int, limit: int
    ) -> _ClaimPlan:
        notes = []
        if any(len(pieces) > 1 for pieces in parts):
            notes.append("scored a claim that is too long for the alignment model in parts")
        if count <= limit:
            best = np.arange(count)
        else:
            best = np.sort(np.argsort(-index.relevance(wanted), kind="stable")[:limit])
            notes.append(f"scored the {limit} most relevant of {count:,} windows")
        return _ClaimPlan(claim, tuple(chain.from_iterable(parts)), wanted, best, tuple(notes))

    def _score(
        self,
        pairs: set[tuple[str, str]],
        progress: Callable[[int, int], None] | None,
        deadline: Callable[[], None] | None,
    ) -> dict[tuple[str, str], FloatArray]:
        # Similar lengths together waste least on padding; the texts themselves break ties, for repeatability.
        ordered = sorted(pairs, key=lambda pair: (len(pair[0]) + len(pair[1]), pair))
        scored: dict[tuple[str, str], FloatArray] = {}
        for start in range(0, len(ordered), _PAIRS_BETWEEN_CHECKS):
            if deadline is not None:
                deadline()
            batch = ordered[start : start + _PAIRS_BETWEEN_CHECKS]
            rows = checked_probabilities(self._model.score(batch), len(batch), self._model.id)
            scored.update(zip(batch, rows, strict=True))
            if progress is not None:
                progress(len(scored), len(ordered))
        return scored

    def _result(
        self, plan: _JobPlan, claim: _ClaimPlan, scored: dict[tuple[str, str], FloatArray]
    ) -> ClaimAlignment:
        windows = tuple(plan.windows[row] for row in claim.rows)
        probabilities = np.zeros((len(claim.parts), len(windows), 3))
        scores = np.zeros((len(claim.parts), len(windows)))
        mismatches = np.zeros((len(claim.parts), len(windows), len(FEATURES)))
        for i, part in enumerate(claim.parts):
            probabilities[i] = [scored[window.text, part] for window in windows]
            scores[i] = probabilities[i, :, 0]
            if self._combiner is not None:
                features = plan.index.features(terms(part), claim.rows)
                scores[i] = self._combiner.combine(probabilities[i], features)
            if self._mismatch is not None:
                mismatches[i] = plan.numbers.features(part, claim.rows)
                scores[i] = self._mismatch.apply(scores[i], mismatches[i])
        return ClaimAlignment(
            claim=claim.claim,
            sentences=claim.parts,
            p_faithful=alignscore(scores),
            windows=windows,
            probabilities=probabilities,
            scores=scores,
            mismatches=mismatches,
            coverage=plan.index.coverage(claim.terms)[claim.rows],
            notes=claim.notes,
            passages=plan.passages,
            split=self._splitter.split,
        )


def embedded_aligner(model: AlignmentModel, **options: Any) -> Aligner:
    """The aligner as it is shipped with the embedded model: with lexical evidence and the mismatch penalty.

    Args:
        model: the embedded alignment model.
        options: other settings of `Aligner`.
    """
    return Aligner(model, combiner=LexicalCombiner.embedded(), mismatch=MismatchPenalty.embedded(), **options)
