"""`franq-guard check`: stored answers in, reports out."""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from franq_guard.cli.app import EXIT_ERROR, Format
from franq_guard.cli.progress import quiet_libraries, stage_progress
from franq_guard.errors import ConfigError, InputError
from franq_guard.inputs import CheckInput, as_mapping_input
from franq_guard.schema import GuardReport, Verdict

DEFAULT_PRESET = "mini"


def run_check(
    *,
    file: Path | None,
    question: str | None,
    passages: Sequence[str],
    answer: str | None,
    config: Path | None,
    settings: dict[str, Any],
    thresholds: dict[str, float],
    fail_below: float | None,
    format: Format,
    out: Path | None,
    html: Path | None,
) -> int:
    """Checks and prints; returns the exit code.

    Raises:
        InputError: if the input cannot be read.
        ConfigError: if a setting is wrong.
    """
    if answer is not None and file is not None:
        raise InputError("give a file or --answer, not both")
    if answer is None and (question is not None or passages):
        raise InputError("--question and --passage go with --answer; stored answers bring their own")
    if fail_below is not None and math.isnan(fail_below):
        raise ConfigError("--fail-below must be a number from 0 to 1")
    if html is not None:
        from franq_guard.cli.report import require_place, write_page
        from franq_guard.report.html import to_html_many

        require_place(html)
    items = _given(question, passages, answer) if answer is not None else _read(file)
    guard = _guard(config, settings, thresholds)
    quiet_libraries()
    guard.warm_up(rehearse=False)
    with stage_progress() as progress:
        reports = guard.check_many(items, progress=progress)
    _write(reports, format, out)
    if html is not None:
        write_page(html, reports[0].to_html() if len(reports) == 1 else to_html_many(reports))
    return _exit_code(reports, fail_below)


def _guard(config: Path | None, settings: dict[str, Any], thresholds: dict[str, float]) -> Any:
    from dataclasses import replace

    from franq_guard.config import GuardConfig
    from franq_guard.guard import Guard

    loaded = GuardConfig.load(config, **settings)
    if loaded.preset is None and (loaded.language_model is None or loaded.alignment_model is None):
        loaded = GuardConfig.load(config, **(settings | {"preset": DEFAULT_PRESET}))
    policy: Any = loaded.policy
    return Guard(config=loaded, policy=replace(policy, **thresholds))


def _given(question: str | None, passages: Sequence[str], answer: str) -> list[CheckInput]:
    item = {"question": question or "", "passages": list(passages), "answer": answer}
    return [as_mapping_input(item, where="command line")]


def _read(file: Path | None) -> list[CheckInput]:
    if file is None or str(file) == "-":
        if sys.stdin.isatty():
            raise InputError("nothing to check: give a file, pipe JSON in, or use --question and --answer")
        name, data = "standard input", sys.stdin.buffer.read()
    else:
        name = str(file)
        try:
            data = file.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {file}: {error.strerror}") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text: {error.reason} at byte {error.start}") from error
    return _parse(text, name)


def _parse(text: str, name: str) -> list[CheckInput]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        first = text.strip().partition("\n")[0].strip()
        if first.startswith("[") or first == "{":  # not one object a line
            raise InputError(f"{name}: not JSON: {error}") from error
        items = _lines(text, name)
    else:
        rows = whole if isinstance(whole, list) else [whole]
        items = [as_mapping_input(row, where=f"{name}, item {number}") for number, row in enumerate(rows, 1)]
    if not items:
        raise InputError(f"{name} is empty; expected JSON with question, passages and answer")
    return items


def _lines(text: str, name: str) -> list[CheckInput]:
    items = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not JSON: {error}") from error
        items.append(as_mapping_input(row, where=where))
    return items


def _write(reports: Sequence[GuardReport], format: Format, out: Path | None) -> None:
    from rich.console import Console

    from franq_guard.models.text import readable
    from franq_guard.report.markdown import to_markdown

    if format is Format.TABLE and out is None:
        console = Console()
        for report in reports:
            console.print(report)
        return
    if format is Format.SVG:
        text = _svg(reports)
    elif format is Format.JSON:
        text = "\n".join(report.to_json() for report in reports)
    elif format is Format.ANSWER:
        text = "\n\n".join(readable(report.text) for report in reports)
    elif format is Format.MARKDOWN:
        text = "\n\n".join(to_markdown(report) for report in reports)
    else:
        text = "\n\n".join(str(report) for report in reports)
    if out is None:
        sys.stdout.write(text + "\n")
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror}") from error


def _svg(reports: Sequence[GuardReport]) -> str:
    from rich.console import Console

    console = Console(record=True, width=110, file=io.StringIO())
    for report in reports:
        console.print(report)
    return console.export_svg(title="franq-guard check")


def _exit_code(reports: Sequence[GuardReport], fail_below: float | None) -> int:
    if any(report.error is not None for report in reports):
        return EXIT_ERROR
    if fail_below is None:
        return int(any(report.acted for report in reports))
    claims = [claim for report in reports for claim in report.claims]
    return int(
        any(
            claim.verdict is Verdict.UNCHECKED or (claim.p_true is not None and claim.p_true < fail_below)
            for claim in claims
        )
    )
