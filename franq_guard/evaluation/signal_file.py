"""The file that signals are kept in while they are collected, so that a run can go on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import LabelledClaim, read_labels

SIGNALS_FILE = "signals.jsonl"
SETTINGS_FILE = "signals.json"


class SignalFile:
    """Labelled claims with signals, and beside them how they were made.

    Args:
        folder: existing folder that holds both files.
        settings: how signals are made; a file that was begun with others is refused.

    Raises:
        InputError: if the folder holds signals that were made otherwise, or a file cannot be read or written.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.path = folder / SIGNALS_FILE
        self._settings_path = folder / SETTINGS_FILE
        wanted = json.loads(json.dumps(settings))
        if self.path.exists():
            self._require(wanted)
        else:
            self._write(self._settings_path, json.dumps(wanted, indent=1) + "\n")

    def resume(self) -> list[LabelledClaim]:
        """What is there already.

        The claims of the last question are dropped, also from the file: they may not be all of them.

        Raises:
            InputError: if the file is damaged before its last line.
        """
        if not self.path.exists():
            return []
        text = self.path.read_text(encoding="utf-8")
        lines = text.split("\n")[:-1]  # what follows the last line end was not written to its end
        if not lines:
            self._write(self.path, "")
            return []
        last = json.loads(lines[-1])["question_id"]
        kept = len(lines)
        while kept and json.loads(lines[kept - 1])["question_id"] == last:
            kept -= 1
        self._write(self.path, "".join(line + "\n" for line in lines[:kept]))
        return read_labels([self.path], require=("id", "question_id")) if kept else []

    def append(self, rows: Sequence[LabelledClaim]) -> None:
        """Adds rows; those of one question must come together.

        Raises:
            InputError: if the file cannot be written.
        """
        text = "".join(json.dumps(row.to_dict(), ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error.strerror or error}") from error

    def _require(self, wanted: Mapping[str, Any]) -> None:
        try:
            found = json.loads(self._settings_path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(
                f"there is no telling how {self.path} was made ({SETTINGS_FILE} is missing or damaged):"
                " choose another --out, or pass the file to --signals"
            ) from error
        differing = [name for name in wanted if found.get(name) != wanted[name]]
        if differing:
            details = "; ".join(f"{name}: {found.get(name)!r}, now {wanted[name]!r}" for name in differing)
            raise InputError(f"{self.path} was made with other settings ({details}): choose another --out")

    def _write(self, path: Path, text: str) -> None:
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from error
