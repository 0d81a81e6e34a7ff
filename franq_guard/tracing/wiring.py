"""From names and options to sinks."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from franq_guard.errors import ConfigError
from franq_guard.tracing.settings import CustomSettings, SinkSettings
from franq_guard.tracing.sink import Mask, Sink

_HOMES = {
    "opentelemetry": "OpenTelemetrySink",
    "langsmith": "LangSmithSink",
    "langfuse": "LangfuseSink",
    "mlflow": "MLflowSink",
    "phoenix": "PhoenixSink",
    "jsonl": "JsonlSink",
}
_SETTINGS = (str, Mapping, SinkSettings)
_BUILT: dict[str, Sink] = {}
"""One sink for the same settings: guards that write to one file must not rotate it under each other."""
_BUILDING = threading.Lock()


def build_sinks(settings: Iterable[SinkSettings]) -> list[Sink]:
    """The sinks of a configuration; the same settings give the same sink everywhere in a process.

    Raises:
        ConfigError: if a package is missing, or an own sink or mask cannot be imported or is none.
    """
    found = []
    for setting in settings:
        key = f"{setting.sink} {setting.model_dump_json()}"
        with _BUILDING:
            if key not in _BUILT:
                _BUILT[key] = _build(setting)
            found.append(_BUILT[key])
    return found


def split_sinks(given: object) -> tuple[list[Sink], list[Any]]:
    """Sinks that are objects, and the names and tables among them, which are settings.

    Args:
        given: a name, a table, a sink, an iterable of these, or None.

    Raises:
        ConfigError: if it holds something else.
    """
    if given is None:
        return [], []
    if isinstance(given, _SETTINGS) or hasattr(given, "emit") or not isinstance(given, Iterable):
        given = [given]
    items = list(given)
    tables = [item for item in items if isinstance(item, _SETTINGS)]
    return [as_sink(item) for item in items if not isinstance(item, _SETTINGS)], tables


def as_sink(value: object) -> Sink:
    """Checks an object that a user gave as a sink.

    Raises:
        ConfigError: if it has not the methods of one.
    """
    if isinstance(value, type) or not isinstance(value, Sink):
        raise ConfigError(
            f"tracing: {value!r:.60} is no sink; give a name, a table, or an object with emit, flush, close"
        )
    return value


def _build(setting: SinkSettings) -> Sink:
    mask: Mask | None = None if setting.mask is None else _import(setting.mask, "mask")
    if isinstance(setting, CustomSettings):
        made = _import(setting.sink, "sink")(**setting.kwargs)
        sink = as_sink(made)
        for name, value in {**setting.options(), "mask": mask}.items():
            if name != "kwargs" and (name in setting.model_fields_set):
                setattr(sink, name, value)
        return sink
    home = importlib.import_module(f"franq_guard.tracing.sinks.{setting.sink}")
    maker: Callable[..., Sink] = getattr(home, _HOMES[setting.sink])
    return maker(mask=mask, **setting.options())


def _import(path: str, role: str) -> Any:
    module, _, name = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"tracing.{role}: cannot import {path!r}: {error}") from error
    if not callable(found):
        raise ConfigError(f"tracing.{role}: {path!r} is not callable")
    return found
