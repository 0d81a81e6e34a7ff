"""The commands about labels: `label`, `agreement` and `calibrate`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

labels_app = typer.Typer()


class ModeOption(StrEnum):
    """Which claims each map is fitted on."""

    CONDITION = "condition"
    CALIBRATED = "calibrated"
    NONE = "none"


class SplitOption(StrEnum):
    """What makes a claim faithful."""

    ALIGNMENT = "alignment"
    GOLD = "gold"


class OrderOption(StrEnum):
    """In which order claims are shown."""

    UNCERTAIN = "uncertain"
    FILE = "file"


@labels_app.command()
def label(
    file: Annotated[
        Path, typer.Argument(help="Reports of `check --format json`, or unlabelled rows; JSON Lines.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Labels are added to this file, each at once.")
    ] = Path("labels.jsonl"),
    annotator: Annotated[
        str | None, typer.Option(help="Who labels; several people can. Default: your user name.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="On 127.0.0.1; 0 takes any free one.")] = 8765,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    order: Annotated[
        OrderOption, typer.Option(help="Most uncertain claims first, or as in the file.")
    ] = OrderOption.UNCERTAIN,
    first_pass: Annotated[
        bool,
        typer.Option(
            "--first-pass",
            help="Let the language model judge first: what it is sure of is marked, and comes last."
            " Takes a model of some billion parameters; that of the preset mini cannot judge.",
        ),
    ] = False,
    margin: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="How far ahead its best answer must be for it to count as sure."),
    ] = 0.5,
    preset: Annotated[
        str | None, typer.Option(help="Models of the first pass; see `franq-guard models list`.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file that names the models.")] = None,
    device: Annotated[str | None, typer.Option(help="cuda, mps or cpu; picked if left out.")] = None,
) -> None:
    """Label claims as true and faithful in a local web page.

    Nothing leaves this machine. Every label is written at once; stop with Ctrl-C and go on later.

    Examples:
        franq-guard check answers.jsonl --format json --out reports.jsonl

        franq-guard label reports.jsonl --annotator ada --out ada.jsonl
    """
    from franq_guard.cli.label import run_label

    settings: dict[str, Any] = {"preset": preset, "device": device}
    raise typer.Exit(
        run_label(
            file=file,
            out=out,
            annotator=annotator,
            port=port,
            browser=browser,
            order=order.value,
            margin=margin if first_pass else None,
            config=config,
            settings=settings,
        )
    )


@labels_app.command()
def agreement(
    labels: Annotated[
        list[Path], typer.Argument(help="One file a person, or one file with the labels of two.")
    ],
) -> None:
    """Compare the labels of two people: raw agreement, Cohen's kappa, and where they differ.

    Examples:
        franq-guard agreement ada.jsonl ben.jsonl
    """
    from franq_guard.cli.label import run_agreement

    raise typer.Exit(run_agreement(labels))


@labels_app.command()
def calibrate(
    labels: Annotated[list[Path], typer.Argument(help="Labelled claims, JSON Lines; see `label`.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The calibrator to write.")] = Path(
        "calibration.json"
    ),
    mode: Annotated[
        ModeOption,
        typer.Option(help="Fit each map on its own side of the split, both on all claims, or neither."),
    ] = ModeOption.CONDITION,
    split: Annotated[
        SplitOption,
        typer.Option(help="Faithful is an alignment score above the threshold, or the label `faithful`."),
    ] = SplitOption.ALIGNMENT,
    threshold: Annotated[float, typer.Option(min=0.0, max=1.0, help="Of the alignment score.")] = 0.5,
    faithful_signal: Annotated[
        str | None,
        typer.Option(help="Signal of P(true | faithful), such as max_nli. Default: that of the form."),
    ] = None,
    calibrate_faithfulness: Annotated[
        bool,
        typer.Option("--calibrate-faithfulness", help="Also map the alignment score to P(faithful)."),
    ] = False,
    test_share: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=0.9,
            help="Share of the questions held out for the check, or 0. Default: 0.3 (0.5 with a target).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the choice of held-out questions.")] = 0,
    refit: Annotated[
        bool | None,
        typer.Option(
            "--refit/--no-refit",
            help="After the check, fit again on all claims. Default: yes, unless there is a target.",
        ),
    ] = None,
    target_false_rate: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Choose a threshold: of the claims let through, at most this share is false, such as 0.05.",
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(min=0.0, max=1.0, help="With which that is promised.")] = 0.95,
    plot: Annotated[
        Path | None, typer.Option(help="Draw a reliability diagram there (.png or .svg).")
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples for the intervals.")] = 1000,
) -> None:
    """Fit a calibrator, so that P(true) means what it says on your own data.

    Some questions are held out to measure how good it is; then it is fitted on all claims and saved. With a
    target, the held-out questions also say which threshold keeps the share of false claims below it.

    Exit code 0: done. 1: saved, but the data do not support the target. 2: something went wrong.

    Examples:
        franq-guard calibrate labels.jsonl --plot reliability.png

        franq-guard calibrate ada.jsonl ben.jsonl --split gold --out calibration.json

        franq-guard calibrate labels.jsonl --target-false-rate 0.05 --confidence 0.95
    """
    from franq_guard.cli.calibrate import run_calibrate
    from franq_guard.evaluation.calibrating import Settings

    settings = Settings(
        mode=mode.value,
        split=split.value,
        threshold=threshold,
        faithful_signal=faithful_signal,
        calibrate_faithfulness=calibrate_faithfulness,
        test_share=test_share if test_share is not None else 0.3 if target_false_rate is None else 0.5,
        seed=seed,
        refit=refit,
        target_false_rate=target_false_rate,
        confidence=confidence,
    )
    raise typer.Exit(run_calibrate(labels=labels, out=out, settings=settings, plot=plot, resamples=resamples))
