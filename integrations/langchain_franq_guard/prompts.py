"""The uncertainty clause: tells the model to say so when the documents do not hold the answer."""

from __future__ import annotations

from typing import Any, TypeVar

from langchain_core.messages import SystemMessage
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate, SystemMessagePromptTemplate

from franq_guard import InputError

UNCERTAINTY_CLAUSE = (
    "Use only what the documents say. If they do not contain the answer, or only part of it, say so plainly "
    "instead of guessing."
)

_Prompt = TypeVar("_Prompt", str, PromptTemplate, ChatPromptTemplate)


def with_uncertainty_clause(prompt: _Prompt, clause: str = UNCERTAINTY_CLAUSE) -> _Prompt:
    """Adds the instruction to admit what the documents do not say.

    Args:
        prompt: a text or a string template, which get the clause in front; or a chat template, whose first
            system message gets it at its end (a system message is added where there is none).
        clause: the instruction; braces in it are plain characters.

    Returns:
        A new prompt of the same kind.

    Raises:
        InputError: if it is none of these.
    """
    if isinstance(prompt, str):
        return f"{clause}\n\n{prompt}"
    if isinstance(prompt, PromptTemplate):
        return prompt.model_copy(update={"template": f"{_escaped(clause, prompt)}\n\n{prompt.template}"})
    if isinstance(prompt, ChatPromptTemplate):
        return prompt.model_copy(update={"messages": _with_system(prompt, clause)})
    raise InputError(
        f"cannot add a clause to a {type(prompt).__name__}; give a str, PromptTemplate or ChatPromptTemplate"
    )


def _with_system(prompt: ChatPromptTemplate, clause: str) -> list[Any]:
    first, rest = next(iter(prompt.messages), None), prompt.messages[1:]
    if isinstance(first, SystemMessage) and isinstance(first.content, str):
        return [SystemMessage(f"{first.content}\n\n{clause}"), *rest]
    if isinstance(first, SystemMessagePromptTemplate) and isinstance(first.prompt, PromptTemplate):
        template = f"{first.prompt.template}\n\n{_escaped(clause, first.prompt)}"
        longer = first.prompt.model_copy(update={"template": template})
        return [first.model_copy(update={"prompt": longer}), *rest]
    return [SystemMessage(clause), *prompt.messages]


def _escaped(clause: str, prompt: PromptTemplate) -> str:
    if prompt.template_format == "f-string":
        return clause.replace("{", "{{").replace("}", "}}")
    if "{{" in clause or "{%" in clause:
        raise InputError(f"the clause must not contain {prompt.template_format} markup: {clause!r}")
    return clause
