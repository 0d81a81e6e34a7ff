"""The file format of calibrators: one small JSON object, checked in full when read."""

from __future__ import annotations

import json
import os
from pathlib import Path

from franq_guard.calibration.calibrator import Calibrator
from franq_guard.errors import CalibrationError

FORMAT = "franq-guard-calibrator"
VERSIONS = (1, 2)
"""Version 2 is version 1 with a promise or a reference in the card."""

_REMEDY = "restore the file from a copy, or fit the calibrator again with `franq-guard calibrate`"


def dumps(calibrator: Calibrator) -> str:
    """The calibrator as one line of ASCII JSON."""
    content = calibrator.content()
    version = 2 if {"promise", "reference"} & content["card"].keys() else 1
    head = {"format": FORMAT, "version": version, "id": calibrator.id}
    return json.dumps(head | content, allow_nan=False, separators=(",", ":"))


def loads(text: str, source: str = "calibrator") -> Calibrator:
    """Inverse of `dumps`.

    Args:
        text: JSON.
        source: what to call it in an error.

    Raises:
        CalibrationError: if the text is not JSON, of another format or version, incomplete, inconsistent or
            edited.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CalibrationError(f"{source} is not JSON, perhaps cut short ({error}): {_REMEDY}") from error
    if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
        raise CalibrationError(
            f'{source} is not a calibrator: its "format" is not {FORMAT!r}; choose another file'
        )
    version = data.pop("version", None)
    if type(version) is not int or version not in VERSIONS:
        raise CalibrationError(
            f"{source} has version {version!r}, and this franq_guard reads versions up to {VERSIONS[-1]}:"
            " upgrade franq-guard, or fit the calibrator again with `franq-guard calibrate`"
        )
    expected = data.pop("id", None)
    try:
        calibrator = TypeAdapter(Calibrator).validate_json(json.dumps(data))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "calibrator"
        raise CalibrationError(f"{source}, {place}: {first['msg']}. To mend it, {_REMEDY}") from error
    if calibrator.id != expected:
        raise CalibrationError(
            f"{source} was changed after the fit (its id is {expected!r}, its content gives"
            f" {calibrator.id!r}): {_REMEDY}"
        )
    return calibrator


def read(path: Path) -> Calibrator:
    """Reads a file.

    Raises:
        CalibrationError: if it cannot be read, and as `loads`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationError(
            f"cannot read the calibrator {path} ({error}): check the path, or {_REMEDY}"
        ) from error
    return loads(text, str(path))


def write(calibrator: Calibrator, path: Path) -> None:
    """Writes a file, whole or not at all.

    Raises:
        OSError: if the folder is missing or cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(dumps(calibrator) + "\n", encoding="utf-8")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
