"""Pictures of how good the scores are; they need the extra `plot`.

Each function writes one picture, PNG or SVG by the ending of the file, and the same input gives the same
bytes. Lines differ in dash pattern and marker, not only in colour, so that they can be told apart in grey.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray
from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.curves import Reliability, precision_recall, rejection, reliability
from franq_guard.evaluation.metrics import (
    average_precision,
    expected_calibration_error,
    prediction_rejection_ratio,
)

ENDINGS = (".png", ".svg")

# From dark to light as well as from blue to yellow; the first entries are the most distinct.
_STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#0b3c6f", "linestyle": "-", "marker": "o"},
    {"color": "#c8553d", "linestyle": "--", "marker": "s"},
    {"color": "#5aa469", "linestyle": "-.", "marker": "^"},
    {"color": "#8a5fa8", "linestyle": ":", "marker": "D"},
    {"color": "#b08900", "linestyle": (0, (5, 1, 1, 1, 1, 1)), "marker": "v"},
    {"color": "#5b6770", "linestyle": (0, (8, 3)), "marker": "P"},
)
_REFERENCE: dict[str, Any] = {"color": "0.45", "linewidth": 1.0}
_HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\")
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "franq-guard",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "text.parse_math": False,
}


def require_matplotlib(path: str | Path) -> None:
    """Checks that a picture can be written to `path`, before any work is done for it.

    Raises:
        ConfigError: if matplotlib is missing, or the file's ending is neither .png nor .svg.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise ConfigError(f"{path}: pictures end in {' or '.join(ENDINGS)}, not {ending!r}")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            "plots need matplotlib, which is not installed: pip install 'franq-guard[plot]'"
        ) from error


def plot_reliability(
    probabilities: Mapping[str, ArrayLike],
    true_labels: ArrayLike,
    path: str | Path,
    *,
    bins: int = 10,
    title: str = "Reliability: is P(true) right?",
) -> None:
    """Draws predicted against observed frequencies with Wilson 95% intervals, and how many rows each bin has.

    Args:
        probabilities: P(true) by the name of the method, such as "before" and "after", each of shape (N,).
        true_labels: as for `metrics.roc_auc`, shape (N,).
        path: file to write.
        bins: of equal width.
        title: of the picture.

    Raises:
        ConfigError: as `require_matplotlib`.
        InputError: as `curves.reliability`, or if there is no method, or the file cannot be written.
    """
    methods = _methods(probabilities, path)
    found = {name: reliability(values, true_labels, bins=bins) for name, values in methods.items()}
    with _picture(path, height=6.4) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3.2, 1))
        upper.plot([0, 1], [0, 1], linestyle=(0, (1, 2)), label="perfectly calibrated", **_REFERENCE)
        width = 1 / bins
        for number, ((name, curve), style) in enumerate(zip(found.items(), cycle(_STYLES), strict=False)):
            error = expected_calibration_error(methods[name], true_labels, bins=bins)
            _draw_reliability(upper, curve, style, label=f"{name} (ECE {error:.3f})")
            # Bars stand side by side inside their bin.
            slot = 0.8 * width / len(found)
            left = curve.edges[:-1] + 0.1 * width + number * slot
            lower.bar(
                left,
                curve.counts,
                slot,
                align="edge",
                facecolor="white" if number % 2 else style["color"],
                edgecolor=style["color"],
                hatch=_HATCHES[number % len(_HATCHES)],
                linewidth=0.8,
            )
        upper.set(title=title, ylabel="share of claims that are true", ylim=(-0.02, 1.02))
        lower.set(
            xlabel="predicted P(true)", ylabel="claims", xlim=(-0.02, 1.02), xticks=np.linspace(0, 1, 11)
        )
        lower.yaxis.get_major_locator().set_params(integer=True, nbins=4)


def plot_precision_recall(
    confidences: Mapping[str, ArrayLike],
    true_labels: ArrayLike,
    path: str | Path,
    *,
    title: str = "Finding false claims",
) -> None:
    """Draws precision against recall of finding false claims, with the base rate that a random order reaches.

    Args:
        confidences: by the name of the method, each of shape (N,), higher is likelier true.
        true_labels: as for `metrics.roc_auc`, shape (N,).
        path: file to write.
        title: of the picture.

    Raises:
        ConfigError: as `require_matplotlib`.
        InputError: as `curves.precision_recall`, or if there is no method, or the file cannot be written.
    """
    methods = _methods(confidences, path)
    curves = {name: precision_recall(values, true_labels) for name, values in methods.items()}
    with _picture(path) as figure:
        axes = figure.subplots()
        for (name, curve), style in zip(curves.items(), cycle(_STYLES), strict=False):
            axes.plot(
                np.append(0.0, curve.recall),
                np.append(curve.precision[0], curve.precision),
                drawstyle="steps-pre",
                markevery=_marks(curve.recall.size + 1),
                label=f"{name} (PR-AUC {average_precision(methods[name], true_labels):.3f})",
                **style,
            )
        base = next(iter(curves.values())).false_rate
        axes.axhline(base, linestyle=(0, (1, 2)), label=f"random (base rate {base:.3f})", **_REFERENCE)
        axes.set(
            title=title,
            xlabel="recall: share of the false claims found",
            ylabel="precision: share of the found that are false",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
        )


