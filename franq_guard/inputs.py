"""Checks what comes in at the door, so that nothing behind it has to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from franq_guard._surrogates import join_surrogates
from franq_guard.errors import InputError
from franq_guard.pipeline.handed_over import TokenLogProb, as_token_log_probs
from franq_guard.schema import Passage, ScoredClaim
from franq_guard.tracing.correlation import Correlation, as_correlation

_TEXT_KEYS = ("text", "page_content", "content")


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """How much of a growing answer was checked before.

    Attributes:
        start: up to this character.
        claims: those found there.
    """

    start: int = 0
    claims: tuple[ScoredClaim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInput:
    """One answer to check.

    Attributes:
        question: what was asked.
        passages: what was retrieved, best first.
        answer: what was answered.
        token_log_probs: the generator's own log-probabilities of the answer's tokens given question and
            passages; None to have the guard's model score the answer.
        correlation: the runs and spans that the answer belongs to; None if not known.
        continues: what was checked before, if the answer is still being written; None otherwise.
    """

    question: str
    passages: tuple[Passage, ...]
    answer: str
    token_log_probs: tuple[TokenLogProb, ...] | None = None
    correlation: Correlation | None = None
    continues: Continuation | None = None


def as_input(
    question: object,
    passages: object,
    answer: object,
    token_log_probs: Sequence[Any] | None = None,
    correlation: object = None,
) -> CheckInput:
    """Builds a CheckInput from what callers have at hand.

    Args:
        question: a text.
        passages: one text, or a sequence of texts, Passages or mappings with a text under "text",
            "page_content" or "content" and optionally "id", "title", "source" and "metadata".
        answer: a text.
        token_log_probs: see `CheckInput`; OpenAI-style mappings, TokenLogProbs or (text, log_prob) pairs.
        correlation: a Correlation, a mapping of its fields, or None.

    Raises:
        InputError: if a type is wrong; says which argument, and what was expected.
    """
    return CheckInput(
        question=_text(question, "question"),
        passages=as_passages(passages),
        answer=_text(answer, "answer"),
        token_log_probs=None if token_log_probs is None else as_token_log_probs(token_log_probs),
        correlation=as_correlation(correlation),
    )


def as_mapping_input(item: object, *, where: str = "item") -> CheckInput:
    """Builds a CheckInput from a mapping with question, passages (or context) and answer.

    Raises:
        InputError: if it is not such a mapping; the message starts with `where`.
    """
    if isinstance(item, CheckInput):
        return item
    if not isinstance(item, Mapping):
        raise InputError(f"{where}: expected a mapping with question, passages and answer, not {_kind(item)}")
    evidence = "context" if "context" in item and "passages" not in item else "passages"
    missing = [key for key in ("question", evidence, "answer") if key not in item]
    if missing:
        raise InputError(f"{where}: {' and '.join(missing)} missing; the keys are {sorted(map(str, item))}")
    try:
        return as_input(
            item["question"],
            item[evidence],
            item["answer"],
            item.get("token_log_probs"),
            item.get("correlation"),
        )
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def as_inputs(items: object) -> list[CheckInput]:
    """Builds CheckInputs from mappings.

    Raises:
        InputError: if it is not a sequence of such mappings; says which item.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InputError(
            f"items: expected a sequence of mappings with question, passages and answer, not {_kind(items)}"
        )
    return [as_mapping_input(item, where=f"items[{index}]") for index, item in enumerate(items)]


def as_passages(passages: object) -> tuple[Passage, ...]:
    """Turns what a retriever returned into Passages.

    Raises:
        InputError: if one of them holds no text; says which.
    """
    if passages is None:
        return ()
    if isinstance(passages, str | Passage | Mapping):
        return (_passage(passages, 0),)
    if isinstance(passages, bytes) or not isinstance(passages, Iterable):
        raise InputError(f"passages: expected a text or a sequence of passages, not {_kind(passages)}")
    return tuple(_passage(value, index) for index, value in enumerate(passages))


def _passage(value: object, index: int) -> Passage:
    if isinstance(value, Passage):
        text = _text(value.text, f"passages[{index}].text")
        return value if text == value.text else replace(value, text=text)
    if isinstance(value, str):
        return Passage(_text(value, f"passages[{index}]"))
    if isinstance(value, Mapping):
        key = next((key for key in _TEXT_KEYS if key in value), None)
        if key is None:
            raise InputError(f"passages[{index}]: no text under any of {', '.join(_TEXT_KEYS)}")
        metadata = value.get("metadata") or {}
        if not isinstance(metadata, Mapping):
            raise InputError(f"passages[{index}].metadata: expected a mapping, not {_kind(metadata)}")
        names = {
            name: None if value.get(name) is None else str(value[name]) for name in ("id", "title", "source")
        }
        return Passage(_text(value[key], f"passages[{index}].{key}"), metadata=dict(metadata), **names)
    raise InputError(f"passages[{index}]: expected a text, a Passage or a mapping, not {_kind(value)}")


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name}: expected a str, not {_kind(value)}")
    return join_surrogates(value)


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
