"""What one process does: takes parts, checks their rows, writes the outcomes."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from franq_guard.audit.source import Part, Row, read_part
from franq_guard.audit.store import Line, Store
from franq_guard.errors import FranqGuardError, InputError
from franq_guard.inputs import CheckInput, as_mapping_input
from franq_guard.schema import GuardReport

if TYPE_CHECKING:
    from franq_guard.guard import Guard

MakeGuard = Callable[[], "Guard"]

ATTEMPTS = 2
"""A part that so many processes died of is done row by row; a row that as many died of is kept aside."""

_PART = "part"
_DIED = "the process died each time this row was checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDone:
    """What came of a part.

    Attributes:
        part: its number.
        rows: rows and blank lines in it.
        failed: rows that could not be read or checked.
        process: id of the process that did it; 0 if it was written before.
        memory: most memory that this process had resident so far, in bytes.
    """

    part: int
    rows: int
    failed: int
    process: int
    memory: int


class Worker:
    """Checks parts with one guard, which is made at the first part.

    Args:
        make_guard: makes the guard, in this process.
        folder: of the audit, made and begun.
    """

    def __init__(self, make_guard: MakeGuard, folder: Path) -> None:
        self._make_guard = make_guard
        self._store = Store(folder)
        self._guard: Guard | None = None

    def run(self, part: Part) -> PartDone:
        """Does a part, unless it is written already.

        Raises:
            FranqGuardError: if the guard cannot be made, or a file not read or written.
        """
        if self._store.done(part.number):
            lines: Sequence[Line] = self._store.read(part.number)
            return _summed(part, lines, process=0)
        lines = self._checked(part)
        self._store.write(part.number, lines)
        return _summed(part, lines, process=os.getpid())

    def _checked(self, part: Part) -> list[Line]:
        # Loaded first: dying of a missing model must not be held against the rows.
        guard = self._loaded()
        # What is remembered of other parts would change last digits, and which parts those are is chance.
        guard.forget()
        notes = self._store.attempts(part.number)
        rows = read_part(part)
        try:
            if notes.count(_PART) < ATTEMPTS:
                self._store.attempt(part.number, _PART)
                return _check_rows(guard, part, rows)
            return self._one_by_one(guard, part, rows, Counter(notes))
        except BaseException:
            self._store.forget(part.number)  # it failed or was stopped, but nothing died
            raise

    def _one_by_one(self, guard: Guard, part: Part, rows: Sequence[Row], notes: Counter[str]) -> list[Line]:
        lines: list[Line] = []
        for row in rows:
            if notes[f"begun {row.number}"] - notes[f"ended {row.number}"] >= ATTEMPTS:
                lines.append(_failure(part, row, _DIED))
                continue
            self._store.attempt(part.number, f"begun {row.number}")
            lines.extend(_check_rows(guard, part, [row]))
            self._store.attempt(part.number, f"ended {row.number}")
        return lines

    def _loaded(self) -> Guard:
        if self._guard is None:
            self._guard = self._make_guard().warm_up(rehearse=False)
        return self._guard


def _check_rows(guard: Guard, part: Part, rows: Sequence[Row]) -> list[Line]:
    """The outcome of each row, in order."""
    inputs: dict[int, CheckInput] = {}
    outcomes: dict[int, Line] = {}
    for row in rows:
        try:
            if row.error:
                raise InputError(row.error)
            inputs[row.number] = as_mapping_input(row.data, where="row")
        except InputError as error:
            outcomes[row.number] = _failure(part, row, str(error))
    reports = _check(guard, list(inputs.values()))
    found = dict(zip(inputs, reports, strict=True))
    for row in rows:
        if row.number in outcomes:
            continue
        report = found[row.number]
        outcomes[row.number] = (
            _failure(part, row, report) if isinstance(report, str) else _success(part, row, report)
        )
    return [outcomes[row.number] for row in rows]


def _check(guard: Guard, items: list[CheckInput]) -> list[GuardReport | str]:
    """A report for each, or why there is none. One bad answer does not take the others with it."""
    try:
        reports = guard.check_many(items)
    except FranqGuardError as error:
        reports, reason = [], str(error)
    else:
        if all(report.error is None for report in reports):
            return list(reports)
        reason = next(report.error for report in reports if report.error is not None)
    if len(items) == 1:
        return [reason]
    return [outcome for item in items for outcome in _check(guard, [item])]


def _success(part: Part, row: Row, report: GuardReport) -> Line:
    actions = Counter(str(claim.action) for claim in report.claims)
    verdicts = Counter(str(claim.verdict) for claim in report.claims)
    summary = {
        "p_true": report.p_true,
        "blocked": report.blocked,
        "claims": len(report.claims),
        "actions": dict(sorted(actions.items())),
        "verdicts": dict(sorted(verdicts.items())),
    }
    # Timings are those of a batch on one machine: without them, equal rows have equal reports.
    text = replace(report, timings={}).to_json()
    return {**_name(part, row), "report": text, "summary": summary}


def _failure(part: Part, row: Row, reason: str) -> Line:
    return {**_name(part, row), "reason": reason, "data": row.data}


def _name(part: Part, row: Row) -> dict[str, Any]:
    name = row.data.get("id") if isinstance(row.data, dict) else None
    return {"file": Path(part.path).name, "row": row.number, "id": name}


def _summed(part: Part, lines: Sequence[Line], *, process: int) -> PartDone:
    failed = sum("reason" in line for line in lines)
    return PartDone(part=part.number, rows=part.rows, failed=failed, process=process, memory=_memory())


def _memory() -> int:
    try:
        import resource
    except ImportError:  # not a POSIX system
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
