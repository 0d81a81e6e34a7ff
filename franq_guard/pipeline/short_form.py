"""Short form: other answers to the same question are drawn, and how far they agree is what counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from franq_guard import franq
from franq_guard.alignment import Aligner, AlignmentJob, ClaimAlignment
from franq_guard.calibration import Calibrator
from franq_guard.models.base import Generation, LanguageModel, Prompt
from franq_guard.models.outputs import checked_generations
from franq_guard.pipeline.drafts import Draft, Limits, claim_tokens
from franq_guard.pipeline.forms import ShortForm
from franq_guard.pipeline.handed_over import lay_onto
from franq_guard.pipeline.log_probs import fit_to_prompt
from franq_guard.pipeline.long_form import best_max_nli
from franq_guard.pipeline.prompts import short_answer_prompt
from franq_guard.pipeline.sample_comparison import Agreement, agreement, compare_samples
from franq_guard.pipeline.stages import Stages
from franq_guard.schema import Claim, Signals
from franq_guard.uncertainty.max_claim_probability import max_claim_log_prob

_QUESTION_END = " \t\n?!.\uff1f\uff01\u3002"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortFormScorer:
    """Scores answers that are one short claim (arXiv 2505.21072 sec. 3.1 and 3.3).

    Attributes:
        language_model: writes the samples.
        aligner: gives P(faithful); its model judges whether samples mean the same.
        settings: sampling, and the two signals.
        calibrator: turns signals into probabilities; None takes them as they are.
        threshold: hard faithfulness at this value; None mixes.
        limits: bounds on work.
    """

    language_model: LanguageModel
    aligner: Aligner
    settings: ShortForm
    calibrator: Calibrator | None
    threshold: float | None
    limits: Limits

    def run(self, drafts: Sequence[Draft], stages: Stages) -> None:
        """Scores the one open claim of each of several answers.

        Raises:
            CheckTimeoutError: if the deadline passes.
            ModelError: if a model fails.
        """
        wanted = [draft for draft in drafts if draft.open()]
        if not wanted:
            return
        with stages.timed("alignment"):
            alignments = self.align(wanted, stages)
        with stages.timed("sampling"):
            samples = self.sample(wanted, stages)
        with stages.timed("comparison"):
            probabilities = compare_samples(
                self.aligner.model,
                [[sample.text for sample in drawn] for drawn in samples],
                progress=lambda done, total: stages.report("comparison", done, total),
                deadline=stages.deadline.check,
            )
        with stages.timed("scoring"):
            for draft, alignment, drawn, judged in zip(
                wanted, alignments, samples, probabilities, strict=True
            ):
                draft.samples = tuple(sample.text for sample in drawn)
                self._score(draft, alignment, agreement(drawn, judged, self.settings) if drawn else None)

    def align(self, drafts: Sequence[Draft], stages: Stages) -> list[ClaimAlignment | None]:
        """Each answer against all its passages; P(faithful) is that of its best passage alone."""
        jobs: list[AlignmentJob] = []
        for draft in drafts:
            passages = [passage.text for passage in draft.item.passages] if draft.has_passages() else []
            claims = [hypothesis(draft.item.question, claim) for claim in draft.open()]
            together = [passages] if passages else []
            alone = [[text] for text in passages] if len(passages) > 1 else []
            jobs.extend(AlignmentJob(claims, texts) for texts in (*together, *alone))
        found = iter(
            self.aligner.align(
                jobs,
                progress=lambda done, total: stages.report("alignment", done, total),
                deadline=stages.deadline.check,
            )
        )
        results: list[ClaimAlignment | None] = []
        for draft in drafts:
            if not draft.has_passages():
                results.append(None)
                continue
            [joint] = next(found)
            count = len(draft.item.passages)
            scores = [next(found)[0].p_faithful for _ in range(count)] if count > 1 else [joint.p_faithful]
            draft.notes.extend(joint.notes)
            results.append(replace(joint, p_faithful=float(np.max(scores))))
        return results

    def sample(self, drafts: Sequence[Draft], stages: Stages) -> list[list[Generation]]:
        """Other answers to each question, empty ones left out; equal prompts share them."""
        drawn: dict[Prompt, list[Generation]] = {}
        results = []
        for number, draft in enumerate(drafts, start=1):
            stages.deadline.check()
            question, passages = fit_to_prompt(
                self.language_model, draft.item, self.limits.max_prompt_tokens, draft.notes
            )
            prompt = short_answer_prompt(question, passages if draft.has_passages() else ())
            if prompt not in drawn:
                written = self.settings.draw(self.language_model, prompt)
                drawn[prompt] = checked_generations(written, self.language_model.id)
            kept = [sample for sample in drawn[prompt] if sample.text.strip()]
            empty = len(drawn[prompt]) - len(kept)
            if empty:
                draft.notes.append(f"{empty} of {len(drawn[prompt])} sampled answers were empty")
            results.append(kept)
            stages.report("sampling", number, len(drafts))
        return results

    def _score(self, draft: Draft, alignment: ClaimAlignment | None, found: Agreement | None) -> None:
        [claim] = draft.open()
        if found is None:
            draft.unchecked[claim.index] = "the language model drew no answers to compare with"
            return
        if alignment is not None and np.isnan(alignment.p_faithful):
            draft.unchecked[claim.index] = "no text to compare with the passages"
            return
        log_prob, tokens = _handed_over(draft, claim)
        # With nothing to be faithful to, a claim is unfaithful by definition.
        p_faithful = 0.0 if alignment is None else alignment.p_faithful
        signals = Signals(
            alignment=p_faithful,
            max_claim_log_prob=log_prob,
            max_nli=best_max_nli(alignment),
            semantic_entropy=found.semantic_entropy,
            sum_eigenvalues=found.sum_eigenvalues,
            samples=len(draft.samples),
            tokens=tokens,
        )
        scores = franq.short_form(
            [p_faithful],
            [-found.semantic_entropy],
            [-found.sum_eigenvalues],
            samples=len(draft.samples),
            calibrator=self.calibrator,
            threshold=self.threshold,
        )
        draft.score(claim, scores, 0, alignment=alignment, signals=signals)


def hypothesis(question: str, claim: Claim) -> str:
    """What a passage must entail: question and answer joined (arXiv 2505.21072 sec. 3.3).

    The question mark is left out, or a sentence splitter would take the two apart and hold the bare question
    against the passages. A claim that is not the answer's own words ("No." became "It is not in Rome.")
    says all by itself.
    """
    if claim.source_text not in claim.text:
        return claim.text
    return f"{question.strip(_QUESTION_END)}: {claim.source_text}"


def _handed_over(draft: Draft, claim: Claim) -> tuple[float | None, int]:
    """The answer's log-probability and number of tokens, if they came with it: they cost nothing."""
    entries = draft.item.token_log_probs
    scores = None if entries is None else lay_onto(draft.item.answer, entries)
    tokens = [] if scores is None else claim_tokens(scores, claim)
    if scores is None or not tokens:
        return None, 0
    return max_claim_log_prob(scores.log_probs, tokens), len(tokens)
