"""Picks a device and a number format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from franq_guard.errors import ConfigError

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Capacity:
    """How much a device likes to be given at once.

    Attributes:
        batch_tokens: most padded tokens in one forward pass.
        logit_values: most logits (positions x vocabulary) held at once.
        pass_overhead: what a forward pass costs besides its tokens, in tokens.
    """

    batch_tokens: int
    logit_values: int
    pass_overhead: int


def capacity(device: str) -> Capacity:
    """What suits a device: a CPU gains nothing from more than its caches hold, a GPU wants to be filled."""
    if device.startswith("cpu"):
        return Capacity(batch_tokens=1024, logit_values=2**22, pass_overhead=16)
    return Capacity(batch_tokens=32_768, logit_values=2**28, pass_overhead=1024)


def resolve_device(device: str | None = None) -> str:
    """Returns `device`, or the best one there is: cuda, then mps, then cpu.

    Raises:
        ConfigError: if `device` is not a device, or is not available here.
    """
    import torch

    if device is None or device == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        kind = torch.device(device).type
    except RuntimeError as error:
        raise ConfigError(
            f"device {device!r} is not one torch knows; use 'cuda', 'cuda:0', 'mps' or 'cpu'"
        ) from error
    available = (
        kind == "cpu"
        or (kind == "cuda" and torch.cuda.is_available())
        or (kind == "mps" and torch.backends.mps.is_available())
    )
    if not available:
        raise ConfigError(f"device {device!r} is not available here; leave `device` unset to pick one")
    return device


def resolve_dtype(dtype: str | None, device: str) -> torch.dtype:
    """Returns the torch dtype; by default bfloat16 on a GPU that has it, float16 on other GPUs, else float32.

    Raises:
        ConfigError: if `dtype` is not one of float32, bfloat16, float16 or auto.
    """
    import torch

    known = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if dtype is None or dtype == "auto":
        if device.startswith("cuda"):
            return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
        return torch.float16 if device.startswith("mps") else torch.float32
    if dtype not in known:
        raise ConfigError(f"dtype {dtype!r} is unknown; use one of {', '.join(known)} or auto")
    return known[dtype]
