"""What the page asks for: the next claim, a label kept, a label taken back."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import LABELS, LabelledClaim
from franq_guard.labelling.agreement import ANSWERS, answer_of
from franq_guard.labelling.first_pass import FirstPass
from franq_guard.labelling.store import LabelStore
from franq_guard.labelling.tasks import view

MAX_NOTE = 5000
"""Characters of a note."""


class Session:
    """One annotator at work on claims in a fixed order. Safe to share between threads.

    Args:
        rows: what is to be labelled, in the order in which it is shown.
        store: where labels go; what it holds already counts as done.
        marks: a language model's opinions by id of the claim.
        margin: how far ahead an opinion must be to be shown as a mark, in [0, 1].
    """

    def __init__(
        self,
        rows: Sequence[LabelledClaim],
        store: LabelStore,
        *,
        marks: Mapping[str, FirstPass] | None = None,
        margin: float = 0.5,
    ) -> None:
        self._rows = list(rows)
        self._store = store
        self._marks = marks or {}
        self._margin = margin
        self._mutex = threading.Lock()
        self._history: list[tuple[int, LabelledClaim | None]] = []

    @property
    def total(self) -> int:
        """Number of claims."""
        return len(self._rows)

    @property
    def done(self) -> int:
        """Number of claims with a label of this annotator."""
        return sum(self._store.get(row.id) is not None for row in self._rows)

    def show(self, index: int | None = None) -> dict[str, Any]:
        """What the page shows: progress, and the claim at `index`, or else the first without a label.

        Raises:
            InputError: if there is no such claim.
        """
        with self._mutex:
            return self._show(self._next(0) if index is None else self._known(index))

    def save(self, index: int, answers: Mapping[str, object], note: str) -> dict[str, Any]:
        """Keeps a label, and shows the next claim without one.

        Args:
            index: of the claim.
            answers: "yes", "no" or "cannot tell" for "true" and "faithful".
            note: free text.

        Raises:
            InputError: if an answer is missing or none of these, or the file cannot be written.
        """
        labels = {question: _label(answers, question) for question in LABELS}
        if len(note) > MAX_NOTE:
            raise InputError(f"the note is longer than {MAX_NOTE} characters")
        with self._mutex:
            task = self._rows[self._known(index)]
            added: dict[str, Any] = {"note": note, "labelled_at": datetime.now(UTC).isoformat("T", "seconds")}
            mark = self._marks.get(task.id)
            if mark is not None:
                added["first_pass"] = mark.to_dict()
            before = self._store.get(task.id)
            self._store.put(
                replace(
                    task,
                    true=labels["true"],
                    faithful=labels["faithful"],
                    annotator=self._store.annotator,
                    extra=dict(task.extra) | added,
                )
            )
            self._history.append((index, before))
            return self._show(self._next(index + 1))

    def undo(self) -> dict[str, Any]:
        """Takes the last label of this session back, and shows its claim again; nothing if there is none."""
        with self._mutex:
            if not self._history:
                return self._show(self._next(0))
            index, before = self._history[-1]
            if before is None:
                self._store.remove(self._rows[index].id)
            else:
                self._store.put(before)
            self._history.pop()
            return self._show(index)

    def _known(self, index: int) -> int:
        if not 0 <= index < len(self._rows):
            raise InputError(f"there is no claim {index}; they are numbered from 0 to {len(self._rows) - 1}")
        return index

    def _next(self, start: int) -> int | None:
        """The first claim without a label from `start` on, else from the beginning."""
        order = [*range(start, len(self._rows)), *range(min(start, len(self._rows)))]
        return next((index for index in order if self._store.get(self._rows[index].id) is None), None)

    def _show(self, index: int | None) -> dict[str, Any]:
        progress = {
            "done": self.done,
            "total": self.total,
            "annotator": self._store.annotator,
            "file": str(self._store.path),
            "undoable": len(self._history),
        }
        return {"progress": progress, "item": None if index is None else self._item(index)}

    def _item(self, index: int) -> dict[str, Any]:
        row = self._rows[index]
        kept = self._store.get(row.id)
        mark = self._marks.get(row.id)
        following = self._next(index + 1)
        return view(row) | {
            "index": index,
            "next": following if following != index else None,
            "answers": None if kept is None else {name: answer_of(kept, name) for name in LABELS},
            "note": "" if kept is None else str(kept.extra.get("note", "")),
            "marks": {} if mark is None else mark.sure(self._margin),
            "marked_by": "" if mark is None else mark.language_model,
        }


def _label(answers: Mapping[str, object], question: str) -> bool | None:
    answer = answers.get(question)
    if answer not in ANSWERS:
        raise InputError(f"{question}: answer {', '.join(ANSWERS)}, not {answer!r:.40}")
    return {"yes": True, "no": False}.get(str(answer))
