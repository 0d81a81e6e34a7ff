"""Checks of the arrays that signals, calibrators and metrics take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from franq_guard.errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

ROUNDING = 1e-6
"""How far beyond its range a probability or log-probability may lie through float32 rounding."""


def as_vector(values: ArrayLike, name: str) -> FloatArray:
    """Numbers as a one-dimensional float array; None becomes NaN.

    Raises:
        InputError: if they are not numbers, or not one-dimensional.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: {error}") from error
    if array.ndim != 1:
        raise InputError(f"{name} must be one-dimensional, got shape {array.shape}")
    return array


def as_labels(values: ArrayLike, name: str) -> FloatArray:
    """Labels as a float array of 1, 0 and NaN; True is 1, False is 0, None is NaN. Shape (N,).

    Raises:
        InputError: if a label is anything else; the text names its row.
    """
    objects = np.asarray(values, dtype=object)
    if objects.ndim != 1:
        raise InputError(f"{name} must be one-dimensional, got shape {objects.shape}")
    return np.fromiter(
        (_label(value, name, row) for row, value in enumerate(objects)), np.float64, objects.size
    )


def as_codes(names: ArrayLike, rows: int, name: str) -> IntArray:
    """Numbers from 0 for what each of the rows belongs to, in the order of the names. Shape (rows,).

    Raises:
        InputError: if there is not one name for each row, or they are of kinds that cannot be sorted.
    """
    try:
        found = np.asarray(names)
        codes = np.unique(found, return_inverse=True)[1]
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must all be text, or all be numbers: {error}") from error
    if found.shape != (rows,):
        raise InputError(f"{name} must name one for each of the {rows} rows, got shape {found.shape}")
    return codes.astype(np.int64)


def equal_lengths(**arrays: FloatArray) -> None:
    """Checks that all arrays have as many rows.

    Raises:
        InputError: if not; the text lists the lengths by name.
    """
    if len({array.size for array in arrays.values()}) > 1:
        lengths = ", ".join(f"{name} has {array.size}" for name, array in arrays.items())
        raise InputError(f"needs one value per row everywhere, but {lengths}")


def as_log_probs(values: ArrayLike, name: str = "log_probs") -> FloatArray:
    """Log-probabilities as a flat, non-empty float array with values at most 0; NaN and -inf pass.

    Raises:
        InputError: if they are not one-dimensional, empty, or above 0.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"{name} must be a non-empty one-dimensional array, got shape {array.shape}")
    if np.any(array > ROUNDING):
        position = int(np.argmax(array > ROUNDING))
        raise InputError(
            f"{name}[{position}] is {array[position]:g}: log-probabilities are at most 0;"
            " pass natural logarithms, not probabilities"
        )
    return np.minimum(array, 0.0)


def as_probabilities(values: ArrayLike, name: str) -> FloatArray:
    """Probabilities as a float array of any shape, in [0, 1]; NaN passes.

    Raises:
        InputError: if a value lies outside [0, 1].
    """
    array = np.asarray(values, dtype=np.float64)
    if np.any((array < -ROUNDING) | (array > 1 + ROUNDING)):
        raise InputError(
            f"{name} must lie in [0, 1], got a range of {np.nanmin(array)} to {np.nanmax(array)}"
        )
    return np.clip(array, 0.0, 1.0)


def select(values: FloatArray, tokens: Sequence[int] | IntArray | None) -> FloatArray:
    """The values at the given token positions, each position once; all of them if `tokens` is None.

    Raises:
        InputError: if no position is given, or one does not exist.
    """
    if tokens is None:
        return values
    positions = np.unique(np.asarray(tokens))
    if positions.size == 0:
        raise InputError("no token expresses the claim: leave out claims that were not found in the answer")
    if not np.issubdtype(positions.dtype, np.integer):
        raise InputError(f"token positions must be whole numbers, got {positions.dtype}")
    if positions[0] < 0 or positions[-1] >= values.size:
        raise InputError(
            f"token positions {positions[0]}..{positions[-1]} do not fit an answer of {values.size} tokens"
        )
    chosen: FloatArray = values[positions]
    return chosen


def log_sum_exp(values: FloatArray) -> FloatArray:
    """The logarithm of the sum of exponentials over the last axis; -inf for nothing, NaN if one is NaN."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.logaddexp.reduce(values, axis=-1, initial=-np.inf), dtype=np.float64)


def _label(value: object, name: str, row: int) -> float:
    if value is None or value != value:
        return float("nan")
    if value == 0 or value == 1:
        return float(value == 1)
    raise InputError(
        f"{name}[{row}] is {value!r}: write 1 or True, 0 or False, and NaN or None to leave a row out"
    )
