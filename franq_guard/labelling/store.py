"""The file that labels are kept in: nothing that was confirmed is ever lost."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.labels import LabelledClaim, parse_object, parse_row

_Key = tuple[str, str]


class LabelStore:
    """The labels of one annotator, in a JSON Lines file that may hold those of others too.

    A new label is appended and flushed to the disk before `put` returns. A changed or withdrawn label has
    the file written anew beside the old one, which it then replaces in one step. Only one store can be open
    on a file; it is safe to share between threads.

    Args:
        path: the file; made with the first label.
        annotator: whose labels these are.

    Attributes:
        path: the file.
        annotator: whose labels these are.
        dropped: what was left of a last line that was cut short; usually "".

    Raises:
        ConfigError: if another process is labelling into this file.
        InputError: if there is no such folder, the file cannot be read, or a row in it is damaged. A last
            line that was cut short is dropped: its label was never confirmed.
    """

    def __init__(self, path: str | Path, annotator: str) -> None:
        self.path = Path(path)
        self.annotator = annotator
        self.dropped = ""
        self._rows: dict[_Key, LabelledClaim] = {}
        self._lines: dict[_Key, str] = {}
        self._mutex = threading.RLock()
        if not self.path.parent.is_dir():
            raise InputError(f"cannot write {self.path}: there is no folder {self.path.parent}")
        self._lock = FileLock(self.path.with_name(f".{self.path.name}.lock"))
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise ConfigError(
                f"somebody is labelling into {self.path} already: stop that first, or choose another --out"
            ) from error
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error.strerror or error}") from error
        try:
            self._read()
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Waits for a label that is being written, and lets others use the file."""
        with self._mutex:
            self._lock.release()

    def get(self, id: str) -> LabelledClaim | None:
        """The annotator's row of that claim; None if it has none yet."""
        with self._mutex:
            return self._rows.get((id, self.annotator))

    def put(self, row: LabelledClaim) -> None:
        """Keeps a row, in place of the annotator's earlier row of the same claim.

        Raises:
            InputError: if the file cannot be written.
        """
        if row.annotator != self.annotator:
            raise ValueError(f"this store keeps the labels of {self.annotator!r}, not {row.annotator!r}")
        key = (row.id, row.annotator)
        line = json.dumps(row.to_dict(), allow_nan=False)
        with self._mutex:
            if key in self._lines:
                self._rewrite(self._lines | {key: line})
            else:
                self._append(line)
            self._lines[key], self._rows[key] = line, row

    def remove(self, id: str) -> None:
        """Withdraws the annotator's row of that claim, if there is one.

        Raises:
            InputError: if the file cannot be written.
        """
        key = (id, self.annotator)
        with self._mutex:
            if key in self._lines:
                self._rewrite({other: line for other, line in self._lines.items() if other != key})
                del self._lines[key], self._rows[key]

    def _read(self) -> None:
        try:
            text = self.path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            return
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {self.path}: {error}") from error
        lines = text.split("\n")
        unfinished = lines.pop()
        for number, line in enumerate(lines, start=1):
            if line.strip():
                self._take(line.strip(), number)
        if unfinished.strip():
            self._take_unfinished(unfinished.strip(), len(lines) + 1)

    def _take(self, line: str, number: int) -> None:
        place = f"{self.path}, row {number}"
        row = parse_row(parse_object(line, place), place, require=("id", "true", "faithful"))
        key = (row.id, row.annotator)
        if key in self._rows:
            raise InputError(f"{place}, column id: {row.id!r} is also in {self._rows[key].place}; keep one")
        self._rows[key], self._lines[key] = row, line

    def _take_unfinished(self, line: str, number: int) -> None:
        """The last line without a line end: written by other software, or cut short by a crash."""
        try:
            json.loads(line)
        except ValueError:
            self.dropped = line
        else:
            self._take(line, number)
        self._rewrite(self._lines)

    def _append(self, line: str) -> None:
        try:
            with self.path.open("ab") as file:
                size = file.tell()
                try:
                    file.write(line.encode() + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                except OSError:
                    file.truncate(size)  # a full disk may have taken half of the line
                    raise
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error.strerror or error}") from error

    def _rewrite(self, lines: dict[_Key, str]) -> None:
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        try:
            with draft.open("wb") as file:
                file.writelines(line.encode() + b"\n" for line in lines.values())
                file.flush()
                os.fsync(file.fileno())
            if self.path.exists():
                shutil.copymode(self.path, draft)
            draft.replace(self.path)
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error.strerror or error}") from error
        finally:
            draft.unlink(missing_ok=True)
