"""GGUF files: de-quantised once, then kept as safetensors, which load in a fraction of the time."""

from __future__ import annotations

import logging
import shutil
import tempfile
from pathlib import Path
from typing import Any

from franq_guard.errors import ModelError
from franq_guard.models.sources import cache_dir, fingerprint

logger = logging.getLogger(__name__)


def converted(file: Path) -> Path:
    """Returns a folder with the de-quantised model and its tokeniser, in float32, made at the first call.

    Raises:
        ModelError: if the file is not a GGUF model that transformers knows.
    """
    import filelock

    target = cache_dir() / "converted" / fingerprint(file)
    done = target / "config.json"
    if done.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(target.with_name(target.name + ".lock")):
        if done.exists():  # another process was faster
            return target
        logger.info("de-quantising %s; this happens once", file.name)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            part = Path(folder) / "model"
            _convert(file, part)
            shutil.rmtree(target, ignore_errors=True)
            part.replace(target)
    return target


def _convert(file: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    models: Any = AutoModelForCausalLM
    where: dict[str, Any] = {"gguf_file": file.name, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(file.parent), **where)
        quantised = models.from_pretrained(str(file.parent), dtype=torch.float32, **where)
        config = quantised.config
        # What marks the weights as quantised no longer holds, and would forbid saving them.
        del config.quantization_config
        plain = models.from_config(config, dtype=torch.float32)
        plain.load_state_dict(quantised.state_dict())
        plain.generation_config = quantised.generation_config
        plain.save_pretrained(target)
        tokenizer.save_pretrained(target)
    except Exception as error:  # readers raise nearly anything, bare Exception included
        raise ModelError(
            f"{file} could not be read as a GGUF model: {error}. Is the download complete, and is it a "
            "llama-like architecture that transformers supports?"
        ) from error
