"""What is to be labelled: read from reports or rows, put in order, and cut up for display."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import LabelledClaim, parse_row, read_objects
from franq_guard.evaluation.report_rows import rows_from_report
from franq_guard.inputs import as_passages
from franq_guard.schema import GuardReport, Passage

Piece = tuple[str, bool]
"""A stretch of a text, and whether it is highlighted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """The claims of a file.

    Attributes:
        rows: without labels, each id once, in the order of the file.
        unscored: claims of reports that were left out because they have no probability.
        repeated: rows that were left out because their id came before.
    """

    rows: tuple[LabelledClaim, ...]
    unscored: int = 0
    repeated: int = 0


def load_tasks(path: str | Path) -> Tasks:
    """Reads reports (of `franq-guard check --format json`) or rows; labels in them are not taken over.

    Raises:
        InputError: if the file cannot be read, holds nothing to label, or a row does not fit together.
    """
    rows: dict[str, LabelledClaim] = {}
    unscored = repeated = 0
    for place, data in read_objects(path):
        if "schema" in data and "claims" in data:
            report = _report(data, place)
            found = rows_from_report(report)
            unscored += len([claim for claim in report.claims if claim.checkworthy]) - len(found)
        else:
            row = parse_row(data, place, require=("id", "question_id", "claim"))
            found = [replace(row, true=None, faithful=None, annotator="")]
        for row in found:
            _check(row)
            earlier = rows.setdefault(row.id, row)
            if earlier is not row:
                if (earlier.claim, earlier.question) != (row.claim, row.question):
                    raise InputError(f"{place}, column id: {row.id!r} is another claim in {earlier.place}")
                repeated += 1
    if not rows:
        raise InputError(f"{path} holds no claim with a probability: nothing to label")
    return Tasks(rows=tuple(rows.values()), unscored=unscored, repeated=repeated)


def most_uncertain_first(rows: Iterable[LabelledClaim]) -> list[LabelledClaim]:
    """Sorted by the distance of `p_true` from 1/2; rows without it come first, ties keep their order."""
    return sorted(rows, key=uncertainty_key)


def uncertainty_key(row: LabelledClaim) -> float:
    """Distance of the row's `p_true` from 1/2, in [0, 1/2]; 0 if it has none."""
    p_true = row.extra.get("p_true")
    return abs(p_true - 0.5) if isinstance(p_true, int | float) else 0.0


def passages_of(row: LabelledClaim) -> tuple[Passage, ...]:
    """The row's passages; empty if it brings none.

    Raises:
        InputError: if the column `passages` (or `context`) holds something else.
    """
    try:
        return as_passages(row.extra.get("passages", row.extra.get("context")))
    except InputError as error:
        raise InputError(f"{row.place}, column passages: {error}") from error


def view(row: LabelledClaim) -> dict[str, Any]:
    """What the page shows of a row: texts, and texts in pieces of which some are highlighted."""
    answer = row.extra.get("answer")
    deciding = _evidence(row)
    best = next(iter(deciding), None)
    return {
        "question": row.question,
        "claim": row.claim,
        "sentence": pieces(row.sentence or row.claim, _ranges(row)),
        "answer": answer if isinstance(answer, str) else "",
        "passages": [
            {
                "title": passage.title or "",
                "pieces": pieces(passage.text, deciding.get(number, [])),
                "best": number == best,
            }
            for number, passage in enumerate(passages_of(row))
        ],
    }


def pieces(text: str, ranges: Iterable[tuple[int, int]]) -> list[Piece]:
    """Cuts a text into pieces; together they are the text again.

    Args:
        text: any text.
        ranges: characters `[start, end)` to highlight, in any order; may overlap.
    """
    found: list[Piece] = []
    reached = 0
    for start, end in sorted(ranges):
        start = max(start, reached)
        if start >= end:
            continue
        if found and found[-1][1] and start == reached:
            found[-1] = (found[-1][0] + text[start:end], True)
        else:
            if start > reached:
                found.append((text[reached:start], False))
            found.append((text[start:end], True))
        reached = end
    if reached < len(text):
        found.append((text[reached:], False))
    return found


def _report(data: Mapping[str, Any], place: str) -> GuardReport:
    try:
        return GuardReport.from_dict(data)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _check(row: LabelledClaim) -> None:
    passages = passages_of(row)
    _fit(_ranges(row), row.sentence, f"{row.place}, column spans")
    for number, ranges in _evidence(row).items():
        if not 0 <= number < len(passages):
            raise InputError(f"{row.place}, column evidence: there is no passage {number}")
        _fit(ranges, passages[number].text, f"{row.place}, column evidence")


def _fit(ranges: Sequence[tuple[int, int]], text: str, where: str) -> None:
    for start, end in ranges:
        if not 0 <= start <= end <= len(text):
            raise InputError(f"{where}: [{start}, {end}) does not fit a text of {len(text)} characters")


def _ranges(row: LabelledClaim) -> list[tuple[int, int]]:
    spans = row.extra.get("spans") or []
    try:
        return [(int(start), int(end)) for start, end in spans]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{row.place}, column spans: write character ranges of the sentence such as [[0, 12]]"
        ) from error


def _evidence(row: LabelledClaim) -> dict[int, list[tuple[int, int]]]:
    """Deciding ranges by the index of the passage, the best passage first."""
    found: dict[int, list[tuple[int, int]]] = {}
    try:
        for piece in row.extra.get("evidence") or []:
            found.setdefault(int(piece["passage"]), []).append((int(piece["start"]), int(piece["end"])))
    except (TypeError, ValueError, KeyError) as error:
        raise InputError(
            f'{row.place}, column evidence: write objects such as {{"passage": 0, "start": 0, "end": 12}}'
        ) from error
    return found
