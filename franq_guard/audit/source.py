"""Files of stored answers, read in parts: JSON Lines and Parquet."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from franq_guard.errors import ConfigError, InputError

COLUMNS = ("id", "question", "passages", "context", "answer", "token_log_probs")
"""What is read; further columns are not looked at."""

_JSON_LINES = (".jsonl", ".ndjson", ".json")
_PARQUET = (".parquet", ".pq")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that follow one another in one file; the unit of work.

    Attributes:
        number: from 0, over all files.
        path: of the file.
        first: number of its first row in the file, from 1; lines of JSON, blank ones included.
        rows: how many rows, or lines.
        place: byte offset of the first line, or number of the row group.
        skip: rows of the row group before the first one.
    """

    number: int
    path: str
    first: int
    rows: int
    place: int
    skip: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One stored answer.

    Attributes:
        number: in the file, from 1.
        data: its columns, or the text that could not be read.
        error: why it could not be read; empty if it could.
    """

    number: int
    data: Any
    error: str = ""


class Source:
    """Files, split into parts in a way that depends on nothing but their content.

    Args:
        paths: one or more files, .jsonl or .parquet.
        part_rows: most rows in a part.

    Raises:
        InputError: if a file cannot be read, or has another ending.
        ConfigError: if pyarrow is missing, for Parquet.
    """

    def __init__(self, paths: Iterable[str | Path], *, part_rows: int = 32) -> None:
        if part_rows < 1:
            raise ConfigError(f"a part needs at least 1 row, got {part_rows}")
        self.parts: list[Part] = []
        self.files: list[dict[str, Any]] = []
        for path in map(Path, paths):
            if path.suffix.lower() in _PARQUET:
                places = _parquet_places(path, part_rows)
            elif path.suffix.lower() in _JSON_LINES:
                places = _line_places(path, part_rows)
            else:
                raise InputError(f"{path}: audits read {', '.join((*_JSON_LINES, *_PARQUET))}")
            try:
                if path.suffix.lower() == ".json":
                    _refuse_array(path)
                for first, rows, place, skip in places:
                    self.parts.append(Part(len(self.parts), str(path.resolve()), first, rows, place, skip))
                self.files.append({"name": path.name, "sha256": _digest(path)})
            except OSError as error:
                raise InputError(f"cannot read {path}: {error.strerror or error}") from error
        if not self.parts:
            raise InputError("there is nothing to audit: the files hold no row")

    @property
    def rows(self) -> int:
        """Rows of all files; blank lines count."""
        return sum(part.rows for part in self.parts)


def read_part(part: Part) -> list[Row]:
    """The rows of a part; blank lines are left out.

    Raises:
        InputError: if the file cannot be read.
    """
    try:
        if Path(part.path).suffix.lower() in _PARQUET:
            return _read_parquet(part)
        return _read_lines(part)
    except OSError as error:
        raise InputError(f"cannot read {part.path}: {error.strerror or error}") from error


def _refuse_array(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(4096).lstrip().startswith(b"["):
            raise InputError(
                f"{path} holds one JSON array; audits read one answer a line: make such a file with "
                f"jq -c '.[]' {path.name} > {path.stem}.jsonl"
            )


def _line_places(path: Path, size: int) -> Iterator[tuple[int, int, int, int]]:
    with path.open("rb") as file:
        first = place = 0
        number = offset = 0
        for number, line in enumerate(file, start=1):
            if (number - 1) % size == 0:
                first, place = number, offset
            offset += len(line)
            if number % size == 0:
                yield first, size, place, 0
        if number % size:
            yield first, number - first + 1, place, 0


def _read_lines(part: Part) -> list[Row]:
    rows = []
    with Path(part.path).open("rb") as file:
        file.seek(part.place)
        for number in range(part.first, part.first + part.rows):
            raw = file.readline()
            if raw.strip():
                rows.append(_parsed(raw, number))
    return rows


def _parsed(raw: bytes, number: int) -> Row:
    text = raw.decode("utf-8", errors="backslashreplace").rstrip("\r\n")
    try:
        data = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        return Row(number, text, f"not UTF-8 text: {error.reason} at byte {error.start}")
    except (ValueError, RecursionError) as error:
        return Row(number, text, f"not JSON: {error}")
    if not isinstance(data, dict):
        return Row(number, text, "not a JSON object: write one object a line")
    return Row(number, {name: data[name] for name in COLUMNS if name in data})


def _parquet_places(path: Path, size: int) -> Iterator[tuple[int, int, int, int]]:
    metadata = _parquet(str(path)).metadata
    first = 1
    for group in range(metadata.num_row_groups):
        count = metadata.row_group(group).num_rows
        for skip in range(0, count, size):
            rows = min(size, count - skip)
            yield first, rows, group, skip
            first += rows


def _read_parquet(part: Part) -> list[Row]:
    rows: Sequence[dict[str, Any]] = _row_group(part.path, part.place).slice(part.skip, part.rows).to_pylist()
    return [
        # A column that a row leaves empty is one that it does not have.
        Row(number, {name: value for name, value in data.items() if value is not None})
        for number, data in enumerate(rows, start=part.first)
    ]


@lru_cache(maxsize=1)
def _row_group(path: str, group: int) -> Any:
    file = _parquet(path)
    columns = [name for name in file.schema_arrow.names if name in COLUMNS]
    return file.read_row_group(group, columns=columns)


def _parquet(path: str) -> Any:
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ConfigError("Parquet needs pyarrow: pip install 'franq-guard[ray]'") from error
    try:
        return ParquetFile(path)
    except ArrowInvalid as error:
        raise InputError(f"{path} is not a Parquet file: {error}") from error


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
