"""What models give back, looked at before anything is computed from it.

A model that gives nonsense must fail the check: numbers that are not what they should be would otherwise
become probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from franq_guard._arrays import ROUNDING
from franq_guard.errors import ModelError
from franq_guard.models.base import FloatArray, Generation, Prompt, Tokens, TokenScores

_SUM_ROUNDING = 0.02
"""How far from 1 three probabilities may add up to: softmax in half precision is that coarse."""


def checked_scores(
    scores: Sequence[TokenScores], requests: Sequence[tuple[Prompt, Tokens]], model: str
) -> list[TokenScores]:
    """What a language model gave for some answers.

    Args:
        scores: one for each request, in order.
        requests: what was asked.
        model: id of the model.

    Raises:
        ModelError: if there are more or fewer, one is about something else, or its numbers are no
            log-probabilities; says which.
    """
    found = _sequence(scores, "score", model)
    if len(found) != len(requests):
        raise _wrong(model, f"gave {len(found)} results for {len(requests)} requests")
    for index, (one, (_, asked)) in enumerate(zip(found, requests, strict=True)):
        _check_log_probs(one, f"score()[{index}]", model)
        if one.tokens.ids != asked.ids or one.tokens.text != asked.text:
            raise _wrong(model, f"score()[{index}] is about other tokens than those that were asked for")
    return found


def checked_generations(generations: Sequence[Generation], model: str) -> list[Generation]:
    """What a language model wrote.

    Args:
        generations: as `generate` or `sample` gave them.
        model: id of the model.

    Raises:
        ModelError: if one is no text with log-probabilities of its tokens; says which.
    """
    found = _sequence(generations, "sample", model)
    for index, one in enumerate(found):
        if not isinstance(getattr(one, "text", None), str):
            raise _wrong(model, f"sample()[{index}] holds no text")
        _check_log_probs(one.scores, f"sample()[{index}].scores", model)
        end = one.end_log_prob
        if end is not None and not end <= ROUNDING:
            raise _wrong(model, f"sample()[{index}].end_log_prob is {end}; log-probabilities are at most 0")
    return found


def checked_probabilities(rows: Any, count: int, model: str) -> FloatArray:
    """What an alignment model gave for some pairs.

    Args:
        rows: P(aligned), P(neutral), P(contradicted) by pair.
        count: of the pairs.
        model: id of the model.

    Returns:
        Shape (count, 3), in [0, 1].

    Raises:
        ModelError: if the shape is another, a number is missing or outside [0, 1], or a row does not add up
            to 1.
    """
    try:
        found = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _wrong(model, f"score() gave no array of numbers: {error}") from error
    if found.size == 0 and count == 0:
        return found.reshape(0, 3)
    if found.shape != (count, 3):
        raise _wrong(model, f"score() gave shape {found.shape} for {count} pairs; expected ({count}, 3)")
    if not (np.isfinite(found).all() and found.min() >= -ROUNDING and found.max() <= 1 + ROUNDING):
        raise _wrong(model, f"score() gave {_first_bad(found)}; probabilities must lie in [0, 1]")
    if np.any(np.abs(found.sum(axis=1) - 1) > _SUM_ROUNDING):
        raise _wrong(model, "score() gave three probabilities that do not add up to 1")
    return np.clip(found, 0.0, 1.0)


def _check_log_probs(scores: TokenScores, where: str, model: str) -> None:
    try:
        values = np.asarray(scores.log_probs, dtype=np.float64)
        tokens = scores.tokens
        count, offsets = len(tokens.ids), np.shape(tokens.offsets)
    except (AttributeError, TypeError, ValueError) as error:
        raise _wrong(model, f"{where} is no TokenScores: {error}") from error
    if values.shape != (count,):
        raise _wrong(model, f"{where} has log_probs of shape {values.shape} for {count} tokens")
    if offsets != (count, 2):
        raise _wrong(model, f"{where} has offsets of shape {offsets} for {count} tokens")
    if np.isnan(values).any():
        raise _wrong(model, f"{where} has NaN for token {int(np.argmax(np.isnan(values)))}")
    if np.any(values > ROUNDING):
        raise _wrong(model, f"{where} has {values.max():g}; log-probabilities are at most 0")


def _sequence(values: Any, method: str, model: str) -> list[Any]:
    try:
        return list(values)
    except TypeError as error:
        raise _wrong(model, f"{method}() gave {type(values).__name__}, not a list") from error


def _first_bad(values: FloatArray) -> float:
    bad = ~((values >= 0) & (values <= 1))
    return float(values[bad][0])


def _wrong(model: str, what: str) -> ModelError:
    return ModelError(
        f"the model {model!r} gave something that cannot be used: {what}. Nothing was computed from it; "
        "try another dtype or device, or check a model of your own with franq_guard.testing"
    )
