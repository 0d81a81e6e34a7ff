"""Reader of the data that the authors of FRANQ published (long form, one file a model)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from franq_guard.errors import InputError
from franq_guard.evaluation.datasets import Example
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.schema import Passage

# A pair such as ("faithful","True"); where the annotator thought aloud, the last pair counts.
_PAIR = re.compile(
    r"""["'](faithful|unfaithful[-\w]*|undefined)["']\s{0,9},\s{0,9}["'](\w[\w ]{0,30})["']""", re.IGNORECASE
)
_PASSAGE = re.compile(r"(?:^|\n)passage \d{1,4}:\s?")


def read_franq(path: str | Path) -> list[Example]:
    """Reads the file; unverifiable and unreadable labels become None.

    Raises:
        InputError: if the file cannot be read, or is not in this format; the text names question and column.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(data, Mapping):
        raise InputError(f"{path}: expected one JSON object with the questions by number")
    numbers = [key for key in data if str(key).isdigit()]
    if not numbers:
        raise InputError(f'{path}: no question "0", "1", ...; one object a line goes into a .jsonl file')
    return [
        _example(number, data[number], f"{path}, question {number}") for number in sorted(numbers, key=int)
    ]


def split_retrieval(text: str) -> tuple[Passage, ...]:
    """Passages of one text, each after "passage 1:" and so on; all of it is one if there is no such mark."""
    marks = list(_PASSAGE.finditer(text))
    if not marks:
        return (Passage(text.strip()),) if text.strip() else ()
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    pieces = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    return tuple(Passage(piece) for piece in pieces if piece)


def read_label(text: str) -> tuple[bool | None, bool | None]:
    """Faithful? True? of an annotation; None where it does not say, or nobody could tell."""
    pairs = _PAIR.findall(text)
    if not pairs:
        return None, None
    faithful, true = (word.lower() for word in pairs[-1])
    return (
        None if faithful == "undefined" else faithful == "faithful",
        {"true": True, "false": False}.get(true),
    )


def _example(number: str, data: object, place: str) -> Example:
    if not isinstance(data, Mapping):
        raise InputError(f"{place}: expected an object, got {data!r:.40}")
    answer = _text(data, "output" if "output" in data else "answer", place)
    question = _text(data, "question", place)
    claims, labels = _texts(data, "claims", place), _texts(data, "auto_labels", place)
    if len(claims) != len(labels):
        raise InputError(f"{place}: {len(claims)} claims, but {len(labels)} auto_labels")
    return Example(
        id=number,
        question=question,
        passages=split_retrieval(_text(data, "retrieval", place)),
        answer=answer,
        form="long",
        claims=tuple(
            LabelledClaim(
                id=f"{number}-{at}",
                question_id=number,
                question=question,
                claim=claim,
                form="long",
                faithful=faithful,
                true=true,
                annotator="auto",
                place=f"{place}, claim {at}",
            )
            for at, claim in enumerate(claims)
            for faithful, true in [read_label(labels[at])]
        ),
    )


def _text(data: Mapping[str, Any], column: str, place: str) -> str:
    value = data.get(column)
    if not isinstance(value, str):
        raise InputError(f"{place}, {column}: expected a text, got {value!r:.40}")
    return value


def _texts(data: Mapping[str, Any], column: str, place: str) -> list[str]:
    value = data.get(column)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise InputError(f"{place}, {column}: expected a list of texts, got {value!r:.40}")
    return value
