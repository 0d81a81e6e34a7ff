"""What to do when the memory runs out: do less at once."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from franq_guard.errors import ModelError

Request = TypeVar("Request")
Result = TypeVar("Result")

_SIGNS = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """True for what Python, PyTorch and the devices' drivers raise when memory runs out."""
    if isinstance(error, MemoryError):
        return True
    # torch.OutOfMemoryError is a RuntimeError; allocators on the CPU raise a bare one.
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in _SIGNS)


def run_within_memory(
    run: Callable[[Sequence[Request]], Sequence[Result]],
    requests: Sequence[Request],
    on_shortage: Callable[[], None] | None = None,
) -> list[Result]:
    """Runs requests together, or, where memory runs out, each half after the other, down to single ones.

    Args:
        run: gives one result for each request, in order.
        requests: at least one.
        on_shortage: called each time that memory runs out.

    Raises:
        ModelError: if memory runs out on a single request, or `run` gives more or fewer results than it was
            given requests.
    """
    try:
        results = list(run(requests))
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        if on_shortage is not None:
            on_shortage()
        if len(requests) == 1:
            raise ModelError(
                f"the memory does not suffice for a single request ({_first_line(error)}): use a smaller "
                "model or a smaller dtype, free memory on the device, pass fewer or shorter passages, or set "
                "max_prompt_tokens and max_answer_tokens lower"
            ) from None
    else:
        if len(results) != len(requests):
            raise ModelError(f"the model gave {len(results)} results for {len(requests)} requests")
        return results
    # Only here, behind the handler: the exception holds on to what was allocated.
    release_memory()
    half = len(requests) // 2
    return [
        *run_within_memory(run, requests[:half], on_shortage),
        *run_within_memory(run, requests[half:], on_shortage),
    ]


def release_memory() -> None:
    """Gives back what nothing refers to any more."""
    gc.collect(1)  # what was just made is young; a whole collection would take longer than a retry
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
