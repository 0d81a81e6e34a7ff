"""The prompts: two an answer is scored under, and one that other short answers are drawn from.

The two are the same but for the passages, so that the difference in log-probability is what the passages
contribute (paper sec. 3: p(c | x, r) and p(c | x)).
"""

from __future__ import annotations

from collections.abc import Sequence

from franq_guard.models.base import Prompt
from franq_guard.schema import Passage

_SYSTEM = "You answer questions truthfully, in full sentences and without repeating yourself."
_BRIEF_SYSTEM = "You answer questions truthfully and briefly."


def rag_prompt(question: str, passages: Sequence[Passage]) -> Prompt:
    """Asks the question with the passages before it, numbered from 1."""
    return Prompt("\n\n".join([*_blocks(passages), _ask(question)]), _SYSTEM)


def question_prompt(question: str) -> Prompt:
    """Asks the question alone."""
    return Prompt(_ask(question), _SYSTEM)


def short_answer_prompt(question: str, passages: Sequence[Passage]) -> Prompt:
    """Asks for an answer in one line, as the paper's short-form prompt does; also without passages."""
    ask = f"Question: {question}\nAnswer in one line."
    return Prompt("\n\n".join([*_blocks(passages), ask]), _BRIEF_SYSTEM)


def block_head(number: int, passage: Passage) -> str:
    """What stands before a passage's text in the prompt: its number, from 1, and its title."""
    return f"passage {number}: " + (f"{passage.title}\n" if passage.title else "")


def _blocks(passages: Sequence[Passage]) -> list[str]:
    if not passages:
        return []
    intro = "These passages may help to answer the question below:"
    return [
        intro,
        *(block_head(number, passage) + passage.text for number, passage in enumerate(passages, 1)),
    ]


def _ask(question: str) -> str:
    return f"Question: {question}\nAnswer the question."
