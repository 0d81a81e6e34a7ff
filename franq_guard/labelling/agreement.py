"""How far two people agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import LABELS, LabelledClaim

ANSWERS = ("yes", "no", "cannot tell")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of two annotators on one question.

    Attributes:
        question: "true" or "faithful".
        n: claims both have labelled.
        raw: share on which they gave the same answer ("cannot tell" is an answer), in [0, 1].
        kappa: Cohen's kappa, in [-1, 1]; None if both gave one and the same answer throughout, where chance
            explains everything.
        differing: the rows on which they differ: the first annotator's and the second's.
    """

    question: str
    n: int
    raw: float
    kappa: float | None
    differing: tuple[tuple[LabelledClaim, LabelledClaim], ...]


def answer_of(row: LabelledClaim, question: str) -> str:
    """The label as it was asked for: "yes", "no" or "cannot tell"."""
    label = getattr(row, question)
    return ANSWERS[2] if label is None else ANSWERS[0] if label else ANSWERS[1]


def agreement(first: Sequence[LabelledClaim], second: Sequence[LabelledClaim]) -> tuple[Agreement, ...]:
    """Compares the claims that both annotators have labelled, on each of the two questions.

    Args:
        first: one annotator's rows, each id once.
        second: the other's.

    Raises:
        InputError: if no claim is in both.
    """
    others = {row.id: row for row in second}
    pairs = [(row, others[row.id]) for row in first if row.id in others]
    if not pairs:
        raise InputError(
            "the two annotators have no claim in common; agreement needs the same ids, as"
            " `franq-guard label` gives them to the same file"
        )
    return tuple(_compare(pairs, question) for question in LABELS)


def split_annotators(files: Mapping[str, Sequence[LabelledClaim]]) -> dict[str, list[LabelledClaim]]:
    """The rows of exactly two annotators, by name.

    Args:
        files: rows by the name of the file: one file a person, or one file with two annotators.

    Raises:
        InputError: if that makes another number of annotators than two.
    """
    if len(files) == 2:
        return {_name(name, rows, files): list(rows) for name, rows in files.items()}
    found: dict[str, list[LabelledClaim]] = {}
    for rows in files.values():
        for row in rows:
            found.setdefault(row.annotator, []).append(row)
    if len(files) != 1 or len(found) != 2:
        who = ", ".join(name or "(unnamed)" for name in found)
        raise InputError(
            f"agreement is between two people: give two files, or one with two annotators, not {len(files)}"
            f" with {who}"
        )
    return {name or "(unnamed)": rows for name, rows in found.items()}


def _name(file: str, rows: Sequence[LabelledClaim], files: Mapping[str, Sequence[LabelledClaim]]) -> str:
    annotators = {row.annotator for row in rows}
    if len(annotators) > 1:
        raise InputError(
            f"{file} has several annotators ({', '.join(sorted(annotators))}): give one file a person"
        )
    [annotator] = annotators
    everywhere = [row.annotator for other in files.values() for row in other[:1]]
    return annotator if annotator and everywhere.count(annotator) == 1 else file


def _compare(pairs: Sequence[tuple[LabelledClaim, LabelledClaim]], question: str) -> Agreement:
    given = [(answer_of(a, question), answer_of(b, question)) for a, b in pairs]
    return Agreement(
        question=question,
        n=len(pairs),
        raw=sum(a == b for a, b in given) / len(given),
        kappa=_kappa(given),
        differing=tuple(pair for pair, (a, b) in zip(pairs, given, strict=True) if a != b),
    )


def _kappa(given: Sequence[tuple[str, str]]) -> float | None:
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*given, strict=True)
    if len({*first, *second}) == 1:
        return None
    return float(cohen_kappa_score(first, second))
