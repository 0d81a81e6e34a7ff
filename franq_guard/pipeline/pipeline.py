"""The one way from answers to scored claims: claims, then long or short form, then FRANQ.

Everything that needs a model is gathered for all answers at once, then the signals are computed from
plain arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from franq_guard.alignment import Aligner
from franq_guard.calibration import Calibrator
from franq_guard.claims import ClaimExtractor, Extraction, detect_language
from franq_guard.inputs import CheckInput, Continuation
from franq_guard.models.base import GrowingLanguageModel, LanguageModel
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.drafts import Draft, Limits, Scored, continued, without_score
from franq_guard.pipeline.forms import Form, FormChoice, ShortForm, as_one_claim, choose_form
from franq_guard.pipeline.log_probs import answer_prompts
from franq_guard.pipeline.long_form import LongFormScorer
from franq_guard.pipeline.short_form import ShortFormScorer
from franq_guard.pipeline.stages import Progress, Stages, silent
from franq_guard.policy import Policy
from franq_guard.rewriting import LMRewriter
from franq_guard.runtime.time_limit import limited
from franq_guard.schema import ScoredClaim

__all__ = ["Limits", "Pipeline", "Progress", "Scored", "unchecked_claims"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Models and settings of a guard, ready to score.

    Attributes:
        language_model: gives the two log-probabilities, and writes samples.
        aligner: gives P(faithful).
        extractor: splits answers into claims.
        calibrator: turns signals of long form into probabilities; None takes them as they are.
        short_calibrator: likewise of short form.
        form: "long" or "short" for every answer, or "auto"; see `forms.choose_form`.
        short_form: sampling, and the two signals of short form.
        faithful_signal: of long form: "max_claim_probability" or "max_nli".
        threshold: hard faithfulness at this value; None mixes.
        limits: bounds on work.
        rephraser: words hedges with the language model; None leaves it to the rules.
    """

    language_model: LanguageModel
    aligner: Aligner
    extractor: ClaimExtractor
    calibrator: Calibrator | None = None
    short_calibrator: Calibrator | None = None
    form: FormChoice = "auto"
    short_form: ShortForm = field(default_factory=ShortForm)
    faithful_signal: str = "max_claim_probability"
    threshold: float | None = None
    limits: Limits = field(default_factory=Limits)
    rephraser: LMRewriter | None = None

    def run(
        self,
        items: Sequence[CheckInput],
        *,
        deadline: Deadline,
        timings: dict[str, float],
        progress: Progress | None = None,
        cheap_first: Policy | None = None,
    ) -> list[Scored]:
        """Scores the claims of several answers together.

        Args:
            items: the answers.
            deadline: asked between pieces of work.
            timings: receives the seconds of each stage.
            progress: told how far each stage is.
            cheap_first: leaves out the language model for long answers where it could not change what this
                policy does; None asks it for every answer.

        Raises:
            CheckTimeoutError: if the deadline passes.
            ModelError: if a model fails.
        """
        with limited(deadline):
            return self._run(items, Stages(deadline, timings, progress or silent), cheap_first)

    def _run(self, items: Sequence[CheckInput], stages: Stages, cheap_first: Policy | None) -> list[Scored]:
        with stages.timed("claims"):
            drafts = []
            for number, item in enumerate(items, start=1):
                stages.deadline.check()
                drafts.append(self.draft(item))
                stages.report("claims", number, len(items))
        self.long_form_scorer().run(
            [draft for draft in drafts if draft.form == "long"], stages, cheap_first=cheap_first
        )
        self.short_form_scorer().run([draft for draft in drafts if draft.form == "short"], stages)
        # What comes too late is a failure too, however good it is.
        stages.deadline.check()
        return [draft.finished() for draft in drafts]

    def read_ahead(self, item: CheckInput) -> None:
        """Reads what is known before there is an answer, so that its first sentence is scored sooner."""
        if isinstance(self.language_model, GrowingLanguageModel):
            prompts = answer_prompts(self.language_model, item, self.limits.max_prompt_tokens)
            self.language_model.read_ahead(prompts)

    def forget(self) -> None:
        """Has the models drop what they remember of earlier answers, where they do."""
        for model in (self.language_model, self.aligner.model):
            if hasattr(model, "forget"):
                model.forget()

    def calibrator_of(self, form: Form) -> Calibrator | None:
        """What turns signals of that form into probabilities."""
        return self.calibrator if form == "long" else self.short_calibrator

    def long_form_scorer(self) -> LongFormScorer:
        """Scores claims of long answers with these models and settings."""
        return LongFormScorer(
            language_model=self.language_model,
            aligner=self.aligner,
            calibrator=self.calibrator,
            faithful_signal=self.faithful_signal,
            threshold=self.threshold,
            limits=self.limits,
        )

    def short_form_scorer(self) -> ShortFormScorer:
        """Scores short answers with these models and settings."""
        return ShortFormScorer(
            language_model=self.language_model,
            aligner=self.aligner,
            settings=self.short_form,
            calibrator=self.short_calibrator,
            threshold=self.threshold,
            limits=self.limits,
        )

    def draft(self, item: CheckInput) -> Draft:
        """An answer with its claims, before anything is scored; some may be unchecked already."""
        extraction = self.extractor.extract(item.answer, question=item.question)
        if item.continues is not None:
            return self._continued(item, item.continues, extraction)
        form, reason = choose_form(
            self.form, item.question, item.answer, extraction.claims, max_words=self.short_form.max_words
        )
        if self.form == "auto" and form == "short" and self.calibrator and not self.short_calibrator:
            # Calibrated numbers beat the form that would suit the answer better.
            form, reason = "long", "there is no calibrator for short form"
        claims = extraction.claims if form == "long" else as_one_claim(item.answer, extraction.claims)
        draft = Draft(item, claims, list(extraction.notes), form, reason)
        self._leave_unchecked(draft)
        return draft

    def _continued(self, item: CheckInput, before: Continuation, extraction: Extraction) -> Draft:
        """The next part of an answer that is still being written: how long it gets, nobody knows yet."""
        claims = continued(before, extraction.claims)
        reason = "the answer was checked while it was being written"
        draft = Draft(item, claims, list(extraction.notes), "long", reason)
        draft.known = {claim.index: claim for claim in before.claims}
        self._leave_unchecked(draft)
        return draft

    def _leave_unchecked(self, draft: Draft) -> None:
        """Notes which claims cannot be checked, and what else is worth knowing before anything is scored."""
        form = draft.form
        for claim in draft.claims[max(self.limits.max_claims, len(draft.known)) :]:
            draft.unchecked[claim.index] = f"beyond the first {self.limits.max_claims} claims"
        languages = self.aligner.languages
        if languages is not None:
            self._leave_unread(draft, languages)
        if draft.open() and not draft.has_passages():
            draft.notes.append("no passages were given: only the model's own knowledge counts")
        if draft.open() and self.calibrator_of(form) is None and (self.calibrator or self.short_calibrator):
            draft.notes.append(f"there is no calibrator for {form} form: P(true) is not calibrated")

    def _leave_unread(self, draft: Draft, languages: frozenset[str]) -> None:
        """Leaves claims unchecked if the alignment model cannot read them, or any of the passages."""
        reads = f"the alignment model reads {', '.join(sorted(languages))}"
        whole = detect_language(draft.item.answer)
        for claim in draft.open():
            language = detect_language(claim.source_text) or whole
            if language is not None and language not in languages:
                draft.unchecked[claim.index] = f"language {language!r}: {reads}"
        texts = [passage.text for passage in draft.item.passages if passage.text.strip()]
        foreign = {
            index: language
            for index, text in enumerate(texts)
            if (language := detect_language(text)) is not None and language not in languages
        }
        if not foreign or not draft.open():
            return
        named = ", ".join(sorted(set(foreign.values())))
        if len(foreign) == len(texts):
            for claim in draft.open():
                draft.unchecked[claim.index] = f"all passages are in another language ({named}): {reads}"
        else:
            draft.notes.append(
                f"{len(foreign)} of {len(texts)} passages are in another language ({named}) and count for "
                f"little: {reads}"
            )


def unchecked_claims(item: CheckInput, extractor: ClaimExtractor, reason: str) -> tuple[ScoredClaim, ...]:
    """The claims of an answer that could not be checked at all, each with the reason, for a person to see."""
    return tuple(
        replace(without_score(claim, reason), review=claim.checkworthy)
        for claim in extractor.extract(item.answer, question=item.question).claims
    )
