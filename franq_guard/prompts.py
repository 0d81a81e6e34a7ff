"""The two prompts an answer is scored under: with the passages, and with the question alone.

They are the same but for the passages, so that the difference in log-probability is what the passages
contribute (paper sec. 3: p(c | x, r) and p(c | x)).
"""

from __future__ import annotations

from collections.abc import Sequence

from franq_guard.models.base import Prompt
from franq_guard.schema import Passage

_SYSTEM = "You answer questions truthfully, in full sentences and without repeating yourself."


def rag_prompt(question: str, passages: Sequence[Passage]) -> Prompt:
    """Asks the question with the passages before it, numbered from 1."""
    blocks = [f"passage {number}: {_block(passage)}" for number, passage in enumerate(passages, start=1)]
    intro = "These passages may help to answer the question below:"
    return Prompt("\n\n".join([intro, *blocks, _ask(question)]), _SYSTEM)


def question_prompt(question: str) -> Prompt:
    """Asks the question alone."""
    return Prompt(_ask(question), _SYSTEM)


def _block(passage: Passage) -> str:
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text


def _ask(question: str) -> str:
    return f"Question: {question}\nAnswer the question."
