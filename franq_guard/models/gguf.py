"""GGUF files: de-quantised once, then kept as safetensors, which load in a fraction of the time."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path
from typing import Any

from franq_guard.errors import ModelError
from franq_guard.models.cache import cache_dir, cannot_write, making
from franq_guard.models.sources import fingerprint

logger = logging.getLogger(__name__)

_SIZES = "sizes.json"


def converted(file: Path) -> Path:
    """Returns a folder with the de-quantised model and its tokeniser, in float32, made at the first call.

    It is made anew if its files are missing or cut off.

    Raises:
        ModelError: if the file is not a GGUF model that transformers knows, or the cache cannot be written.
    """
    target = cache_dir() / "converted" / fingerprint(file)
    if _is_whole(target):
        return target
    with making(target) as folder:
        if not _is_whole(target):  # else another process was faster
            logger.info("de-quantising %s; this happens once", file.name)
            part = folder / "model"
            _convert(file, part)
            sizes = {path.name: path.stat().st_size for path in part.iterdir()}
            (part / _SIZES).write_text(json.dumps(sizes), encoding="utf-8")
            shutil.rmtree(target, ignore_errors=True)
            part.replace(target)
    return target


def _is_whole(folder: Path) -> bool:
    """True if every file that was written is there with the size it had."""
    try:
        sizes = json.loads((folder / _SIZES).read_text(encoding="utf-8"))
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def _convert(file: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    models: Any = AutoModelForCausalLM
    where: dict[str, Any] = {"gguf_file": file.name, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(file.parent), **where)
        quantised = models.from_pretrained(str(file.parent), dtype=torch.float32, **where)
        config = quantised.config
        # What marks weights as quantised no longer holds and forbids saving; older transformers have no mark.
        if hasattr(config, "quantization_config"):
            del config.quantization_config
        plain = models.from_config(config, dtype=torch.float32)
        plain.load_state_dict(quantised.state_dict())
        plain.generation_config = quantised.generation_config
        plain.save_pretrained(target)
        tokenizer.save_pretrained(target)
    except Exception as error:  # readers raise nearly anything, bare Exception included
        if "No space left" in str(error):
            raise cannot_write("no space left on the device") from error
        raise ModelError(
            f"{file} could not be read as a GGUF model: {error}. Is the download complete, and is it a "
            "llama-like architecture that transformers supports?"
        ) from error
