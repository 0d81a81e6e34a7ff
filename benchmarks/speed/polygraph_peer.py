"""lm-polygraph 0.7.0 (PyPI: lm-polygraph), run with our weights: its own code, unchanged."""

from __future__ import annotations

import copy
import importlib
import time
from collections.abc import Sequence
from typing import Any

import torch

from benchmarks.speed.short_signals import Found
from franq_guard.models.base import FloatArray, Generation, Prompt
from franq_guard.models.pair_classifier import PairClassifier
from franq_guard.models.transformers_lm import TransformersLM
from franq_guard.pipeline.forms import ShortForm
from franq_guard.pipeline.sample_comparison import sample_log_prob

_LABELS = {"ENTAILMENT": "aligned", "NEUTRAL": "neutral", "CONTRADICTION": "contradict"}


class Nli:
    """Our network and tokeniser in the shape of lm-polygraph's `Deberta`; labels are named as that expects.

    Args:
        model: the same weights, already loaded.
        batch_size: pairs in one forward pass; lm-polygraph's own default is 10.
    """

    def __init__(self, model: PairClassifier, batch_size: int) -> None:
        self.deberta = copy.copy(model._model)
        self.deberta.config = copy.deepcopy(model._model.config)
        known = self.deberta.config.label2id
        self.deberta.config.label2id = {label: known[ours] for label, ours in _LABELS.items()}
        self.deberta_tokenizer = model._scorer._tokenizer
        self.batch_size = batch_size
        self.device = str(model._model.device)


class PolygraphPeer:
    """Semantic entropy and sum of eigenvalues by lm-polygraph's calculators and estimators.

    Only the calculators that the two estimators ask for are run; `UEManager` would write a greedy answer too.

    Args:
        lm: the same weights, already loaded.
        model: judges pairs of samples.
        settings: how answers are drawn.
        questions: in one batch of lm-polygraph.
        pairs: in one batch of its NLI model.
    """

    def __init__(
        self, lm: TransformersLM, model: PairClassifier, settings: ShortForm, *, questions: int, pairs: int
    ) -> None:
        library: Any = importlib.import_module("lm_polygraph.utils.model")
        parameters: Any = importlib.import_module("lm_polygraph.utils.generation_parameters")
        calculators: Any = importlib.import_module("lm_polygraph.stat_calculators")
        estimators: Any = importlib.import_module("lm_polygraph.estimators")
        tokenizer = copy.deepcopy(lm._tokenizer)
        tokenizer.padding_side = "left"  # as lm-polygraph loads it
        self._model = library.WhiteboxModel(
            lm._model,
            tokenizer,
            model_path=lm.id,
            generation_parameters=parameters.GenerationParameters(
                temperature=settings.temperature, top_k=settings.top_k, top_p=settings.top_p
            ),
            instruct=True,
        )
        self._sampling = calculators.SamplingGenerationCalculator(samples_n=settings.samples)
        self._comparing = [
            calculators.SemanticMatrixCalculator(Nli(model, pairs)),
            calculators.SemanticClassesCalculator(),
        ]
        self.semantic_entropy = estimators.SemanticEntropy()
        self.eig_val_laplacian = estimators.EigValLaplacian()
        self._settings = settings
        self._questions = questions

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Token ids that it reads for a prompt."""
        ids: list[int] = self._model.tokenize([_chat(prompt)])["input_ids"][0].tolist()
        return ids

    def run(self, prompts: Sequence[Prompt], seed: int) -> Found:
        """Draws answers to each prompt and compares them."""
        torch.manual_seed(seed)
        entropies: list[float] = []
        sums: list[float] = []
        tokens, sampling = 0, 0.0
        for first in range(0, len(prompts), self._questions):
            texts = [_chat(prompt) for prompt in prompts[first : first + self._questions]]
            start = time.perf_counter()
            stats = self._sampling({}, texts, self._model, self._settings.max_new_tokens)
            sampling += time.perf_counter() - start
            stats = self._compare(stats)
            entropies += self.semantic_entropy(stats).tolist()
            sums += self.eig_val_laplacian(stats).tolist()
            lengths = [len(ids) for drawn in stats["sample_tokens"] for ids in drawn]
            tokens += sum(length + (length < self._settings.max_new_tokens) for length in lengths)
        return Found(entropies, sums, tokens, sampling)

    def compare(self, samples: Sequence[Generation]) -> dict[str, Any]:
        """Its statistics of samples that were drawn elsewhere."""
        return self._compare(
            {
                "sample_texts": [[sample.text.strip() for sample in samples]],
                "sample_log_probs": [[sample_log_prob(sample) for sample in samples]],
            }
        )

    def _compare(self, stats: dict[str, Any]) -> dict[str, Any]:
        for calculator in self._comparing:
            stats = stats | calculator(stats, [], self._model)
        return stats

    def sum_eigenvalues(self, samples: Sequence[Generation], graph: FloatArray) -> float:
        """Its sum of eigenvalues of a given graph."""
        stats = {
            "sample_texts": [[sample.text for sample in samples]],
            "semantic_matrix_entail": graph[None],
        }
        return float(self.eig_val_laplacian(stats)[0])


def _chat(prompt: Prompt) -> list[dict[str, str]]:
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return [*system, {"role": "user", "content": prompt.user}]
