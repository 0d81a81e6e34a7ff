"""The table of an evaluation for people (console, Markdown) and for programs (JSON).

Nothing in the files depends on the machine, the folder or the date, so that they can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from franq_guard.evaluation.ablations import Ablation
from franq_guard.evaluation.bootstrap import Interval
from franq_guard.evaluation.measuring import LEADER, METRICS, Evaluation
from franq_guard.evaluation.methods import METHODS
from franq_guard.evaluation.supervised import xgboost_settings

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA = 1
_DIGITS = 4


def to_dict(
    evaluation: Evaluation, ablations: Sequence[Ablation] = (), *, about: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Plain data, numbers rounded to four digits, null for what is undefined.

    Args:
        evaluation: the table.
        ablations: further tables.
        about: how the signals were made.
    """
    settings = evaluation.settings
    first = evaluation.data.test[0]
    return {
        "schema": SCHEMA,
        "form": evaluation.data.form,
        "language_model": first.language_model,
        "alignment_model": first.alignment_model,
        "samples": evaluation.data.samples,
        "settings": {
            "calibration_share": settings.calibration_share,
            "seed": settings.seed,
            "resamples": settings.resamples,
            "level": 0.95,
        },
        "signals": dict(about or {}),
        "xgboost": xgboost_settings(),
        "counts": dict(evaluation.counts),
        "false_rate": _rounded(evaluation.false_rate),
        "methods": [
            {
                "name": row.scores.name,
                "title": METHODS[row.scores.name],
                "kind": row.scores.kind,
                "metrics": {name: _interval(value) for name, value in row.metrics.items()},
                "lead": {name: _interval(value) for name, value in row.lead.items()},
            }
            for row in evaluation.methods
        ],
        "ablations": {table.name: _ablation(table) for table in ablations},
        "notes": list(evaluation.notes),
    }


def to_markdown(evaluation: Evaluation, ablations: Sequence[Ablation] = ()) -> str:
    """A report with the table of methods, and one for each ablation."""
    lines = [
        f"# Evaluation, {evaluation.data.form} form",
        "",
        _caption(evaluation),
        "",
        *_table(
            ["method", *METRICS.values()],
            [
                [METHODS[row.scores.name], *(_cell(row.metrics.get(name)) for name in METRICS)]
                for row in evaluation.methods
            ],
        ),
    ]
    if any(row.lead for row in evaluation.methods):
        ranking = [name for name in METRICS if any(name in row.lead for row in evaluation.methods)]
        lines += [
            "",
            f"## How far {METHODS[LEADER]} is ahead",
            "",
            "On the same resamples; an interval without 0 says that one of the two is better.",
            "",
            *_table(
                ["than", *(METRICS[name] for name in ranking)],
                [
                    [METHODS[row.scores.name], *(_signed(row.lead.get(name)) for name in ranking)]
                    for row in evaluation.methods
                    if row.lead
                ],
            ),
        ]
    for table in ablations:
        names = list(table.rows[0][1]) if table.rows else []
        body = [[*keys, *(_number(values[name]) for name in names)] for keys, values in table.rows]
        lines += ["", f"## Ablation: {table.name}", "", *_table([*table.columns, *names], body)]
    if evaluation.notes:
        lines += ["", "## Notes", "", *(f"- {note}" for note in evaluation.notes)]
    return "\n".join(lines) + "\n"


def to_table(evaluation: Evaluation) -> Table:
    """For the console; the best value of each column is bold."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=_caption(evaluation), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("method", overflow="fold", min_width=20)
    for title in METRICS.values():
        table.add_column(title, justify="right", no_wrap=True)
    best = {name: _best(evaluation, name) for name in METRICS}
    kind = evaluation.methods[0].scores.kind
    for row in evaluation.methods:
        if row.scores.kind != kind:
            table.add_section()
            kind = row.scores.kind
        cells = []
        for name in METRICS:
            found = row.metrics.get(name)
            bold = found is not None and found.value == best[name]
            cells.append(Text.assemble((_value(found), "bold" if bold else ""), (_range(found), "dim")))
        table.add_row(METHODS[row.scores.name], *cells)
    return table


def _caption(evaluation: Evaluation) -> str:
    counts = evaluation.counts
    return (
        f"{counts['test_claims']} test claims of {counts['test_questions']} questions,"
        f" {counts['test_false']} false (a random order has a PR-AUC of {evaluation.false_rate:.3f});"
        f" fitted on {counts['calibration_claims']} claims of {counts['calibration_questions']} others;"
        " 95% intervals by question. PR-AUC, ROC-AUC and PRR: finding false claims, more is better;"
        " ECE and Brier score: less is better."
    )


def _best(evaluation: Evaluation, name: str) -> float | None:
    values = [row.metrics[name].value for row in evaluation.methods if name in row.metrics]
    known = [value for value in values if not math.isnan(value)]
    choose = min if name in ("ece", "brier") else max
    return choose(known, default=None)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def _cell(interval: Interval | None) -> str:
    if interval is None or math.isnan(interval.value):
        return "n/a"
    if math.isnan(interval.low):
        return _number(interval.value)
    return f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def _signed(interval: Interval | None) -> str:
    if interval is None or math.isnan(interval.value) or math.isnan(interval.low):
        return "n/a"
    return f"{interval.value:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"


def _value(interval: Interval | None) -> str:
    return "n/a" if interval is None else _number(interval.value)


def _range(interval: Interval | None) -> str:
    """On a line of its own, short enough for a narrow console."""
    if interval is None or math.isnan(interval.low):
        return ""
    return f"\n{interval.low:.2f}–{interval.high:.2f}"


def _number(value: float) -> str:
    return "n/a" if math.isnan(value) else f"{value:.3f}"


def _rounded(value: float) -> float | None:
    return round(value, _DIGITS) + 0.0 if math.isfinite(value) else None


def _interval(interval: Interval) -> dict[str, float | None]:
    return {
        "value": _rounded(interval.value),
        "low": _rounded(interval.low),
        "high": _rounded(interval.high),
        "undefined": _rounded(interval.undefined),
    }


def _ablation(table: Ablation) -> list[dict[str, Any]]:
    return [
        dict(zip(table.columns, keys, strict=True))
        | {name: _rounded(value) for name, value in values.items()}
        for keys, values in table.rows
    ]
