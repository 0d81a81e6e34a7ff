"""How far sampled answers agree in meaning, judged pairwise by an alignment model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from franq_guard.alignment.windows import cut
from franq_guard.models.base import AlignmentModel, FloatArray, Generation, IntArray
from franq_guard.models.outputs import checked_probabilities
from franq_guard.pipeline.forms import ShortForm
from franq_guard.uncertainty.semantic_classes import first_member_classes, leader_classes, relations
from franq_guard.uncertainty.semantic_entropy import semantic_entropy
from franq_guard.uncertainty.similarity_graph import contradiction_graph, entailment_graph, jaccard_graph
from franq_guard.uncertainty.sum_eigenvalues import sum_eigenvalues

_PAIRS_BETWEEN_CHECKS = 256
_TEXT_LIMIT = 250
_SAME = np.array([1.0, 0.0, 0.0])

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What a set of sampled answers says about the question.

    Attributes:
        classes: semantic class of each sample, shape (n,).
        graph: likeness of each two samples, shape (n, n), in [0, 1].
        semantic_entropy: in nats; an uncertainty.
        sum_eigenvalues: in [1, n]; an uncertainty.
    """

    classes: IntArray
    graph: FloatArray
    semantic_entropy: float
    sum_eigenvalues: float


def compare_samples(
    model: AlignmentModel,
    groups: Sequence[Sequence[str]],
    *,
    progress: Callable[[int, int], None] | None = None,
    deadline: Callable[[], None] | None = None,
) -> list[FloatArray]:
    """Does sample i of a group entail sample j? Each pair of texts is judged once, for all groups together.

    A text entails itself: that is known, and is not asked.

    Args:
        model: judges pairs.
        groups: sampled answers by question; white space around a text is ignored.
        progress: called with (pairs judged, pairs in all).
        deadline: called between batches; may raise to stop.

    Returns:
        For each group P(aligned), P(neutral), P(contradicted), shape (n, n, 3).
    """
    texts = [[_readable(text) for text in group] for group in groups]
    pairs = {(a, b) for group in texts for a in set(group) for b in set(group) if a != b}
    ordered = sorted(pairs, key=lambda pair: (len(pair[0]) + len(pair[1]), pair))
    judged: dict[Pair, FloatArray] = {}
    for start in range(0, len(ordered), _PAIRS_BETWEEN_CHECKS):
        if deadline is not None:
            deadline()
        batch = ordered[start : start + _PAIRS_BETWEEN_CHECKS]
        rows = checked_probabilities(model.score(batch), len(batch), model.id)
        judged.update(zip(batch, rows, strict=True))
        if progress is not None:
            progress(len(judged), len(ordered))
    return [
        np.array([[_SAME if a == b else judged[a, b] for b in group] for a in group]).reshape(
            len(group), len(group), 3
        )
        for group in texts
    ]


def _readable(text: str) -> str:
    """As much of a text as every alignment model has room for."""
    stripped = text.strip()
    start, end = next(cut(stripped, 0, len(stripped), _TEXT_LIMIT), (0, 0))
    return stripped[start:end]


def agreement(samples: Sequence[Generation], probabilities: FloatArray, settings: ShortForm) -> Agreement:
    """Semantic classes of the samples, and the two signals of short form.

    Args:
        samples: at least one.
        probabilities: as `compare_samples` gives them, shape (n, n, 3).
        settings: rule, estimator and graph.
    """
    pairs = relations(probabilities)
    if settings.clustering == "first_member":
        classes = first_member_classes(pairs)
    else:
        classes = leader_classes(pairs, strict=settings.clustering == "leader")
    if settings.graph == "jaccard":
        graph = jaccard_graph([sample.text for sample in samples])
    elif settings.graph == "contradiction":
        graph = contradiction_graph(probabilities[..., 2])
    else:
        graph = entailment_graph(probabilities[..., 0])
    log_probs = [sample_log_prob(sample, mean=settings.estimator == "rao") for sample in samples]
    return Agreement(
        classes=classes,
        graph=graph,
        semantic_entropy=semantic_entropy(log_probs, classes, estimator=settings.estimator),
        sum_eigenvalues=sum_eigenvalues(graph),
    )


def sample_log_prob(sample: Generation, *, mean: bool = False) -> float:
    """Of the whole sample, its end token included; or the mean of its tokens without it."""
    values = sample.scores.log_probs
    return float(values.mean()) if mean else float(values.sum()) + (sample.end_log_prob or 0.0)
