"""Semantic entropy and sum of eigenvalues by the functions that a check in short form uses."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.speed.workload import Case
from franq_guard.models.base import AlignmentModel, FloatArray, Generation, Prompt
from franq_guard.models.transformers_lm import TransformersLM
from franq_guard.pipeline.forms import ShortForm
from franq_guard.pipeline.prompts import short_answer_prompt
from franq_guard.pipeline.sample_comparison import Agreement, agreement, compare_samples
from franq_guard.schema import Passage


@dataclass(frozen=True, slots=True)
class Found:
    """What was computed of several questions.

    Attributes:
        semantic_entropy: of each question.
        sum_eigenvalues: likewise.
        tokens: how many were written in all, end tokens included.
        sampling: seconds that writing them took.
    """

    semantic_entropy: list[float]
    sum_eigenvalues: list[float]
    tokens: int
    sampling: float


class Signals:
    """The two uncertainties by our own code, one question after another; nothing is remembered."""

    def __init__(self, lm: TransformersLM, model: AlignmentModel, settings: ShortForm) -> None:
        self._lm, self._model, self.settings = lm, model, settings

    def sample(self, prompt: Prompt) -> list[Generation]:
        """Other answers; empty ones are left out, as in a check."""
        drawn = self.settings.draw(self._lm, prompt)
        return [sample for sample in drawn if sample.text.strip()]

    def compare(self, samples: Sequence[Generation]) -> tuple[FloatArray, Agreement]:
        """What the alignment model says of each pair, and what follows."""
        [judged] = compare_samples(self._model, [[sample.text for sample in samples]])
        return judged, agreement(samples, judged, self.settings)

    def run(self, prompts: Sequence[Prompt]) -> Found:
        """Draws answers to each prompt and compares them."""
        self._lm.forget()
        found, tokens, sampling = [], 0, 0.0
        for prompt in prompts:
            start = time.perf_counter()
            samples = self.sample(prompt)
            sampling += time.perf_counter() - start
            found.append(self.compare(samples)[1])
            tokens += sum(
                len(sample.scores.tokens.ids) + (sample.end_log_prob is not None) for sample in samples
            )
        return Found(
            [one.semantic_entropy for one in found], [one.sum_eigenvalues for one in found], tokens, sampling
        )


def prompt_of(case: Case) -> Prompt:
    return short_answer_prompt(case.question, [Passage(text) for text in case.passages])
