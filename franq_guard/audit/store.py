"""What an audit has written: whole parts only, so that it can be stopped and killed at any time.

While it runs, each part is one file that appears at once under a name that follows from the part. Doing a
part again replaces the file by an equal one: nothing is lost, and nothing is there twice. At the end they are
joined in order.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from franq_guard.errors import InputError

REPORTS, INDEX, FAILED, ABOUT = "reports.jsonl", "index.jsonl", "failed.jsonl", "audit.json"
_PARTS = "parts"

Line = Mapping[str, Any]
"""One row's outcome: "row", "file", "id", and either "report" (JSON text) or "reason" and "data"."""


class Store:
    """The folder of an audit.

    Args:
        folder: made if missing.

    Raises:
        InputError: if it cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parts = folder / _PARTS
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {folder}: {error.strerror or error}") from error

    def begin(self, about: Mapping[str, Any]) -> bool:
        """Records what the audit is about; False if it is finished already.

        Raises:
            InputError: if the folder holds another audit, or something else.
        """
        path = self.folder / ABOUT
        wanted = json.loads(json.dumps(about))
        if path.exists():
            found = self._about(path)
            differing = [name for name in wanted if found.get(name) != wanted[name]]
            if differing:
                raise InputError(
                    f"{self.folder} holds an audit with other {' and '.join(differing)}: choose another --out"
                )
            if found.get("complete"):
                self._clear()
                return False
        elif (self.folder / REPORTS).exists():
            raise InputError(f"{self.folder} holds reports of something else: choose another --out")
        else:
            _replace(path, json.dumps(wanted, indent=1) + "\n")
        self.parts.mkdir(exist_ok=True)
        for leftover in self.parts.glob(".*.tmp"):
            leftover.unlink(missing_ok=True)
        return True

    def done(self, part: int) -> bool:
        """Whether a part is written."""
        return self._path(part).exists()

    def write(self, part: int, lines: Iterable[Line]) -> None:
        """Writes a part, whole or not at all; safe if two processes do it at once."""
        text = "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)
        _replace(self._path(part), text)

    def read(self, part: int) -> list[Line]:
        """What `write` wrote."""
        return [json.loads(line) for line in self._path(part).read_text(encoding="ascii").splitlines()]

    def attempts(self, part: int) -> list[str]:
        """What `attempt` noted, for a part that is not written."""
        path = self._journal(part)
        return path.read_text(encoding="ascii").splitlines() if path.exists() else []

    def attempt(self, part: int, note: str) -> None:
        """Notes what is about to be tried, so that the next process knows if this one dies of it."""
        with self._journal(part).open("a", encoding="ascii") as file:
            file.write(note + "\n")

    def forget(self, part: int) -> None:
        """Drops the notes: the process lives."""
        self._journal(part).unlink(missing_ok=True)

    def finish(self, parts: int, about: Mapping[str, Any]) -> None:
        """Joins the parts in order, and removes them."""
        names = (REPORTS, INDEX, FAILED)
        drafts = {name: self.folder / f".{name}.tmp" for name in names}
        with ExitStack() as stack:
            files = {name: stack.enter_context(drafts[name].open("w", encoding="ascii")) for name in names}
            _join((line for part in range(parts) for line in self.read(part)), files)
        for name in names:
            drafts[name].replace(self.folder / name)
        _replace(self.folder / ABOUT, json.dumps({**about, "complete": True}, indent=1) + "\n")
        self._clear()

    def index(self) -> Iterator[dict[str, Any]]:
        """One line for each report of a finished audit."""
        with (self.folder / INDEX).open(encoding="ascii") as file:
            for line in file:
                yield json.loads(line)

    def _clear(self) -> None:
        if self.parts.exists():
            for path in self.parts.iterdir():
                path.unlink()
            self.parts.rmdir()

    def _path(self, part: int) -> Path:
        return self.parts / f"part-{part:08}.jsonl"

    def _journal(self, part: int) -> Path:
        return self.parts / f"part-{part:08}.attempts"

    def _about(self, path: Path) -> dict[str, Any]:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{path} cannot be read ({error}): choose another --out") from error
        return found if isinstance(found, dict) else {}


def _join(lines: Iterable[Line], files: Mapping[str, IO[str]]) -> None:
    written = 0
    for line in lines:
        if "reason" in line:
            files[FAILED].write(json.dumps(line) + "\n")
            continue
        written += 1
        report = line["report"]
        files[REPORTS].write(report + "\n")
        summary = {name: line[name] for name in ("file", "row", "id")} | {"line": written}
        files[INDEX].write(json.dumps(summary | line["summary"]) + "\n")


def _replace(path: Path, text: str) -> None:
    # Two machines may share a folder, and a process id.
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
