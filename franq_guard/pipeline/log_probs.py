"""The two log-probabilities of an answer's tokens: with the passages, and with the question alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from franq_guard.inputs import CheckInput
from franq_guard.models.base import GrowingLanguageModel, LanguageModel, Prompt, Tokens, TokenScores
from franq_guard.models.outputs import checked_scores
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.handed_over import lay_onto
from franq_guard.pipeline.prompts import block_head, question_prompt, rag_prompt
from franq_guard.schema import Passage

_ANSWERS_BETWEEN_CHECKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLogProbs:
    """Log-probabilities of one answer.

    Attributes:
        with_passages: given question and passages (paper eq. 1).
        without_passages: of the same answer, given the question alone (paper eq. 3).
        notes: what was cut or could not be used.
    """

    with_passages: TokenScores
    without_passages: TokenScores
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    handed_over: TokenScores | None
    tokens: Tokens
    requests: list[tuple[Prompt, Tokens]]
    notes: list[str]


def score_answers(
    model: LanguageModel,
    items: Sequence[CheckInput],
    *,
    max_prompt_tokens: int,
    max_answer_tokens: int,
    deadline: Deadline,
    progress: Callable[[int, int], None],
) -> list[AnswerLogProbs]:
    """Scores answers with and without their passages; each is tokenised once.

    Args:
        model: the language model.
        items: the answers; those with handed-over log-probabilities need only the second pass.
        max_prompt_tokens: passages are cut to this length, but never to more than half the model's context.
        max_answer_tokens: an answer is scored up to here.
        deadline: asked between groups of answers.
        progress: called with (answers scored, answers in all).
    """
    results: list[AnswerLogProbs] = []
    for start in range(0, len(items), _ANSWERS_BETWEEN_CHECKS):
        deadline.check()
        plans = [
            _plan(model, item, max_prompt_tokens, max_answer_tokens)
            for item in items[start : start + _ANSWERS_BETWEEN_CHECKS]
        ]
        growing = any(item.continues is not None for item in items)
        score = model.score_growing if growing and isinstance(model, GrowingLanguageModel) else model.score
        requests = [request for plan in plans for request in plan.requests]
        scored = iter(checked_scores(score(requests), requests, model.id))
        for plan in plans:
            without = next(scored)
            given = plan.handed_over if plan.handed_over is not None else next(scored)
            if max(without.stretches, given.stretches) > 1:
                plan.notes.append("the answer is longer than the model's context and was scored in stretches")
            results.append(
                AnswerLogProbs(with_passages=given, without_passages=without, notes=tuple(plan.notes))
            )
        progress(len(results), len(items))
    return results


def _plan(model: LanguageModel, item: CheckInput, max_prompt_tokens: int, max_answer_tokens: int) -> _Plan:
    notes: list[str] = []
    handed_over = None
    if item.token_log_probs is not None:
        handed_over = lay_onto(item.answer, item.token_log_probs)
        notes.append(
            "log-probabilities given the passages came with the answer"
            if handed_over is not None
            else "the log-probabilities that came with the answer do not spell it; the answer was scored anew"
        )
    tokens = model.tokenize(item.answer)
    if len(tokens.ids) > max_answer_tokens:
        notes.append(f"scored the first {max_answer_tokens:,} of {len(tokens.ids):,} tokens of the answer")
        tokens = replace(
            tokens, ids=tokens.ids[:max_answer_tokens], offsets=tokens.offsets[:max_answer_tokens]
        )
    if handed_over is None:
        question, fitting = fit_to_prompt(model, item, max_prompt_tokens, notes)
        requests = [(question_prompt(question), tokens), (rag_prompt(question, fitting), tokens)]
    else:
        question, _ = fit_to_prompt(model, replace(item, passages=()), max_prompt_tokens, notes)
        requests = [(question_prompt(question), tokens)]
    return _Plan(handed_over=handed_over, tokens=tokens, requests=requests, notes=notes)


def answer_prompts(model: LanguageModel, item: CheckInput, max_prompt_tokens: int) -> tuple[Prompt, Prompt]:
    """What an answer is scored behind: the question alone, and the question with the passages."""
    question, fitting = fit_to_prompt(model, item, max_prompt_tokens, [])
    return question_prompt(question), rag_prompt(question, fitting)


def fit_to_prompt(
    model: LanguageModel, item: CheckInput, max_prompt_tokens: int, notes: list[str]
) -> tuple[str, list[Passage]]:
    """The question and the first passages, as far as they fit; `notes` receives what was cut."""
    budget = min(max_prompt_tokens, model.max_context // 2)
    question = _cut(model, item.question, budget // 2)
    fitting = _fit(model, item.passages, budget - len(model.tokenize(question).ids), notes)
    if question != item.question:
        notes.append("the question was cut to fit the language model's prompt")
    return question, fitting


def _fit(model: LanguageModel, passages: Sequence[Passage], budget: int, notes: list[str]) -> list[Passage]:
    """The first passages that fit the budget, with what the prompt puts around them; the last may be cut."""
    fitting: list[Passage] = []
    for number, passage in enumerate(passages, start=1):
        head = block_head(number, passage)
        tokens = model.tokenize(f"{head}{passage.text}\n\n")
        if len(tokens.ids) > budget:
            kept = int(tokens.offsets[budget - 1][1]) - len(head) if budget > 0 else 0
            if kept > 0:
                fitting.append(replace(passage, text=passage.text[:kept]))
            cut = ", the last one cut to fit" if kept > 0 else ""
            notes.append(f"the language model saw {len(fitting):,} of {len(passages):,} passages{cut}")
            break
        budget -= len(tokens.ids)
        fitting.append(passage)
    return fitting


def _cut(model: LanguageModel, text: str, budget: int) -> str:
    tokens = model.tokenize(text)
    return text if len(tokens.ids) <= budget else text[: int(tokens.offsets[budget - 1][1])]
