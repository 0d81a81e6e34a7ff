"""Retrieve, then generate: the plainest RAG loop, with a real retriever and a real model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from franq_guard.errors import InputError
from franq_guard.models.base import Generation, LanguageModel
from franq_guard.pipeline.prompts import rag_prompt
from franq_guard.schema import Passage

QUESTION = "When was the Eiffel Tower completed, and how tall is it?"

PLANTED = (
    "When was the Eiffel Tower completed, and how tall is it?",
    "Sure! The Eiffel Tower was completed in March 1889 and is 330 metres tall. It was designed by Leonardo "
    "da Vinci. The tower stands on the Champ de Mars in Paris. It was painted bright green in 1968, and its "
    "base measures 900 metres on each side. I hope this helps!",
)
"""A question and an answer with true and false claims side by side."""


def load_corpus() -> tuple[Passage, ...]:
    """The twenty passages that ship with the package (our own text, Apache-2.0)."""
    lines = (resources.files(__package__) / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(
        Passage(row["text"], id=row["id"], title=row["title"], source="franq_guard demo corpus")
        for row in map(json.loads, lines)
    )


class TfidfRetriever:
    """Finds passages by the cosine of TF-IDF vectors.

    Args:
        passages: the corpus.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._passages = tuple(passages)
        self._vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english", ngram_range=(1, 2))
        self._matrix = self._vectorizer.fit_transform(f"{p.title}. {p.text}" for p in self._passages)

    def retrieve(self, question: str, k: int = 3) -> list[Passage]:
        """The `k` most similar passages, best first; without those that share no word."""
        similarity = (self._matrix @ self._vectorizer.transform([question]).T).toarray()[:, 0]
        order = sorted(range(len(self._passages)), key=lambda i: -similarity[i])
        return [self._passages[i] for i in order[:k] if similarity[i] > 0]


@dataclass(frozen=True, slots=True)
class RagAnswer:
    """What the loop found and wrote."""

    question: str
    passages: tuple[Passage, ...]
    generation: Generation

    @property
    def answer(self) -> str:
        """The generated text."""
        return self.generation.text


def require_question(question: str) -> None:
    """Raises InputError if the question is blank."""
    if not question.strip():
        raise InputError("the question is empty; ask something, such as " + repr(QUESTION))


def answer(
    question: str, retriever: TfidfRetriever, model: LanguageModel, *, k: int = 3, max_new_tokens: int = 96
) -> RagAnswer:
    """Retrieves passages and has the model answer from them.

    Raises:
        InputError: if the question is blank.
    """
    require_question(question)
    passages = tuple(retriever.retrieve(question, k))
    prompt = rag_prompt(question, passages)
    return RagAnswer(question, passages, model.generate([prompt], max_new_tokens=max_new_tokens)[0])