def plot_rejection(
    confidences: Mapping[str, ArrayLike],
    true_labels: ArrayLike,
    path: str | Path,
    *,
    max_rejection: float = 0.5,
    title: str = "Rejecting the least confident claims",
) -> None:
    """Draws the share of true claims among those kept, beside a perfect and a random order.

    Args:
        confidences: by the name of the method, each of shape (N,), higher is likelier true.
        true_labels: as for `metrics.roc_auc`, shape (N,).
        path: file to write.
        max_rejection: up to where PRR counts, in (0, 1]; marked by a vertical line if below 1.
        title: of the picture.

    Raises:
        ConfigError: as `require_matplotlib`.
        InputError: as `curves.rejection`, or if there is no method, `max_rejection` is out of range, or the
            file cannot be written.
    """
    methods = _methods(confidences, path)
    curves = {name: rejection(values, true_labels) for name, values in methods.items()}
    with _picture(path) as figure:
        axes = figure.subplots()
        first = next(iter(curves.values()))
        axes.plot(first.rejected, first.oracle, linestyle="-", label="oracle", **_REFERENCE)
        for (name, curve), style in zip(curves.items(), cycle(_STYLES), strict=False):
            ratio = prediction_rejection_ratio(methods[name], true_labels, max_rejection=max_rejection)
            axes.plot(
                curve.rejected,
                curve.quality,
                markevery=_marks(curve.rejected.size),
                label=f"{name} (PRR@{max_rejection:g} {ratio:.3f})",
                **style,
            )
        axes.axhline(first.random, linestyle=(0, (1, 2)), label="random order", **_REFERENCE)
        if max_rejection < 1:
            axes.axvline(max_rejection, color="0.75", linewidth=0.8)
        # The last few claims jump up and down and would squeeze the rest.
        settled = first.rejected <= max(max_rejection, 0.9)
        lowest = min(float(curve.quality[settled].min()) for curve in curves.values())
        axes.set(
            title=title,
            xlabel="share of claims rejected",
            ylabel="share of the kept claims that are true",
            xlim=(-0.02, 1.02),
            ylim=(lowest - 0.05 * (1 - lowest) - 0.01, 1 + 0.05 * (1 - lowest) + 0.01),
        )


def _methods(values: Mapping[str, ArrayLike], path: str | Path) -> dict[str, FloatArray]:
    require_matplotlib(path)
    if not values:
        raise InputError("nothing to draw: give the scores of at least one method")
    return {name: np.asarray(scores, dtype=np.float64) for name, scores in values.items()}


def _draw_reliability(axes: Any, curve: Reliability, style: Mapping[str, Any], *, label: str) -> None:
    filled = curve.counts > 0
    observed = curve.observed[filled]
    reach = np.stack([observed - curve.low[filled], curve.high[filled] - observed])
    axes.errorbar(
        curve.predicted[filled],
        observed,
        yerr=np.maximum(reach, 0.0),
        capsize=3,
        elinewidth=0.9,
        linewidth=1.5,
        markersize=5,
        label=label,
        **style,
    )


def _marks(points: int) -> list[int]:
    """About ten markers a line, spread evenly over its points."""
    return sorted(set(np.linspace(0, points - 1, min(points, 11)).round().astype(int).tolist()))


@contextmanager
def _picture(path: str | Path, *, height: float = 4.8) -> Iterator[Any]:
    """A figure to draw on, saved when the block ends; a matplotlibrc changes nothing."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(["default", _SETTINGS]):
        figure = Figure(figsize=(6.4, height), layout="constrained", facecolor="white")
        yield figure
        # Beside the curves, so that it never hides one.
        figure.legend(
            *figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False
        )
        for panel in figure.axes:
            panel.spines[["top", "right"]].set_visible(False)
            panel.grid(visible=True, color="0.9", linewidth=0.6)
            panel.set_axisbelow(True)
        metadata: dict[str, Any] = {"Date" if Path(path).suffix.lower() == ".svg" else "Software": None}
        try:
            figure.savefig(path, dpi=150, metadata=metadata)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from error
