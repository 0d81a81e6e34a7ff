"""Faithfulness as practitioners measure it: the answer is split into claims, a language model judges each.

The model is not asked to write. The three verdicts are scored as continuations of the prompt and their
probabilities normalised, so there is nothing to parse, nothing to retry, and a probability for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.claims import ClaimExtractor, RuleExtractor
from franq_guard.inputs import CheckInput
from franq_guard.models.base import LanguageModel, Prompt
from franq_guard.pipeline.log_probs import fit_to_prompt
from franq_guard.pipeline.prompts import block_head
from franq_guard.schema import Passage, Verdict

VERDICTS = (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.NOT_MENTIONED)
"""Columns of all arrays here."""

_LABELS = ("SUPPORTED", "CONTRADICTED", "NOT_MENTIONED")
_SYSTEM = "You compare claims with passages. You reply with one label and nothing else."
_CLAIMS_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LMFaithfulness:
    """What a language model makes of one answer.

    Attributes:
        claims: the checkworthy claims, C of them.
        probabilities: of supported, contradicted, not mentioned; shape (C, 3), rows sum to 1.
    """

    claims: tuple[str, ...]
    probabilities: FloatArray

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The likeliest verdict on each claim."""
        return tuple(VERDICTS[column] for column in self.probabilities.argmax(axis=1))

    @property
    def fraction_supported(self) -> float | None:
        """Share of the claims whose likeliest verdict is "supported"; None without claims."""
        return float((self.probabilities.argmax(axis=1) == 0).mean()) if self.claims else None

    @property
    def mean_supported(self) -> float | None:
        """Mean probability of "supported"; None without claims."""
        return float(self.probabilities[:, 0].mean()) if self.claims else None


def lm_faithfulness(
    model: LanguageModel,
    items: Sequence[CheckInput],
    *,
    extractor: ClaimExtractor | None = None,
    max_prompt_tokens: int = 3072,
) -> list[LMFaithfulness]:
    """Judges answers by their claims.

    Args:
        model: the judge.
        items: the answers.
        extractor: finds claims; rules by default, `claims.LLMExtractor` to have a language model do it.
        max_prompt_tokens: passages are cut to this length, but never to more than half the model's context.
    """
    finder = extractor or RuleExtractor()
    claims = [
        tuple(
            claim.text
            for claim in finder.extract(item.answer, question=item.question).claims
            if claim.checkworthy
        )
        for item in items
    ]
    found = iter(
        judge_claims(
            model,
            [(item, claim) for item, texts in zip(items, claims, strict=True) for claim in texts],
            max_prompt_tokens=max_prompt_tokens,
        )
    )
    return [
        LMFaithfulness(claims=texts, probabilities=np.array([next(found) for _ in texts]).reshape(-1, 3))
        for texts in claims
    ]


def judge_claims(
    model: LanguageModel,
    claims: Sequence[tuple[CheckInput, str]],
    *,
    max_prompt_tokens: int = 3072,
    progress: Callable[[int, int], None] | None = None,
) -> FloatArray:
    """Probabilities of supported, contradicted and not mentioned; shape (N, 3), rows sum to 1.

    The probability of a label is that of all its tokens, p(label | prompt); the three are then normalised.

    Args:
        model: the judge.
        claims: each with the answer's question and passages.
        max_prompt_tokens: see `lm_faithfulness`.
        progress: called with (claims judged, claims in all).
    """
    labels = [model.tokenize(label) for label in _LABELS]
    fitted: dict[int, list[Passage]] = {}
    log_probs = np.zeros((len(claims), len(labels)))
    for start in range(0, len(claims), _CLAIMS_AT_ONCE):
        group = claims[start : start + _CLAIMS_AT_ONCE]
        for item, _ in group:
            if id(item) not in fitted:
                _, fitted[id(item)] = fit_to_prompt(model, item, max_prompt_tokens, [])
        prompts = [claim_prompt(fitted[id(item)], claim) for item, claim in group]
        scored = model.score([(prompt, label) for prompt in prompts for label in labels])
        totals = np.array([float(scores.log_probs.sum()) for scores in scored])
        log_probs[start : start + len(group)] = totals.reshape(len(group), len(labels))
        if progress is not None:
            progress(start + len(group), len(claims))
    weights = np.exp(log_probs - log_probs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


def claim_prompt(passages: Sequence[Passage], claim: str) -> Prompt:
    """Shows the passages and the claim, explains the labels, and asks for one."""
    shown = [block_head(number, passage) + passage.text for number, passage in enumerate(passages, 1)]
    return Prompt(
        "\n\n".join([*(shown or ["There are no passages."]), f"Claim: {claim}"])
        + "\n\nWhat do the passages say about the claim? Choose a label:\n"
        "SUPPORTED: they say the same\n"
        "CONTRADICTED: they say something that rules it out\n"
        "NOT_MENTIONED: they say neither\n"
        "Label:",
        _SYSTEM,
    )
