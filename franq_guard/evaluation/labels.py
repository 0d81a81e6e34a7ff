"""Labelled claims: the JSON Lines format that people label in and calibrators are fitted from.

One claim a row, as a JSON object:

- `id`, `question_id`: texts or whole numbers; `id` names the claim, `question_id` the question it answers.
- `question`, `claim`, `sentence`: texts.
- `form`: "long" or "short".
- `true`, `faithful`: true, 1, "true" or "yes"; false, 0, "false" or "no"; null or "unverifiable" if nobody
  can tell.
- `annotator`: who labelled it.
- `alignment`: P(faithful) of the alignment model, in [0, 1].
- `signals`: numbers by the name of the signal, with the signal's own direction (`uncertainty.SIGNALS`).
- `language_model`, `alignment_model`: ids of the models that gave the numbers.
- `samples`: how many answers were sampled for the question; short form only.

Further columns are kept, and ignored. Rows are counted as an editor counts lines, from 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, NoReturn, cast

from franq_guard._arrays import ROUNDING
from franq_guard.errors import InputError
from franq_guard.uncertainty import SIGNALS

Form = Literal["long", "short"]

LABELS = ("true", "faithful")
"""The two questions that are asked about a claim."""

FOR_CALIBRATION = ("id", "question_id", "true", "alignment", "signals")
"""Columns that a calibrator needs."""

_YES = ("true", "yes", "1")
_NO = ("false", "no", "0")
_NEITHER = ("unverifiable", "null", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledClaim:
    """One row; see the module for the columns.

    Attributes:
        id: names the claim.
        question_id: names the question.
        question: what was asked.
        claim: the claim, as it was checked.
        sentence: the sentence of the answer that holds it.
        form: "long" or "short".
        true: whether it is true; None if not labelled, or if nobody can tell.
        faithful: whether the passages entail it; None likewise.
        annotator: who labelled it; "" if not recorded.
        alignment: P(faithful) of the alignment model, in [0, 1].
        signals: raw numbers by name, finite.
        language_model: id of the model that gave the signals.
        alignment_model: id of the model that gave `alignment`.
        samples: how many answers were sampled, in short form.
        extra: all other columns.
        place: where it was read, for error messages.
    """

    id: str
    question_id: str
    question: str = ""
    claim: str = ""
    sentence: str = ""
    form: Form = "long"
    true: bool | None = None
    faithful: bool | None = None
    annotator: str = ""
    alignment: float | None = None
    signals: Mapping[str, float] = field(default_factory=dict)
    language_model: str | None = None
    alignment_model: str | None = None
    samples: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    place: str = field(default="", compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The row as it is written; further columns come last."""
        own = {name: getattr(self, name) for name in _COLUMNS}
        return own | {"signals": dict(self.signals)} | dict(self.extra)


_COLUMNS = tuple(f.name for f in fields(LabelledClaim) if f.name not in ("extra", "place"))


def read_labels(
    paths: Iterable[str | Path], *, require: Collection[str] = FOR_CALIBRATION
) -> list[LabelledClaim]:
    """Reads files of labelled claims; a byte order mark, Windows line ends and blank lines are fine.

    Args:
        paths: JSON Lines files.
        require: columns that every row must have, even if with null.

    Raises:
        InputError: if a file cannot be read, is empty or not JSON Lines, a required column is missing, a
            value is of the wrong kind, or a claim comes twice from one annotator; the text names row and
            column.
    """
    rows: list[LabelledClaim] = []
    seen: dict[tuple[str, str], LabelledClaim] = {}
    for path in paths:
        for place, data in read_objects(path):
            row = parse_row(data, place, require=require)
            earlier = seen.setdefault((row.id, row.annotator), row)
            if earlier is not row:
                who = repr(row.annotator) if row.annotator else "the same, unnamed annotator"
                raise InputError(
                    f"{place}, column id: {row.id!r} by {who} is also in {earlier.place}; keep one of the two"
                )
            rows.append(row)
    return rows


