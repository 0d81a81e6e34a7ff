"""`franq-guard report`: stored reports in, a page for the browser out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import read_labels, read_objects
from franq_guard.schema import GuardReport


def run_report(*, file: Path, out: Path, labels: Sequence[Path], title: str) -> int:
    """Reads, draws and writes; returns the exit code.

    Raises:
        InputError: if a file cannot be read or used, or the page cannot be written.
    """
    from franq_guard.report.html import to_html_many

    require_place(out)
    reports = read_reports(file)
    rows = read_labels(labels) if labels else None
    if len(reports) == 1 and rows is None:
        page = reports[0].to_html()
    else:
        page = to_html_many(reports, labels=rows, title=title)
    write_page(out, page)
    typer.echo(f"Wrote {out}.")
    return 0


def read_reports(path: Path) -> list[GuardReport]:
    """The reports of a file, one a line, as `check --format json` writes them.

    Raises:
        InputError: if the file cannot be read or a line is no report; the text names the line.
    """
    found = []
    for place, data in read_objects(path):
        try:
            found.append(GuardReport.from_dict(data))
        except InputError as error:
            raise InputError(f"{place}: {error}; write reports with `franq-guard check -f json`") from error
    return found


def require_place(path: Path) -> None:
    """Checks that a page can be written to `path`, before any work is done for it.

    Raises:
        InputError: if it is a folder, or its folder does not exist.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"cannot write {path}: name a file in a folder that exists")


def write_page(path: Path, page: str) -> None:
    """Writes a page as UTF-8.

    Raises:
        InputError: if the file cannot be written.
    """
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
