"""Readers of data sets: questions with accepted answers, labelled claims, and the FRANQ authors' own format.

Questions, one JSON object a line:

- `question`: a text; `answers`: the accepted ones, a list of texts (or one text).
- `passages` or `context`: what was retrieved: a text, or a list of texts or of objects with `text` and,
  optionally, `title`; `title`: of a single text.
- `id`: names the question.

Labelled claims, one JSON object a line: the columns of `evaluation.labels`, with `answer` and `passages`.

The FRANQ authors' format, one JSON object: by question "0", "1", ..., each with `question`, `retrieval`,
`output` (or `answer`), `claims` and `auto_labels`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import LabelledClaim, parse_row, read_objects
from franq_guard.inputs import as_passages
from franq_guard.schema import Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One question with its passages, and what is known about the answer.

    Attributes:
        id: names the question.
        question: what was asked.
        passages: what was retrieved.
        answers: accepted answers; none if claims are labelled instead.
        answer: the answer whose claims are labelled; "" if one is to be generated.
        claims: labelled claims of `answer`.
        form: how the claims are scored.
        changed: what was done to each passage, in words; empty if nothing.
    """

    id: str
    question: str
    passages: tuple[Passage, ...]
    answers: tuple[str, ...] = ()
    answer: str = ""
    claims: tuple[LabelledClaim, ...] = ()
    form: Literal["long", "short"] = "short"
    changed: tuple[Mapping[str, Any], ...] = ()


def read_examples(path: str | Path) -> list[Example]:
    """Reads a data set; which of the formats it is, is seen from its first object.

    Raises:
        InputError: if the file cannot be read or has none of the formats; the text names row and column.
    """
    path = Path(path)
    if path.suffix.lower() == ".json":
        from franq_guard.evaluation.franq_data import read_franq

        return read_franq(path)
    rows = list(read_objects(path))
    if "claim" in rows[0][1]:
        return _from_claims(rows)
    examples = [_from_question(data, place) for place, data in rows]
    _require_distinct([(example.id, place) for example, (place, _) in zip(examples, rows, strict=True)])
    return examples


def fill_up(examples: Sequence[Example], count: int, seed: int) -> list[Example]:
    """Adds passages of other questions until each example has `count`, in a random order.

    Passages that say an accepted answer are not added. Examples with more passages stay as they are.

    Args:
        examples: at least two.
        count: wanted number of passages.
        seed: of the choice.
    """
    from franq_guard.evaluation.corruption import other_passages, random_of

    filled = []
    for example in examples:
        chance = random_of(seed, example.id, "fill")
        missing = count - len(example.passages)
        if missing <= 0:
            filled.append(example)
            continue
        passages = [*example.passages, *other_passages(example, examples, missing, chance)]
        chance.shuffle(passages)
        filled.append(replace(example, passages=tuple(passages)))
    return filled


def _from_question(data: Mapping[str, Any], place: str) -> Example:
    answers = data.get("answers", data.get("answer"))
    if isinstance(answers, str):
        answers = [answers]
    if not isinstance(answers, list) or not answers or not all(_is_text(value) for value in answers):
        raise InputError(
            f"{place}, column answers: write the accepted answers as a list of texts, not {answers!r:.60};"
            f" the columns are {', '.join(map(str, data))}"
        )
    return Example(
        id=_id(data, place),
        question=_question(data, place),
        passages=_passages(data, place),
        answers=tuple(answers),
    )


def _from_claims(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Example]:
    """Claims of one answer to one question with the same passages belong together."""
    together: dict[str, Example] = {}
    ids = []
    for place, data in rows:
        row = parse_row(data, place, require=("id", "question_id", "claim", "true", "answer"))
        answer = data["answer"]
        if not _is_text(answer):
            raise InputError(f"{place}, column answer: {answer!r:.60} will not do; write the whole answer")
        passages = _passages(data, place)
        key = json.dumps([row.question_id, row.form, answer, [passage.text for passage in passages]])
        known = together.get(key) or Example(
            id=row.question_id,
            question=_question(data, place),
            passages=passages,
            answer=answer,
            form=row.form,
        )
        together[key] = replace(known, claims=(*known.claims, row))
        ids.append((f"{row.id} {row.annotator}", place))
    _require_distinct(ids)
    return list(together.values())


def _require_distinct(ids: Sequence[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for id, place in ids:
        if id in seen:
            raise InputError(f"{place}, column id: {id.strip()!r} is also in {seen[id]}; keep one of the two")
        seen[id] = place


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _id(data: Mapping[str, Any], place: str) -> str:
    value = data.get("id", data.get("question_id"))
    if value is None:
        return hashlib.sha256(_question(data, place).encode()).hexdigest()[:12]
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError(f"{place}, column id: {value!r:.60} will not do; write a text or a whole number")
    return str(value)


def _question(data: Mapping[str, Any], place: str) -> str:
    question = data.get("question")
    if not isinstance(question, str) or not question.strip():
        raise InputError(f"{place}, column question: {question!r:.60} will not do; write what was asked")
    return question


def _passages(data: Mapping[str, Any], place: str) -> tuple[Passage, ...]:
    column = next((name for name in ("passages", "contexts", "context") if name in data), None)
    if column is None:
        raise InputError(
            f"{place}: column passages missing; write what was retrieved, [] if nothing;"
            f" the columns are {', '.join(map(str, data))}"
        )
    try:
        passages = as_passages(data[column])
    except InputError as error:
        raise InputError(f"{place}, column {column}: {error}") from error
    title = data.get("title")
    if len(passages) == 1 and isinstance(title, str) and passages[0].title is None:
        passages = (replace(passages[0], title=title),)
    return passages
