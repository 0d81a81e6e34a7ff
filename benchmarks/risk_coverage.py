"""How often is the promise of `franq-guard calibrate --target-false-rate` kept?

Takes the claims of known truth that `benchmarks.long_form_claims` scored, mixed as for the preset's
calibrator, and makes the promise over and over on resampled questions: see `franq_guard.evaluation.promise`.
Half of the questions are fitted on; the others are what the guard will see, and thresholds are chosen on
questions drawn from them. The share of resamples that kept the promise must be at or above the stated
confidence, within sampling error.

    python -m benchmarks.risk_coverage --out benchmarks/results --plot docs/images/risk-coverage.png
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.fit_long_form_calibrator import DATA, SHARES, chance_of
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.evaluation.promise import PromiseCheck, PromiseSettings, check_promise

TARGETS = (0.05, 0.1, 0.15, 0.2, 0.3)
CONFIDENCES = (0.8, 0.95)
TESTED = (96, 300)
_SIGNALS = ("max_claim_probability", "parametric_knowledge")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--resamples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder for risk-coverage.json")
    parser.add_argument("--plot", type=Path, help="picture to draw, .png or .svg")
    options = parser.parse_args()

    rows = read(options.data)
    questions = len({row.question_id for row in rows})
    print(f"{len(rows)} claims of {questions} questions, {sum(not row.true for row in rows)} false")
    found = [
        check_promise(
            rows,
            PromiseSettings(
                target=target,
                confidence=confidence,
                resamples=options.resamples,
                seed=options.seed,
                tested=tested,
                fit_options=(("min_rows", 10),),
            ),
        )
        for confidence in CONFIDENCES
        for tested in TESTED
        for target in TARGETS
    ]
    Console().print(_table(found))
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        text = json.dumps([check.to_dict() for check in found], indent=1)
        (options.out / "risk-coverage.json").write_text(text + "\n", encoding="utf-8")
    if options.plot is not None:
        options.plot.parent.mkdir(parents=True, exist_ok=True)
        draw(found, options.plot)
    broken = [check for check in found if check.held < check.settings.confidence - check.margin]
    print(
        "every promise was kept as often as stated" if not broken else f"{len(broken)} promises were broken"
    )
    raise SystemExit(int(bool(broken)))


def read(path: Path) -> list[LabelledClaim]:
    """The claims that the preset's calibrator is fitted on."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        LabelledClaim(
            id=str(number),
            question_id=row["question_id"],
            true=row["true"],
            alignment=row["alignment"],
            signals={name: row[name] for name in _SIGNALS},
        )
        for number, row in enumerate(rows)
        if chance_of(row) < SHARES.get(row["kind"], 0.0)
    ]


def draw(found: Sequence[PromiseCheck], path: Path) -> None:
    """Three panels over the target: how often kept, how often supported, and how many claims get through."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 8.4), layout="constrained", facecolor="white")
    kept, supported, through = figure.subplots(3, 1, sharex=True, height_ratios=(1.5, 1, 1))
    styles: list[dict[str, Any]] = [
        {"color": "#0b3c6f", "linestyle": "-", "marker": "o"},
        {"color": "#0b3c6f", "linestyle": "--", "marker": "s", "markerfacecolor": "white"},
        {"color": "#c8553d", "linestyle": "-", "marker": "^"},
        {"color": "#c8553d", "linestyle": "--", "marker": "D", "markerfacecolor": "white"},
    ]
    runs = [(confidence, tested) for confidence in CONFIDENCES for tested in TESTED]
    for (confidence, tested), style in zip(runs, styles, strict=True):
        mine = [
            check
            for check in found
            if check.settings.confidence == confidence and check.settings.tested == tested
        ]
        targets = [check.settings.target for check in mine]
        label = f"confidence {confidence:.0%}, {tested} questions tested"
        kept.plot(targets, [check.held for check in mine], label=label, **style)
        supported.plot(targets, [check.supported for check in mine], **style)
        shares = [check.to_dict()["mean_share_kept"] for check in mine]
        through.plot(targets, [float("nan") if share is None else share for share in shares], **style)
    for confidence in CONFIDENCES:
        [check, *_] = [check for check in found if check.settings.confidence == confidence]
        kept.axhline(confidence, color="0.35", linewidth=1, linestyle=(0, (1, 2)))
        kept.axhspan(confidence - check.margin, confidence, color="0.85", linewidth=0)
        kept.annotate(
            f"stated confidence {confidence:.0%}, with its sampling error below",
            (TARGETS[-1], confidence - check.margin),
            xytext=(0, -3),
            textcoords="offset points",
            va="top",
            ha="right",
            fontsize=8,
            color="0.25",
        )
    kept.set(
        title="Is the promise kept? Resampled questions of real labelled claims",
        ylabel="share of resamples\nthat kept the promise",
        ylim=(0.7, 1.01),
    )
    supported.set(ylabel="share of resamples\nthat supported a threshold", ylim=(-0.03, 1.03))
    through.set(
        xlabel="target: largest share of false claims among those let through",
        ylabel="mean share of claims\nlet through, if supported",
        ylim=(0, 0.6),
        xticks=TARGETS,
    )
    for panel in (kept, supported, through):
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(visible=True, color="0.92", linewidth=0.6)
        panel.set_axisbelow(True)
    figure.legend(*kept.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(path, dpi=130, metadata={"Software": None} if path.suffix == ".png" else {"Date": None})


def _table(found: Sequence[PromiseCheck]) -> Table:
    table = Table("confidence", "questions", "target", "supported", "kept", "±", "false", "let through")
    for check in found:
        numbers = check.to_dict()
        table.add_row(
            f"{check.settings.confidence:.0%}",
            str(check.settings.tested),
            f"{check.settings.target:.0%}",
            f"{check.supported:.1%}",
            f"{check.held:.1%}",
            f"{check.margin:.1%}",
            *(
                "n/a" if numbers[name] is None else f"{numbers[name]:.1%}"
                for name in ("mean_false_rate", "mean_share_kept")
            ),
        )
    return table


if __name__ == "__main__":
    main()