def read_objects(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON objects of a file with one a line, each with its place, such as "labels.jsonl, row 3".

    Raises:
        InputError: if the file cannot be read, holds no object, or a line is no JSON object.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from error
    empty = True
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            empty = False
            place = f"{path}, row {number}"
            yield place, parse_object(line, place)
    if empty:
        raise InputError(f"{path} is empty; expected one JSON object a line")


def parse_object(line: str, place: str) -> dict[str, Any]:
    """One line of a file as a JSON object.

    Raises:
        InputError: if it is none.
    """
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON: {error}; write one JSON object a line") from error
    if not isinstance(data, dict):
        raise InputError(f"{place}: expected a JSON object, got {line.strip():.40}; write one object a line")
    return data


def parse_row(data: Mapping[str, Any], place: str, *, require: Collection[str] = ()) -> LabelledClaim:
    """A row from its columns.

    Args:
        data: the columns.
        place: what to call the row in an error.
        require: columns that must be there.

    Raises:
        InputError: if a column is missing or holds a value of the wrong kind.
    """
    missing = [name for name in require if name not in data]
    if missing:
        raise InputError(f"{place}: column {' and column '.join(missing)} missing; {_remedy(data, missing)}")
    form = data.get("form", "long")
    if form not in ("long", "short"):
        _refuse(place, "form", form, 'write "long" or "short"')
    return LabelledClaim(
        id=_name(data, "id", place),
        question_id=_name(data, "question_id", place),
        question=_text(data, "question", place),
        claim=_text(data, "claim", place),
        sentence=_text(data, "sentence", place),
        form=cast(Form, form),
        true=_label(data, "true", place),
        faithful=_label(data, "faithful", place),
        annotator=_text(data, "annotator", place),
        alignment=_alignment(data.get("alignment"), place),
        signals=_signals(data.get("signals"), place),
        language_model=_text(data, "language_model", place) or None,
        alignment_model=_text(data, "alignment_model", place) or None,
        samples=_samples(data.get("samples"), place),
        extra={name: _finite(value, name, place) for name, value in data.items() if name not in _COLUMNS},
        place=place,
    )


def _remedy(data: Mapping[str, Any], missing: Collection[str]) -> str:
    columns = ", ".join(map(str, data))
    if "schema" in data and "claims" in data:
        return "this is a report of `franq-guard check`: label it with `franq-guard label`"
    if {"alignment", "signals"} & set(missing) and ("answer" in data or "passages" in data):
        return (
            "the guard's numbers come from `franq-guard check FILE --format json --out reports.jsonl`;"
            " `franq-guard label reports.jsonl` then makes labelled rows"
        )
    return f"the columns are {columns}"


def _refuse(place: str, column: str, value: object, advice: str) -> NoReturn:
    raise InputError(f"{place}, column {column}: {value!r:.60} will not do; {advice}")


def _name(data: Mapping[str, Any], column: str, place: str) -> str:
    value = data.get(column)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        _refuse(place, column, value, "write a text that is not empty, or a whole number")
    return value


def _text(data: Mapping[str, Any], column: str, place: str) -> str:
    value = data.get(column)
    if value is None:
        return ""
    if not isinstance(value, str):
        _refuse(place, column, value, "write a text")
    return value


def _label(data: Mapping[str, Any], column: str, place: str) -> bool | None:
    value = data.get(column)
    if value is None or isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else value
    if word == 1 or word in _YES:
        return True
    if word == 0 or word in _NO:
        return False
    if word in _NEITHER:
        return None
    _refuse(place, column, value, 'write true, false, or null for "cannot tell"')


def _number(value: object, column: str, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(place, column, value, "write a number, or null if there is none")
    if not math.isfinite(value):
        _refuse(place, column, value, "only finite numbers can be used; write null if there is none")
    return float(value)


def _alignment(value: object, place: str) -> float | None:
    if value is None:
        return None
    number = _number(value, "alignment", place)
    if not 0 <= number <= 1:
        _refuse(place, "alignment", value, "P(faithful) lies in [0, 1]")
    return number


def _signals(value: object, place: str) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        _refuse(place, "signals", value, 'write an object such as {"max_claim_probability": -1.5}')
    found = {
        str(name): _number(number, f"signals.{name}", place)
        for name, number in value.items()
        if number is not None
    }
    for name, number in found.items():
        scale = SIGNALS[name].scale if name in SIGNALS else "unbounded"
        if scale == "log_probability" and number > ROUNDING:
            _refuse(place, f"signals.{name}", number, "a log-probability is at most 0")
        if scale == "probability" and not -ROUNDING <= number <= 1 + ROUNDING:
            _refuse(place, f"signals.{name}", number, "a probability lies in [0, 1]")
    return found


def _samples(value: object, place: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        _refuse(place, "samples", value, "write how many answers were sampled, at least 1")
    return value


def _finite(value: Any, column: str, place: str) -> Any:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        _refuse(place, column, value, "NaN and infinity are no JSON; write null")
    return value
