"""Draws what the speed benchmarks wrote: where the time goes, and how it grows.

Run: python -m benchmarks.speed.plot [--out docs/images/speed.png]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.speed.measuring import RESULTS

STAGES = {"alignment": ("#0b3c6f", ""), "log_probs": ("#c8553d", "////"), "scoring": ("#5b6770", "....")}


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"speed_{name}.json").read_text(encoding="utf-8"))
    return found


def draw(out: Path) -> None:
    """Writes the picture; needs matplotlib and the results of `stages` and `growth`."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _bars(left, _read("stages")["grid"])
    growth = _read("growth")
    for what, line in (("claims", "-o"), ("passages", "--s")):
        one = growth[what]
        slope = growth[f"exponent in {what}"]["three largest"]
        label = f"{what}: exponent {slope:.2f} at the end"
        right.loglog(one["sizes"], one["seconds"]["processor"], line, label=label)
    for axis in (right.xaxis, right.yaxis):
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())
    right.set(xlabel="how many", ylabel="processor seconds of a check", title="Growth")
    right.legend(frameon=False)
    figure.savefig(out, dpi=130, metadata={"Software": None})


def _bars(axes: Any, grid: list[dict[str, Any]]) -> None:
    names = [f"{cell['passages']} × {cell['claims']:g}" for cell in grid]
    medians = [{stage: cell["seconds"][stage]["p50"] for stage in STAGES} for cell in grid]
    base = [0.0] * len(grid)
    for stage, (color, hatch) in STAGES.items():
        shares = [cell[stage] / sum(cell.values()) for cell in medians]
        axes.bar(names, shares, bottom=base, color=color, hatch=hatch, edgecolor="white", label=stage)
        base = [below + share for below, share in zip(base, shares, strict=True)]
    for place, cell in enumerate(grid):
        axes.text(place, 1.01, f"{cell['seconds']['total']['p50']:.2g} s", ha="center", fontsize=8)
    axes.tick_params(axis="x", labelrotation=45)
    axes.set(xlabel="passages × claims", ylabel="share of the time", ylim=(0, 1.25), title="Stages, medians")
    axes.legend(loc="upper center", fontsize=8, ncols=len(STAGES), frameon=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/images/speed.png"))
    draw(parser.parse_args().out)


if __name__ == "__main__":
    main()
