"""Reports to plain data and back, without loss.

`from_dict(to_dict(report)) == report`, with one exception: values in `Passage.metadata` that JSON does not
know (dates, arrays, NaN, keys that are not strings) are written as their `str`, and tuples as lists.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from typing import Any, NoReturn, get_origin

from cattrs import BaseValidationError, Converter, transform_error
from cattrs.cols import homogenous_tuple_structure_factory, is_mapping, mapping_structure_factory
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from franq_guard.errors import InputError
from franq_guard.schema import GuardReport, Passage

StructureHook = Callable[[Any, Any], Any]

SCHEMA = 1
_MAX_DEPTH = 50


def to_dict(report: GuardReport) -> dict[str, Any]:
    """Dicts, lists, strings, numbers, booleans and None; the key "schema" names the version of the format.

    Raises:
        InputError: if a number of the report is NaN or infinite.
    """
    try:
        return {"schema": SCHEMA, **_CONVERTER.unstructure(report)}
    except TypeError as error:
        raise InputError(f"the report cannot be written: {error}; use None for unknown numbers") from error


def to_json(report: GuardReport, *, indent: int | None = None) -> str:
    """JSON in pure ASCII.

    Raises:
        InputError: if a number of the report is NaN or infinite.
    """
    return json.dumps(to_dict(report), indent=indent, ensure_ascii=True, allow_nan=False)


def from_dict(data: Mapping[str, Any]) -> GuardReport:
    """Reads what `to_dict` wrote.

    Raises:
        InputError: if a key is missing or unknown, a value has the wrong type, or the format is another
            version; the message names the field.
    """
    if not isinstance(data, Mapping):
        raise InputError(f"a report must be a mapping, got {type(data).__name__}")
    version = data.get("schema")
    if version != SCHEMA or isinstance(version, bool):
        raise InputError(
            f'"schema" is {version!r}; this release reads schema {SCHEMA}, as to_dict and to_json write it'
        )
    fields = {key: value for key, value in data.items() if key != "schema"}
    try:
        return _CONVERTER.structure(fields, GuardReport)
    except BaseValidationError as error:
        problems = transform_error(error, path="report", format_exception=_say)
        shown = "; ".join(problems[:5])
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        raise InputError(f"not a report: {shown}{more}") from error


def from_json(text: str) -> GuardReport:
    """Reads what `to_json` wrote.

    Raises:
        InputError: if `text` is not JSON, or not the JSON of a report.
    """
    if not isinstance(text, str | bytes | bytearray):
        raise InputError(f"a report must be given as JSON text, got {type(text).__name__}")
    try:
        data = json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}; pass what to_json wrote") from error
    return from_dict(data)


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not allowed")


def _plain(value: Any, depth: int = 0) -> Any:
    """Nearest JSON value of user data."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if depth < _MAX_DEPTH:
        if isinstance(value, Mapping):
            return {str(key): _plain(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [_plain(item, depth + 1) for item in value]
    return str(value)


def _say(error: BaseException, _type: type | None) -> str:
    if isinstance(error, KeyError):
        return f"the key {error} is missing"
    return str(error)


def _float(value: Any, _type: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(f"expected a finite number, got {value!r:.60}")
    return float(value)


def _int(value: Any, _type: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"expected an integer, got {value!r:.60}")
    return value


def _bool(value: Any, _type: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected true or false, got {value!r:.60}")
    return value


def _str(value: Any, _type: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a text, got {value!r:.60}")
    return value


def _enum(value: Any, kind: type[StrEnum]) -> StrEnum:
    members = [member.value for member in kind]
    if not isinstance(value, str) or value not in members:
        raise TypeError(f"expected one of {', '.join(members)}, got {value!r:.60}")
    return kind(value)


def _is_tuple(target: Any) -> bool:
    return get_origin(target) is tuple


def _strict(
    factory: Callable[[Any, Converter], StructureHook], name: str, *kinds: type
) -> Callable[[Any, Converter], StructureHook]:
    """Wraps a cattrs factory so that its hook refuses all but `kinds`; by itself it takes any iterable."""

    def make(target: Any, converter: Converter) -> StructureHook:
        hook = factory(target, converter)

        def structure(value: Any, target: Any) -> Any:
            if not isinstance(value, kinds):
                raise TypeError(f"expected a {name}, got {value!r:.60}")
            return hook(value, target)

        return structure

    return make


def _make_converter() -> Converter:
    converter = Converter(forbid_extra_keys=True, unstruct_collection_overrides={tuple: list})
    converter.register_structure_hook(float, _float)
    converter.register_structure_hook(int, _int)
    converter.register_structure_hook(bool, _bool)
    converter.register_structure_hook(str, _str)
    converter.register_structure_hook(StrEnum, _enum)
    for predicate, make in (
        (_is_tuple, _strict(homogenous_tuple_structure_factory, "list", list, tuple)),
        (is_mapping, _strict(mapping_structure_factory, "mapping", Mapping)),
        (is_dataclass, _strict(make_dict_structure_fn, "mapping", Mapping)),
    ):
        converter.register_structure_hook_factory(predicate, make)
    converter.register_unstructure_hook(float, lambda value: _float(value, float))
    converter.register_unstructure_hook(StrEnum, lambda value: value.value)
    converter.register_unstructure_hook(
        Passage,
        make_dict_unstructure_fn(Passage, converter, metadata=override(unstruct_hook=_plain)),
    )
    return converter


_CONVERTER = _make_converter()
