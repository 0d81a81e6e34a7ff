"""The command `audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

audit_app = typer.Typer()


@audit_app.command()
def audit(
    files: Annotated[
        list[Path], typer.Argument(help="JSON Lines or Parquet with question, passages and answer.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for reports, failed rows and an index.")],
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            "-w",
            min=0,
            help="Processes, each with its own models; 0 takes one for each GPU, or for each core without"
            " GPUs. More than 1 needs the extra ray.",
        ),
    ] = 1,
    address: Annotated[
        str | None,
        typer.Option(help="Ray cluster to run on; auto for the one that this machine belongs to."),
    ] = None,
    part_rows: Annotated[
        int, typer.Option(min=1, help="Rows that are checked together, and done again if a process dies.")
    ] = 32,
    preset: Annotated[
        str | None, typer.Option(help="Models to use; see `franq-guard models list`. Default: mini.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="TOML file with settings; options here win over it.")
    ] = None,
    calibration: Annotated[str | None, typer.Option(help="Calibrator file, or `none`.")] = None,
    device: Annotated[str | None, typer.Option(help="cuda, mps or cpu; picked if left out.")] = None,
) -> None:
    """Check many stored answers, each once, on all cores, GPUs or machines.

    Stop or kill it at any time and run the same command again: it goes on with what is missing. Rows that
    cannot be read or checked are kept aside in failed.jsonl, with the reason.

    Exit code 0: every row was checked. 1: some are in failed.jsonl. 2: something went wrong.

    Examples:
        franq-guard audit traces.jsonl --out audit

        franq-guard audit traces.parquet --out audit --workers 2

        franq-guard audit /shared/traces.parquet --out /shared/audit --workers 0 --address auto
    """
    from franq_guard.cli.audit import run_audit

    settings: dict[str, Any] = {"preset": preset, "calibration": calibration, "device": device}
    raise typer.Exit(
        run_audit(
            files=files,
            out=out,
            workers=workers or None,
            address=address,
            part_rows=part_rows,
            config=config,
            settings=settings,
        )
    )
