"""The command `evaluate`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

evaluate_app = typer.Typer()


class AblationOption(StrEnum):
    """Further tables."""

    GRID = "grid"
    THRESHOLD = "threshold"
    TRAINING_SIZE = "training-size"


@evaluate_app.command()
def evaluate(
    data: Annotated[
        Path | None,
        typer.Argument(
            help="Questions with accepted answers, labelled claims with their answers, or FRANQ's own JSON.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for signals, tables and plots.")] = Path(
        "evaluation"
    ),
    signals: Annotated[
        Path | None,
        typer.Option(help="Labelled claims that already have signals: no model runs.", show_default=False),
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option("--method", "-m", help="Only this one; may be repeated. Default: all.")
    ] = None,
    ablation: Annotated[
        list[AblationOption] | None, typer.Option(help="A further table; may be repeated.")
    ] = None,
    corrupt: Annotated[
        str | None,
        typer.Option(
            help="Spoil a share of the passages first: irrelevant:0.5 or factual:0.5.", show_default=False
        ),
    ] = None,
    passages: Annotated[
        int | None,
        typer.Option(
            min=1, help="Fill up to this many passages with those of other questions.", show_default=False
        ),
    ] = None,
    calibration_share: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="Share of the questions that is fitted on.")
    ] = 0.4,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples for the intervals.")] = 1000,
    target_false_rate: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Also check the promise of `calibrate --target-false-rate` on resampled questions.",
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(min=0.0, max=1.0, help="Of that promise.")] = 0.95,
    promise_resamples: Annotated[int, typer.Option(min=1, help="How often it is made and checked.")] = 200,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Answers drawn to each question in short form. Default: 10.")
    ] = None,
    similarity: Annotated[
        str | None,
        typer.Option(
            help="Cross-encoder for TokenSAR and SentenceSAR, such as hf:cross-encoder/stsb-roberta-large."
            " Default: the alignment model."
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first questions of the file.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn.")] = 0,
    preset: Annotated[
        str | None, typer.Option(help="Models to use; see `franq-guard models list`. Default: mini.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file that names the models.")] = None,
    device: Annotated[str | None, typer.Option(help="cuda, mps or cpu; picked if left out.")] = None,
) -> None:
    """Compare all methods on a data set: how well does each find false claims?

    First the models give every claim its signals, which are kept in the output folder: stop at any time and
    run the same command again to go on. Then some questions are fitted on, and all methods are measured on
    the others.

    Examples:
        franq-guard evaluate questions.jsonl --out study --limit 300 --ablation grid

        franq-guard evaluate questions.jsonl --out spoilt --corrupt factual:0.5

        franq-guard evaluate --signals study/signals.jsonl --method franq_condition --method alignment
    """
    from franq_guard.cli.evaluate import run_evaluate
    from franq_guard.evaluation.measuring import Settings
    from franq_guard.evaluation.promise import PromiseSettings

    settings: dict[str, Any] = {"preset": preset, "device": device}
    raise typer.Exit(
        run_evaluate(
            data=data,
            out=out,
            signals=signals,
            measuring=Settings(
                methods=tuple(method or ()),
                calibration_share=calibration_share,
                seed=seed,
                resamples=resamples,
            ),
            promise=None
            if target_false_rate is None
            else PromiseSettings(
                target=target_false_rate, confidence=confidence, resamples=promise_resamples, seed=seed
            ),
            ablations=[one.value for one in ablation or []],
            corrupt=corrupt,
            passages=passages,
            samples=samples,
            similarity=similarity,
            limit=limit,
            config=config,
            settings=settings,
        )
    )
