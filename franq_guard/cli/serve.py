"""`franq-guard serve`: checks over HTTP."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import typer

from franq_guard.cli.check import DEFAULT_PRESET
from franq_guard.cli.progress import quiet_libraries
from franq_guard.config import GuardConfig
from franq_guard.errors import ConfigError

# What the service itself needs of a request's time, after the check.
_SPARE_SHARE = 0.1


def run_serve(
    *,
    host: str,
    port: int,
    config: Path | None,
    settings: dict[str, Any],
    align_only: bool,
    insecure: bool,
    limits: dict[str, Any],
) -> None:
    """Serves until SIGTERM or SIGINT.

    Raises:
        ConfigError: if a setting is wrong, the port cannot be opened, the address is open to others without a
            token, or the extra is not installed.
    """
    from franq_guard.serving.settings import (
        ServiceSettings,
        is_loopback,
        require_safe,
        token_from_environment,
    )

    token = token_from_environment()
    require_safe(host, token, insecure=insecure)
    service = ServiceSettings(token=token, **limits)
    loaded = _config(config, settings, service.timeout)
    try:
        from franq_guard.serving.alignment import offered_alignment
        from franq_guard.serving.app import create_app
        from franq_guard.serving.running import listen, make_server, url_of
    except ModuleNotFoundError as error:
        raise ConfigError(f"`serve` needs {error.name}: pip install 'franq-guard[serve]'") from error
    from franq_guard.guard import Guard

    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    app = create_app(
        None if align_only else Guard(config=loaded),
        alignment=lambda: offered_alignment(loaded),
        settings=service,
        local_only=is_loopback(host),
    )
    opened = listen(host, port)
    typer.echo(f"listening on {url_of(opened)}", err=True)
    quiet_libraries()
    server = make_server(app, connections=service.concurrency + service.max_waiting, grace=service.timeout)
    server.run(sockets=[opened])


def _config(file: Path | None, settings: dict[str, Any], timeout: float) -> GuardConfig:
    loaded = GuardConfig.load(file, **settings)
    if loaded.preset is None and (loaded.language_model is None or loaded.alignment_model is None):
        settings = settings | {"preset": DEFAULT_PRESET}
    if loaded.timeout is None or loaded.timeout > timeout:
        # A check must end before its request does: its report says more than an error.
        settings = settings | {"timeout": timeout * (1 - _SPARE_SHARE)}
    return GuardConfig.load(file, **settings)
