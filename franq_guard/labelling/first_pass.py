"""A language model's first opinion on claims, so that people see the difficult ones first.

The model is never asked to write: the three possible answers to each question are scored as continuations
of the prompt, and their probabilities normalised. Its opinions are no labels: a person confirms them or not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import LABELS, LabelledClaim, read_objects
from franq_guard.labelling.agreement import ANSWERS
from franq_guard.labelling.tasks import passages_of, uncertainty_key
from franq_guard.models.base import LanguageModel, Prompt
from franq_guard.pipeline.prompts import block_head

_SYSTEM = "You check statements. You reply with a single word."
_WORDS = {"true": ("True", "False", "Unverifiable"), "faithful": ("Supported", "Contradicted", "Unmentioned")}
# A statement that the passages do not mention is not faithful to them either.
_ANSWER_OF = {"true": ANSWERS, "faithful": ("yes", "no", "no")}
_CLAIMS_AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstPass:
    """The model's opinion on one claim.

    Attributes:
        probabilities: by question ("true", "faithful") and answer ("yes", "no", "cannot tell"); each
            question's add up to 1.
        language_model: whose opinion it is.
    """

    probabilities: Mapping[str, Mapping[str, float]]
    language_model: str

    def best(self, question: str) -> str:
        """The likeliest answer."""
        answers = self.probabilities[question]
        return max(answers, key=answers.__getitem__)

    def sure(self, margin: float) -> dict[str, str]:
        """The likeliest answers by question, where they lead by at least `margin` (in [0, 1])."""
        found = {}
        for question, answers in self.probabilities.items():
            first, second = sorted(answers.values(), reverse=True)[:2]
            if first - second >= margin:
                found[question] = self.best(question)
        return found

    def to_dict(self) -> dict[str, Any]:
        """For a column of a row."""
        return {
            "probabilities": {name: dict(answers) for name, answers in self.probabilities.items()},
            "language_model": self.language_model,
        }


def first_pass(
    model: LanguageModel,
    rows: Sequence[LabelledClaim],
    *,
    done: Callable[[Mapping[str, FirstPass]], None],
    max_prompt_tokens: int | None = None,
) -> dict[str, FirstPass]:
    """Asks the model about every row.

    Args:
        model: scores the answers.
        rows: what it is asked about; truth is judged without the passages, faithfulness by them alone.
        done: told the opinions of each finished group, so that they can be kept.
        max_prompt_tokens: passages are cut to this length, and to half of the model's context at most.

    Returns:
        Opinions by id of the row.
    """
    budget = min(max_prompt_tokens or model.max_context, model.max_context // 2)
    words = {name: [model.tokenize(word) for word in options] for name, options in _WORDS.items()}
    found: dict[str, FirstPass] = {}
    for start in range(0, len(rows), _CLAIMS_AT_ONCE):
        group = rows[start : start + _CLAIMS_AT_ONCE]
        prompts = [(_true_prompt(row), _faithful_prompt(model, row, budget)) for row in group]
        requests = [
            (prompt, tokens)
            for pair in prompts
            for name, prompt in zip(LABELS, pair, strict=True)
            for tokens in words[name]
        ]
        totals = np.array([scores.log_probs.sum() for scores in model.score(requests)])
        group_found = {
            row.id: FirstPass(
                probabilities={
                    name: _probabilities(name, log_probs)
                    for name, log_probs in zip(LABELS, block, strict=True)
                },
                language_model=model.id,
            )
            for row, block in zip(group, totals.reshape(len(group), len(LABELS), 3), strict=True)
        }
        done(group_found)
        found |= group_found
    return found


def difficult_first(
    rows: Sequence[LabelledClaim], marks: Mapping[str, FirstPass], margin: float
) -> list[LabelledClaim]:
    """Rows the model is sure about, on both questions, come last.

    Before and after that line, those that it takes for false or unverifiable come first (as in the making of
    the paper's data set, arXiv 2505.21072 sec. 4), and then the most uncertain by `p_true`.
    """

    def key(row: LabelledClaim) -> tuple[bool, bool, float]:
        mark = marks.get(row.id)
        if mark is None:
            return False, False, uncertainty_key(row)
        return len(mark.sure(margin)) == len(LABELS), mark.best("true") == "yes", uncertainty_key(row)

    return sorted(rows, key=key)


def cache_path(labels: Path) -> Path:
    """Where the opinions on the claims of a file of labels are kept, so that resuming is quick."""
    return labels.with_name(f"{labels.stem}.first-pass.jsonl")


def load_cache(path: Path, language_model: str) -> dict[str, FirstPass]:
    """Opinions of that model; empty if there is no file.

    Raises:
        InputError: if a row is damaged.
    """
    if not path.exists() or path.stat().st_size == 0:
        return {}
    found = {}
    for place, data in read_objects(path):
        try:
            mark = FirstPass(
                probabilities={
                    name: {answer: float(data["probabilities"][name][answer]) for answer in ANSWERS}
                    for name in LABELS
                },
                language_model=str(data["language_model"]),
            )
            key = str(data["id"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{place}: not an opinion of a first pass; delete {path} to start over"
            ) from error
        if mark.language_model == language_model:
            found[key] = mark
    return found


def append_cache(path: Path, marks: Mapping[str, FirstPass]) -> None:
    """Adds opinions to the file.

    Raises:
        InputError: if it cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({"id": id} | mark.to_dict()) + "\n" for id, mark in marks.items())
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def _probabilities(question: str, log_probs: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, float]:
    weights = np.exp(log_probs - log_probs.max())
    shares = weights / weights.sum()
    found = dict.fromkeys(ANSWERS, 0.0)
    for answer, share in zip(_ANSWER_OF[question], shares, strict=True):
        found[answer] += float(share)
    return found


def _true_prompt(row: LabelledClaim) -> Prompt:
    return Prompt(
        f"Question: {row.question}\nStatement: {row.claim}\n\n"
        "Is the statement true, by everything you know about the world?"
        " Reply with one of these words: True, False, Unverifiable.",
        _SYSTEM,
    )


def _faithful_prompt(model: LanguageModel, row: LabelledClaim, budget: int) -> Prompt:
    passages = passages_of(row)
    deciding = {piece["passage"] for piece in row.extra.get("evidence") or []}
    order = sorted(range(len(passages)), key=lambda number: number not in deciding)
    text = "\n\n".join(
        block_head(place, passages[number]) + passages[number].text
        for place, number in enumerate(order, start=1)
    )
    tokens = model.tokenize(text)
    if len(tokens.ids) > budget:
        text = text[: int(tokens.offsets[budget - 1][1])]
    return Prompt(
        f"{text or 'There are no passages.'}\n\nStatement: {row.claim}\n\n"
        "Is the statement supported or contradicted by the passages, or not mentioned in them?"
        " Reply with one of these words: Supported, Contradicted, Unmentioned.",
        _SYSTEM,
    )
