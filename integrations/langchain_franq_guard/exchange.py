"""What a chain hands over - a dictionary, a text or a message - as question, passages and answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from franq_guard import GuardReport, InputError

from .messages import REPORT_KEY, is_final, question_in, text_of, token_log_probs, with_text
from .passages import as_evidence

QUESTION_KEYS = ("question", "input", "query")
CONTEXT_KEYS = ("context", "source_documents", "documents")
ANSWER_KEYS = ("answer", "result", "output")

WIRING = (
    "Either pipe in a dictionary with the documents, such as {'question': ..., 'context': [Document, ...], "
    "'answer': ...} (`RunnablePassthrough.assign` keeps them), or run the chain with "
    "config={'callbacks': [FranqEvidence()]}, which remembers what its retrievers find."
)


@dataclass(frozen=True, slots=True)
class Keys:
    """Under which keys the parts of a dictionary lie; of several, the first that is there."""

    question: tuple[str, ...] = QUESTION_KEYS
    context: tuple[str, ...] = CONTEXT_KEYS
    answer: tuple[str, ...] = ANSWER_KEYS
    report: str = REPORT_KEY

    @classmethod
    def of(cls, question: str | None, context: str | None, answer: str | None, report: str) -> Keys:
        """The keys that were named; the usual ones for those that were not."""
        return cls(
            (question,) if question else QUESTION_KEYS,
            (context,) if context else CONTEXT_KEYS,
            (answer,) if answer else ANSWER_KEYS,
            report,
        )


@dataclass(frozen=True, slots=True)
class Exchange:
    """One answer with what it answers, and how to put the guarded answer in its place.

    Attributes:
        question: what was asked.
        passages: what was retrieved, as the core takes it.
        answer: the answer's text.
        original: what the chain handed over.
        answer_key: where the answer lies in it; None if it is the answer itself.
        report_key: where the report goes in a dictionary.
        log_probs: the generator's own log-probabilities.
    """

    question: str
    passages: Any
    answer: str
    original: Any
    answer_key: str | None = None
    report_key: str = REPORT_KEY
    log_probs: Sequence[Any] | None = None

    def guarded(self, report: GuardReport) -> Any:
        """The same kind of thing as was handed over, with the guarded answer and the report."""
        if self.answer_key is None:
            return _told(self.original, report)
        return {
            **self.original,
            self.answer_key: _told(self.original[self.answer_key], report),
            self.report_key: report.to_dict(),
        }


def from_mapping(value: Mapping[str, Any], keys: Keys) -> Exchange | None:
    """Reads a dictionary.

    Returns:
        None if its answer needs no check: a message that calls tools, or has no text.

    Raises:
        InputError: if a part is missing; says which, and how to wire it.
    """
    answer_key = key_in(value, keys.answer)
    if answer_key is None:
        raise InputError(
            f"no answer under {_listed(keys.answer)}; the keys are {sorted(map(str, value))}. "
            "Name the key with answer_key=..."
        )
    answer = value[answer_key]
    if not needs_check(answer):
        return None
    question_key = key_in(value, keys.question)
    if question_key is None:
        raise InputError(
            f"no question under {_listed(keys.question)}; the keys are {sorted(map(str, value))}. "
            "Name the key with question_key=..."
        )
    context_key = key_in(value, keys.context)
    if context_key is None:
        raise InputError(
            f"no retrieved documents under {_listed(keys.context)}; the keys are "
            f"{sorted(map(str, value))}. Name the key with context_key=.... {WIRING}"
        )
    return Exchange(
        question=question_text(value[question_key]),
        passages=as_evidence(value[context_key]),
        answer=answer_text(answer),
        original=value,
        answer_key=answer_key,
        report_key=keys.report,
        log_probs=token_log_probs(answer) if isinstance(answer, BaseMessage) else None,
    )


def needs_check(answer: Any) -> bool:
    """False for messages that call tools or have no text."""
    return not isinstance(answer, AIMessage) or is_final(answer)


def answer_text(answer: Any) -> str:
    """The text of an answer.

    Raises:
        InputError: if it is neither a text nor a message of the model.
    """
    if isinstance(answer, str):
        return answer
    if isinstance(answer, AIMessage):
        return text_of(answer)
    raise InputError(
        f"the answer is a {type(answer).__name__}; the guard takes a str or an AIMessage, or a dictionary "
        "that holds one. Put an output parser in front"
    )


def question_text(question: Any) -> str:
    """The text of a question: a text, a message, or a conversation, of which the last human message counts.

    Raises:
        InputError: if it is something else.
    """
    found: str | None = None
    if isinstance(question, str):
        found = question
    elif isinstance(question, BaseMessage):
        found = text_of(question)
    elif isinstance(question, list | tuple) and all(isinstance(item, BaseMessage) for item in question):
        found = question_in(question)
    if found is None:
        raise InputError(f"the question is a {type(question).__name__}; the guard takes a str or messages")
    return found


def key_in(value: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of the names that is a key."""
    return next((name for name in names if name in value), None)


def _told(answer: Any, report: GuardReport) -> Any:
    return with_text(answer, report.text, report) if isinstance(answer, AIMessage) else report.text


def _listed(names: Sequence[str]) -> str:
    return " or ".join(map(repr, names))
