"""Long form: each claim against the passages, and its log-probabilities with and without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from franq_guard import franq
from franq_guard.alignment import Aligner, AlignmentJob, ClaimAlignment
from franq_guard.calibration import Calibrator
from franq_guard.models.base import LanguageModel, TokenScores
from franq_guard.pipeline.drafts import Draft, Limits, bounded, claim_tokens
from franq_guard.pipeline.log_probs import AnswerLogProbs, score_answers
from franq_guard.pipeline.score_bounds import Range, is_settled, score_bounds
from franq_guard.pipeline.stages import Stages
from franq_guard.policy import Policy
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

    def run(self, drafts: Sequence[Draft], stages: Stages, *, cheap_first: Policy | None = None) -> None:
        """Scores the open claims of several answers together.

        Args:
            drafts: the answers.
            stages: time left, clock, and listener.
            cheap_first: an answer whose claims this policy treats alike whatever the language model says gets
                ranges of P(true), and the language model is not asked about it; None asks about all.

        Raises:
            CheckTimeoutError: if the deadline passes.
            ModelError: if a model fails.
        """
        wanted = [draft for draft in drafts if draft.open()]
        if not wanted:
            return
        with stages.timed("alignment"):
            found = self.align(wanted, stages)
        asked = list(zip(wanted, found, strict=True))
        if cheap_first is not None:
            policy = cheap_first.for_calibrator(self.calibrator)
            asked = [pair for pair in asked if not self._settle(*pair, policy)]
        with stages.timed("log_probs"):
            log_probs = self._log_probs([draft for draft, _ in asked], stages)
        with stages.timed("scoring"):
            for (draft, alignments), scored in zip(asked, log_probs, strict=True):
                self._score(draft, alignments, scored)

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

    def _settle(self, draft: Draft, alignments: Alignments, policy: Policy) -> bool:
        """Scores an answer by ranges alone, if the policy does the same at both ends of each."""
        if draft.item.token_log_probs is not None:  # half of what the language model says is known
            return False
        tokens = self.language_model.tokenize(draft.item.answer)
        limit = self.limits.max_answer_tokens
        seen = replace(tokens, ids=tokens.ids[:limit], offsets=tokens.offsets[:limit])
        blank = TokenScores(seen, np.zeros(len(seen.ids)))
        claims = draft.open()
        # What would be left unchecked must be left unchecked here too.
        if not seen.ids or any(not claim_tokens(blank, claim) or _is_cut(blank, claim) for claim in claims):
            return False
        signals = [
            Signals(
                alignment=_p_faithful(alignments.get(claim.index)),
                max_nli=best_max_nli(alignments.get(claim.index)),
                tokens=len(claim_tokens(blank, claim)),
            )
            for claim in claims
        ]
        bounds = self._bounds(signals)
        scored = [
            bounded(claim, ends, alignment=alignments.get(claim.index), signals=one)
            for claim, ends, one in zip(claims, bounds, signals, strict=True)
        ]
        if not all(is_settled(policy, claim, ends) for claim, ends in zip(scored, bounds, strict=True)):
            return False
        for claim in scored:
            draft.take(claim, alignments.get(claim.index))
        draft.notes.append(
            "the language model was not asked: whatever it said, the same would be done with every claim"
        )
        return True

    def _bounds(self, signals: Sequence[Signals]) -> list[Range]:
        return score_bounds(
            [np.nan if one.alignment is None else one.alignment for one in signals],
            [0.5 if one.max_nli is None else one.max_nli for one in signals],
            calibrator=self.calibrator,
            threshold=self.threshold,
            faithful_signal=self.faithful_signal,
        )

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
            alignment=_p_faithful(alignment),
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


def _p_faithful(alignment: ClaimAlignment | None) -> float:
    # With nothing to be faithful to, a claim is unfaithful by definition.
    return 0.0 if alignment is None else alignment.p_faithful


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
