"""The command `serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

serve_app = typer.Typer()


@serve_app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")] = 8700,
    preset: Annotated[
        str | None, typer.Option(help="Models to use; see `franq-guard models list`. Default: mini.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="TOML file with settings; options here win over it.")
    ] = None,
    calibration: Annotated[str | None, typer.Option(help="Calibrator file, or `none`.")] = None,
    device: Annotated[str | None, typer.Option(help="cuda, mps or cpu; picked if left out.")] = None,
    align_only: Annotated[
        bool,
        typer.Option("--align-only", help="Offer only the alignment model; no language model is loaded."),
    ] = False,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one request.")] = 60.0,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests that are worked on at once.")] = 8,
    max_waiting: Annotated[
        int, typer.Option(min=0, help="Requests that may wait; those beyond are told to come back.")
    ] = 64,
    max_body: Annotated[int, typer.Option(min=1024, help="Bytes of a request.")] = 4 * 2**20,
    max_items: Annotated[int, typer.Option(min=1, help="Answers in one request.")] = 64,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Let anybody in who reaches the address, without a token.")
    ] = False,
) -> None:
    """Check answers over HTTP, and share the alignment model with other guards.

    POST /v1/check and /v1/check_many take JSON as `franq-guard check` does; POST /v1/align is for guards
    with `alignment_model = "franq:http://host:8700"`. /health, /ready and /metrics (Prometheus) are for a
    cluster, /openapi.json describes it all.

    Callers send `Authorization: Bearer` and the token in FRANQ_GUARD_TOKEN. Without a token it listens on
    this machine only. Needs the extra serve.

    Examples:
        franq-guard serve

        FRANQ_GUARD_TOKEN=$(openssl rand -hex 32) franq-guard serve --host 0.0.0.0 --config guard.toml

        franq-guard serve --align-only --device cuda
    """
    from franq_guard.cli.serve import run_serve

    settings: dict[str, Any] = {"preset": preset, "calibration": calibration, "device": device}
    run_serve(
        host=host,
        port=port,
        config=config,
        settings=settings,
        align_only=align_only,
        insecure=insecure,
        limits={
            "timeout": timeout,
            "concurrency": concurrency,
            "max_waiting": max_waiting,
            "max_body": max_body,
            "max_items": max_items,
        },
    )
