"""The files of an evaluation: results.json, results.md, and three pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.ablations import Ablation
from franq_guard.evaluation.baselines import ALIGNMENT
from franq_guard.evaluation.measuring import Evaluation, Measured, best
from franq_guard.evaluation.methods import METHODS
from franq_guard.evaluation.results import to_dict, to_markdown

RESULTS = "results.json"
REPORT = "results.md"


def write_results(
    evaluation: Evaluation,
    ablations: Sequence[Ablation],
    folder: Path,
    *,
    about: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Writes everything into an existing folder; pictures only if matplotlib is installed.

    Returns:
        The files.

    Raises:
        InputError: if a file cannot be written.
    """
    data = json.dumps(to_dict(evaluation, ablations, about=about), indent=1, allow_nan=False)
    written = [folder / RESULTS, folder / REPORT]
    try:
        written[0].write_text(data + "\n", encoding="utf-8")
        written[1].write_text(to_markdown(evaluation, ablations), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write into {folder}: {error.strerror or error}") from error
    return written + _plots(evaluation, folder)


def _plots(evaluation: Evaluation, folder: Path) -> list[Path]:
    from franq_guard.report.plots import (
        plot_precision_recall,
        plot_rejection,
        plot_reliability,
        require_matplotlib,
    )

    true = evaluation.data.true
    if len(set(true)) < 2:
        return []
    paths = [folder / f"{name}.png" for name in ("precision-recall", "rejection", "reliability")]
    try:
        require_matplotlib(paths[0])
    except ConfigError:
        return []
    shown = _shown(evaluation)
    confidences = {METHODS[row.scores.name]: row.scores.confidence for row in shown}
    plot_precision_recall(confidences, true, paths[0])
    plot_rejection(confidences, true, paths[1])
    probabilities = {
        METHODS[row.scores.name]: row.scores.probability
        for row in shown
        if row.scores.probability is not None and row.scores.kind != "baseline"
    }
    if not probabilities:
        return paths[:2]
    plot_reliability(probabilities, true, paths[2])
    return paths


def _shown(evaluation: Evaluation) -> list[Measured]:
    """FRANQ and what it has to beat: few enough to tell the lines apart."""
    by_name = {row.scores.name: row for row in evaluation.methods}
    wanted = [
        by_name.get("franq_condition"),
        by_name.get("franq_none"),
        by_name.get(ALIGNMENT),
        best(evaluation.methods, "baseline"),
        best(evaluation.methods, "supervised"),
    ]
    found = {row.scores.name: row for row in wanted if row is not None}
    return list(found.values()) or list(evaluation.methods[:5])
