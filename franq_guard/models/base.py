"""The two protocols that everything with weights stands behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model is asked: an optional system text and a user turn."""

    user: str
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text, tokenised once.

    Attributes:
        text: the text.
        ids: token ids, length T.
        offsets: characters `[start, end)` of `text` that each token covers, shape (T, 2). Pieces of one
            character (byte-level tokenisers) all carry that character's range.
    """

    text: str
    ids: tuple[int, ...]
    offsets: IntArray


@dataclass(frozen=True, slots=True)
class TokenScores:
    """Log-probabilities of given tokens under a given prompt.

    Attributes:
        tokens: what was scored.
        log_probs: log p(token t | prompt, tokens before t), natural log, shape (T,), at most 0.
        stretches: in how many pieces the answer was scored; 1 unless it is longer than the model's context.
    """

    tokens: Tokens
    log_probs: FloatArray
    stretches: int = 1


@dataclass(frozen=True, slots=True)
class TokenDistributions:
    """What else could have stood in place of each of T tokens.

    Attributes:
        scores: the tokens and their log-probabilities.
        entropies: of the whole distribution that each token comes from, in nats, shape (T,), at least 0.
        top_texts: the K likeliest tokens at each position, decoded, likeliest first; T tuples of length K.
        top_ids: their ids, shape (T, K).
        top_log_probs: their log-probabilities, shape (T, K), at most 0.
    """

    scores: TokenScores
    entropies: FloatArray
    top_texts: tuple[tuple[str, ...], ...]
    top_ids: IntArray
    top_log_probs: FloatArray


@dataclass(frozen=True, slots=True)
class Generation:
    """A text the model wrote.

    Attributes:
        text: decoded, without special tokens.
        scores: its tokens, without the end token, and their log-probabilities under the model's
            untempered distribution.
        end_log_prob: log-probability of the end token; None if the length limit cut the text.
    """

    text: str
    scores: TokenScores
    end_log_prob: float | None


@runtime_checkable
class LanguageModel(Protocol):
    """A causal language model."""

    @property
    def id(self) -> str:
        """Names the weights, the same in every process; calibrators are bound to it."""
        ...

    @property
    def max_context(self) -> int:
        """Most tokens it can attend to, prompt and answer together."""
        ...

    def tokenize(self, text: str) -> Tokens:
        """Tokenises an answer, without special tokens."""
        ...

    def score(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        """Scores each answer under its prompt by teacher forcing, batched. Order is kept."""
        ...

    def generate(self, prompts: Sequence[Prompt], *, max_new_tokens: int = 256) -> list[Generation]:
        """Greedy decoding, batched. Order is kept."""
        ...

    def sample(
        self,
        prompt: Prompt,
        *,
        n: int = 10,
        temperature: float = 1.0,
        top_k: int = 50,
        top_p: float = 1.0,
        max_new_tokens: int = 64,
        seed: int | None = None,
    ) -> list[Generation]:
        """Draws `n` answers to one prompt in one batch."""
        ...


@runtime_checkable
class OpenLanguageModel(LanguageModel, Protocol):
    """A causal language model whose distributions can be looked at."""

    def distributions(
        self, requests: Sequence[tuple[Prompt, Tokens]], *, top: int = 10
    ) -> list[TokenDistributions]:
        """Looks at the distributions that each answer's tokens come from, batched. Order is kept."""
        ...


@runtime_checkable
class GrowingLanguageModel(LanguageModel, Protocol):
    """A causal language model that remembers what it has read, for answers that are still being written."""

    def score_growing(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        """As `score`, but what was read is kept for the next call, and only what is new to it is read."""
        ...

    def read_ahead(self, prompts: Sequence[Prompt]) -> None:
        """Reads prompts that will soon be asked for."""
        ...


@runtime_checkable
class AlignmentModel(Protocol):
    """A sentence-pair classifier: does the context entail the claim?"""

    @property
    def id(self) -> str:
        """Names the weights and the scoring mode; calibrators are bound to it."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes it can judge; None if unlimited or unknown."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Scores (context, claim) pairs.

        The context is cut if the pair is too long; the claim never is.

        Returns:
            Shape (N, 3): P(aligned), P(neutral), P(contradicted); rows sum to 1.

        Raises:
            InputError: if a claim alone does not fit the model.
        """
        ...
