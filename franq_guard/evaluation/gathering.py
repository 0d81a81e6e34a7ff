"""Asks the models everything that the baselines need to know, for several answers in one go.

Each thing is asked once for all answers: one forward pass under the passages gives log-probabilities,
entropies and alternatives together; pairs of words or samples are judged once each.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.alignment import ClaimAlignment
from franq_guard.errors import ConfigError
from franq_guard.evaluation import p_true
from franq_guard.evaluation.alternatives import COUNT, Alternatives, Words, compare_alternatives
from franq_guard.evaluation.baselines import get_baseline
from franq_guard.evaluation.gathered import Gathered, Samples
from franq_guard.evaluation.lm_faithfulness import judge_claims
from franq_guard.evaluation.similarity import Similarity, as_matrix, sample_pairs, token_pairs
from franq_guard.models.base import (
    Generation,
    OpenLanguageModel,
    Prompt,
    TokenDistributions,
    Tokens,
    TokenScores,
)
from franq_guard.pipeline.drafts import Draft, claim_tokens
from franq_guard.pipeline.log_probs import fit_to_prompt
from franq_guard.pipeline.pipeline import Pipeline
from franq_guard.pipeline.prompts import question_prompt, rag_prompt, short_answer_prompt
from franq_guard.pipeline.sample_comparison import agreement, compare_samples, sample_log_prob
from franq_guard.pipeline.short_form import hypothesis
from franq_guard.pipeline.stages import Stages
from franq_guard.schema import Claim

_FROM_DISTRIBUTIONS = {"entropies", "top_log_probs", "top_relations"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    draft: Draft
    tokens: Tokens
    with_passages: Prompt
    without: Prompt
    claims: list[tuple[Claim, list[int]]]


@dataclass(slots=True, kw_only=True)
class Gatherer:
    """Collects the inputs of baselines.

    Attributes:
        pipeline: models and settings; the same as a guard's, so that FRANQ's own signals are the guard's.
        similarity: for TokenSAR and SentenceSAR.
        baselines: names of those that are wanted; what only others need is not asked.
    """

    pipeline: Pipeline
    similarity: Similarity
    baselines: Collection[str]
    _words: dict[Words, FloatArray] = field(default_factory=dict, init=False)

    def gather(self, drafts: Sequence[Draft], stages: Stages) -> list[dict[int, Gathered]]:
        """Collects for every open claim; a claim that no token expresses is left out.

        Args:
            drafts: answers with their claims, all of one form.
            stages: passed on to the pipeline's own stages.

        Returns:
            For each draft what is known about its claims, by their index.

        Raises:
            ConfigError: if the language model does not show what a baseline needs.
        """
        form = drafts[0].form if drafts else "long"
        needs = frozenset(
            need
            for name in self.baselines
            if form in get_baseline(name).forms
            for need in get_baseline(name).needs
        )
        answers = [self._prepare(draft) for draft in drafts]
        scores, looked = self._scores(answers, needs)
        alternatives = self._alternatives(answers, looked, needs, form)
        without = self._without(answers, needs)
        alignments = self._alignments(drafts, stages, form)
        samples = self._samples(drafts, stages) if "samples" in needs else [None] * len(drafts)
        alike = self._token_similarity(answers) if "token_similarity" in needs else [None] * len(drafts)
        keys = [(number, claim.index) for number, answer in enumerate(answers) for claim, _ in answer.claims]
        true = self._true(answers, form) if "true_log_prob" in needs else [None] * len(keys)
        judged = self._judged(answers, form) if "lm_faithfulness" in needs else [None] * len(keys)
        asked = dict(zip(keys, zip(true, judged, strict=True), strict=True))
        found: list[dict[int, Gathered]] = []
        for number, answer in enumerate(answers):
            gathered = {}
            for claim, tokens in answer.claims:
                alignment = alignments[number].get(claim.index)
                others = alternatives[number]
                gathered[claim.index] = Gathered(
                    tokens=tuple(tokens),
                    # With nothing to be faithful to, a claim is unfaithful by definition.
                    alignment=0.0 if alignment is None else alignment.p_faithful,
                    passage_nli=_passage_nli(alignment),
                    log_probs=scores[number],
                    log_probs_without_passages=without[number],
                    entropies=looked[number].entropies if looked else None,
                    top_log_probs=others.log_probs if others else None,
                    top_relations=others.relations if others else None,
                    stop_words=others.stop_words if others else None,
                    token_similarity=alike[number],
                    samples=samples[number],
                    true_log_prob=asked[number, claim.index][0],
                    lm_faithfulness=asked[number, claim.index][1],
                )
            found.append(gathered)
        return found

    def _prepare(self, draft: Draft) -> _Answer:
        limits = self.pipeline.limits
        model = self.pipeline.language_model
        question, passages = fit_to_prompt(model, draft.item, limits.max_prompt_tokens, draft.notes)
        tokens = model.tokenize(draft.item.answer)
        last = limits.max_answer_tokens
        tokens = Tokens(tokens.text, tokens.ids[:last], tokens.offsets[:last])
        unscored = TokenScores(tokens, np.zeros(len(tokens.ids)))
        claims = [(claim, claim_tokens(unscored, claim)) for claim in draft.open()]
        short = draft.form == "short"
        return _Answer(
            draft=draft,
            tokens=tokens,
            with_passages=short_answer_prompt(question, passages)
            if short
            else rag_prompt(question, passages),
            without=short_answer_prompt(question, ()) if short else question_prompt(question),
            claims=[(claim, found) for claim, found in claims if found],
        )

    def _scores(
        self, answers: Sequence[_Answer], needs: Collection[str]
    ) -> tuple[list[FloatArray | None], list[TokenDistributions]]:
        model = self.pipeline.language_model
        requests = [(answer.with_passages, answer.tokens) for answer in answers]
        if _FROM_DISTRIBUTIONS.intersection(needs):
            if not isinstance(model, OpenLanguageModel):
                raise ConfigError(
                    f"{model.id!r} does not show its distributions, which entropies and CCP need:"
                    " use a model that runs here, or leave these methods out"
                )
            looked = model.distributions(requests, top=COUNT)
            return [found.scores.log_probs for found in looked], looked
        if "log_probs" in needs:
            return [scores.log_probs for scores in model.score(requests)], []
        return [None] * len(answers), []

    def _without(self, answers: Sequence[_Answer], needs: Collection[str]) -> list[FloatArray | None]:
        if "log_probs_without_passages" not in needs:
            return [None] * len(answers)
        model = self.pipeline.language_model
        return [s.log_probs for s in model.score([(answer.without, answer.tokens) for answer in answers])]

    def _alternatives(
        self,
        answers: Sequence[_Answer],
        looked: Sequence[TokenDistributions],
        needs: Collection[str],
        form: str,
    ) -> Sequence[Alternatives | None]:
        if "top_relations" not in needs:
            return [None] * len(answers)
        return compare_alternatives(
            self.pipeline.aligner.model,
            [
                (found, {token for _, tokens in answer.claims for token in tokens})
                for answer, found in zip(answers, looked, strict=True)
            ],
            stop_words=form == "long",
            known=self._words,
        )

    def _alignments(
        self, drafts: Sequence[Draft], stages: Stages, form: str
    ) -> list[dict[int, ClaimAlignment]]:
        if form == "long":
            return self.pipeline.long_form_scorer().align(drafts, stages)
        found = self.pipeline.short_form_scorer().align(drafts, stages)
        return [
            {} if alignment is None else {claim.index: alignment for claim in draft.open()}
            for draft, alignment in zip(drafts, found, strict=True)
        ]

    def _samples(self, drafts: Sequence[Draft], stages: Stages) -> list[Samples | None]:
        drawn = self.pipeline.short_form_scorer().sample(drafts, stages)
        judged = compare_samples(
            self.pipeline.aligner.model, [[sample.text for sample in group] for group in drawn]
        )
        return [
            self._sampled(draft.item.question, group, probabilities) if group else None
            for draft, group, probabilities in zip(drafts, drawn, judged, strict=True)
        ]

    def _sampled(self, question: str, group: Sequence[Generation], probabilities: FloatArray) -> Samples:
        found = agreement(group, probabilities, self.pipeline.short_form)
        texts = tuple(sample.text.strip() for sample in group)
        if self.similarity.reuses_alignment:
            entailed = probabilities[..., 0]
            similarity = (entailed + entailed.T) / 2
        else:
            similarity = as_matrix(self.similarity.score(sample_pairs(question, texts)), len(texts))
        return Samples(
            texts=texts,
            log_probs=np.array([sample_log_prob(sample) for sample in group]),
            probabilities=probabilities,
            classes=found.classes,
            graph=found.graph,
            semantic_entropy=found.semantic_entropy,
            sum_eigenvalues=found.sum_eigenvalues,
            similarity=similarity,
        )

    def _token_similarity(self, answers: Sequence[_Answer]) -> list[FloatArray | None]:
        pairs = [token_pairs(answer.draft.item.question, answer.tokens) for answer in answers]
        values = self.similarity.score([pair for group in pairs for pair in group])
        ends = np.cumsum([len(group) for group in pairs])
        return list(np.split(values, ends[:-1]))

    def _true(self, answers: Sequence[_Answer], form: str) -> list[float]:
        prompts = [
            p_true.answer_prompt(answer.draft.item.question, claim.source_text)
            if form == "short"
            else p_true.claim_prompt(answer.draft.item.question, claim.text)
            for answer in answers
            for claim, _ in answer.claims
        ]
        return [float(value) for value in p_true.true_log_probs(self.pipeline.language_model, prompts)]

    def _judged(self, answers: Sequence[_Answer], form: str) -> list[float]:
        claims = [
            (
                answer.draft.item,
                hypothesis(answer.draft.item.question, claim) if form == "short" else claim.text,
            )
            for answer in answers
            for claim, _ in answer.claims
        ]
        found = judge_claims(
            self.pipeline.language_model,
            claims,
            max_prompt_tokens=self.pipeline.limits.max_prompt_tokens,
        )
        return [float(row[0]) for row in found]


def _passage_nli(alignment: ClaimAlignment | None) -> FloatArray:
    pairs = [] if alignment is None else list(alignment.passage_entailment.values())
    return np.asarray(pairs, dtype=np.float64).reshape(-1, 2)
