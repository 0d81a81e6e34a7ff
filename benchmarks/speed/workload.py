"""What the speed benchmarks check: real answers, and passages of 60 to 150 words; no two cases alike."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
_WORDS = (60, 150)


@dataclass(frozen=True, slots=True)
class Case:
    """One answer to be checked."""

    question: str
    passages: tuple[str, ...]
    answer: str

    def item(self) -> dict[str, object]:
        """As `Guard.check_many` takes it."""
        return {"question": self.question, "passages": list(self.passages), "answer": self.answer}


@cache
def _rows(name: str) -> list[dict[str, str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@cache
def passage_pool() -> list[str]:
    """Passages of 60 to 150 words, none twice."""
    contexts = dict.fromkeys(" ".join(row["context"].split()) for row in _rows("short_qa.jsonl"))
    return [" ".join(text.split()[: _WORDS[1]]) for text in contexts if len(text.split()) >= _WORDS[0]]


def cases(count: int, *, first: int = 0, passages: int = 5) -> list[Case]:
    """Answers of 100 words and more, each with its own passages in its own order.

    Args:
        count: how many.
        first: number of the first one; other numbers give other cases.
        passages: of each.
    """
    answers = [
        row for row in _rows("long_form_factuality.jsonl") if 80 <= len(row["response"].split()) <= 160
    ]
    pool = passage_pool()
    return [
        Case(
            f"{answers[n % len(answers)]['question']} (request {n})",
            tuple(f"[{n}] {pool[(7 * n + 3 * k) % len(pool)]}" for k in range(passages)),
            answers[n % len(answers)]["response"],
        )
        for n in range(first, first + count)
    ]


def short_cases(count: int, *, first: int = 0) -> list[Case]:
    """Questions with one passage that holds their answer."""
    rows = _rows("short_qa.jsonl")
    return [
        Case(row["question"], (row["context"],), row["answers"][0])
        for row in (rows[n % len(rows)] for n in range(first, first + count))
    ]
