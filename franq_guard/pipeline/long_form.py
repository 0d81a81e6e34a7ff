"""Long form: each claim against the passages, and its log-probabilities with and without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from franq_guard import franq
from franq_guard.alignment import Aligner, AlignmentJob, ClaimAlignment
from franq_guard.calibration import Calibrator
from franq_guard.models.base import LanguageModel, TokenScores
from franq_guard.pipeline.drafts import Draft, Limits, claim_tokens
from franq_guard.pipeline.log_probs import AnswerLogProbs, score_answers
from franq_guard.pipeline.stages import Stages
from franq_guard.schema import Claim, Signals
from franq_guard.uncertainty.max_claim_probability import max_claim_log_prob
from franq_guard.uncertainty.max_nli import max_nli
from franq_guard.uncertainty.parametric_knowledge import parametric_log_prob

Alignments = dict[int, ClaimAlignment]
"""By the index of the claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongFormScorer:
    """Scores claims of long answers (arXiv 2505.21072 sec. 3.1).

    Attributes:
        language_model: gives the two log-probabilities.
        aligner: gives P(faithful).
        calibrator: turns signals into probabilities; None takes them as they are.
        faithful_signal: "max_claim_probability" or "max_nli".
        threshold: hard faithfulness at this value; None mixes.
        limits: bounds on work.
    """

    language_model: LanguageModel
    aligner: Aligner
    calibrator: Calibrator | None
    faithful_signal: str
    threshold: float | None
    limits: Limits

    def run(self, drafts: Sequence[Draft], stages: Stages) -> None:
        """Scores the open claims of several answers together.

        Raises:
            CheckTimeoutError: if the deadline passes.
            ModelError: if a model fails.
        """
        wanted = [draft for draft in drafts if draft.open()]
        if not wanted:
            return
        with stages.timed("alignment"):
            alignments = self.align(wanted, stages)
        with stages.timed("log_probs"):
            log_probs = self._log_probs(wanted, stages)
        with stages.timed("scoring"):
            for draft, aligned, scored in zip(wanted, alignments, log_probs, strict=True):
                self._score(draft, aligned, scored)

    def align(self, drafts: Sequence[Draft], stages: Stages) -> list[Alignments]:
        """The open claims of each answer against its passages; nothing for an answer without passages."""
        with_passages = [draft for draft in drafts if draft.has_passages()]
        jobs = [
            AlignmentJob(
                [claim.text for claim in draft.open()], [passage.text for passage in draft.item.passages]
            )
            for draft in with_passages
        ]
        found = iter(
            self.aligner.align(
                jobs,
                progress=lambda done, total: stages.report("alignment", done, total),
                deadline=stages.deadline.check,
            )
        )
        results: list[Alignments] = []
        for draft in drafts:
            if not draft.has_passages():
                results.append({})
                continue
            claims = [claim.index for claim in draft.open()]
            alignments = dict(zip(claims, next(found), strict=True))
            draft.notes.extend(dict.fromkeys(note for a in alignments.values() for note in a.notes))
            results.append(alignments)
        return results

    def _log_probs(self, drafts: Sequence[Draft], stages: Stages) -> list[AnswerLogProbs]:
        scored = score_answers(
            self.language_model,
            [draft.item for draft in drafts],
            max_prompt_tokens=self.limits.max_prompt_tokens,
            max_answer_tokens=self.limits.max_answer_tokens,
            deadline=stages.deadline,
            progress=lambda done, total: stages.report("log-probabilities", done, total),
        )
        for draft, log_probs in zip(drafts, scored, strict=True):
            draft.notes.extend(log_probs.notes)
        return scored

    def _score(self, draft: Draft, alignments: Alignments, log_probs: AnswerLogProbs) -> None:
        rows: list[tuple[Claim, Signals]] = []
        for claim in draft.open():
            found = self._signals(claim, alignments.get(claim.index), log_probs)
            if isinstance(found, str):
                draft.unchecked[claim.index] = found
            else:
                rows.append((claim, found))
        scores = self._franq([signals for _, signals in rows])
        for row, (claim, signals) in enumerate(rows):
            draft.score(claim, scores, row, alignment=alignments.get(claim.index), signals=signals)

    def _signals(
        self, claim: Claim, alignment: ClaimAlignment | None, log_probs: AnswerLogProbs
    ) -> Signals | str:
        """The claim's raw signals, or why it has none."""
        with_passages = claim_tokens(log_probs.with_passages, claim)
        without = claim_tokens(log_probs.without_passages, claim)
        if not with_passages or not without or _is_cut(log_probs.without_passages, claim):
            return (
                f"beyond the first {self.limits.max_answer_tokens} tokens of the answer, or without a token"
            )
        if alignment is not None and np.isnan(alignment.p_faithful):
            return "no text to compare with the passages"
        return Signals(
            # With nothing to be faithful to, a claim is unfaithful by definition.
            alignment=0.0 if alignment is None else alignment.p_faithful,
            max_claim_log_prob=max_claim_log_prob(log_probs.with_passages.log_probs, with_passages),
            parametric_log_prob=parametric_log_prob(log_probs.without_passages.log_probs, without),
            max_nli=best_max_nli(alignment),
            tokens=len(without),
        )

    def _franq(self, signals: Sequence[Signals]) -> franq.FranqScores:
        faithful = [
            (0.5 if s.max_nli is None else s.max_nli)
            if self.faithful_signal == "max_nli"
            else s.max_claim_log_prob
            for s in signals
        ]
        return franq.long_form(
            np.asarray([s.alignment for s in signals], dtype=np.float64),
            np.asarray(faithful, dtype=np.float64),
            np.asarray([s.parametric_log_prob for s in signals], dtype=np.float64),
            calibrator=self.calibrator,
            threshold=self.threshold,
            signals=(self.faithful_signal, "parametric_knowledge"),
        )


def best_max_nli(alignment: ClaimAlignment | None) -> float | None:
    """MaxNLI over the passages (arXiv 2505.21072v2 eq. 4); None without passages."""
    if alignment is None or not alignment.passage_entailment:
        return None
    pairs = np.asarray(list(alignment.passage_entailment.values()))
    return max_nli(pairs[:, 0], pairs[:, 1])


def _is_cut(scores: TokenScores, claim: Claim) -> bool:
    """True if the claim goes on behind the last token that was scored."""
    reached = int(scores.tokens.offsets[-1, 1])
    return bool(scores.tokens.text[reached : claim.spans[-1].end].strip())
