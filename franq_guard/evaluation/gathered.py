"""Everything the models say about one claim, as plain arrays: what the baselines are computed from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from franq_guard._arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """Other answers that were drawn to the question, n of them.

    Attributes:
        texts: length n.
        log_probs: of each text and its end, shape (n,).
        probabilities: does sample i entail sample j? aligned, neutral, contradicted; shape (n, n, 3).
        classes: semantic class of each, shape (n,).
        graph: likeness of each two, shape (n, n), in [0, 1]; see `uncertainty.similarity_graph`.
        semantic_entropy: in nats, by the estimator of the settings.
        sum_eigenvalues: of `graph`.
        similarity: for SentenceSAR, shape (n, n), in [0, 1]; None if it was not asked for.
    """

    texts: tuple[str, ...]
    log_probs: FloatArray
    probabilities: FloatArray
    classes: IntArray
    graph: FloatArray
    semantic_entropy: float
    sum_eigenvalues: float
    similarity: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gathered:
    """What the models say about one claim; None or empty where it was not asked for.

    Claims of one answer share the arrays over its T tokens.

    Attributes:
        tokens: positions in [0, T) of the claim's tokens.
        alignment: P(faithful), in [0, 1].
        passage_nli: P_e and P_c of each passage, shape (k, 2).
        log_probs: of the answer's tokens given question and passages, shape (T,).
        log_probs_without_passages: given the question alone, shape (T,).
        entropies: of the distributions that the tokens come from, in nats, shape (T,).
        top_log_probs: the token itself and its likeliest alternatives, shape (T, K).
        top_relations: `Relation` of the token and each alternative, shape (T, K).
        stop_words: True where the token is a function word, shape (T,).
        true_log_prob: log p("True") when asked whether the claim is true.
        token_similarity: of question and answer with and without each token, shape (T,).
        samples: other answers to the question; short form only.
        lm_faithfulness: P(supported by the passages) in the language model's eyes, in [0, 1].
    """

    tokens: tuple[int, ...]
    alignment: float = float("nan")
    passage_nli: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))
    log_probs: FloatArray | None = None
    log_probs_without_passages: FloatArray | None = None
    entropies: FloatArray | None = None
    top_log_probs: FloatArray | None = None
    top_relations: IntArray | None = None
    stop_words: BoolArray | None = None
    true_log_prob: float | None = None
    token_similarity: FloatArray | None = None
    samples: Samples | None = None
    lm_faithfulness: float | None = None
