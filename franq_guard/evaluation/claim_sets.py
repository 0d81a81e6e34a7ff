"""What is done with labelled claims before anything is computed: checked, merged, split by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from franq_guard._arrays import BoolArray
from franq_guard.errors import InputError
from franq_guard.evaluation.labels import LabelledClaim


def require_one_setup(rows: Sequence[LabelledClaim]) -> None:
    """Checks that all rows have one form, one pair of models and one number of samples.

    Raises:
        InputError: if not; the text names two rows that differ.
    """
    for name in ("form", "language_model", "alignment_model", "samples"):
        for row in rows:
            if getattr(row, name) != getattr(rows[0], name):
                raise InputError(
                    f"{row.place}, column {name}: {getattr(row, name)!r}, but {getattr(rows[0], name)!r} in"
                    f" {rows[0].place}; their numbers have different scales: calibrate each by itself"
                )


def merge_annotators(rows: Sequence[LabelledClaim]) -> tuple[list[LabelledClaim], int]:
    """One row a claim, and how many claims were dropped because annotators differ on `true`.

    Who could not tell does not outvote who could. Where annotators differ on `faithful` alone, it becomes
    None.

    Raises:
        InputError: if rows of one claim have different numbers or questions.
    """
    groups: dict[str, list[LabelledClaim]] = {}
    for row in rows:
        first = groups.setdefault(row.id, [row])[0]
        if first is row:
            continue
        for name in ("question_id", "alignment", "signals"):
            if getattr(row, name) != getattr(first, name):
                raise InputError(
                    f"{row.place}, column {name}: differs from {first.place}, which has the id {row.id!r} too"
                )
        groups[row.id].append(row)
    merged, disputed = [], 0
    for group in groups.values():
        true = {row.true for row in group} - {None}
        faithful = {row.faithful for row in group} - {None}
        if len(true) > 1:
            disputed += 1
            continue
        merged.append(
            replace(
                group[0],
                true=next(iter(true), None),
                faithful=next(iter(faithful)) if len(faithful) == 1 else None,
            )
        )
    return merged, disputed


def hold_out(questions: Sequence[str], share: float, seed: int) -> BoolArray:
    """Marks the claims of randomly chosen questions.

    Args:
        questions: id of each claim's question, length N.
        share: of the questions, in [0, 1); rounded, but never none or all of them unless it is 0 or there is
            only one question.
        seed: of the choice; the order of the claims does not matter.

    Returns:
        Shape (N,), True for held-out claims.
    """
    distinct = sorted(set(questions))
    wanted = min(max(round(share * len(distinct)), 1), len(distinct) - 1) if share > 0 else 0
    order = np.random.default_rng(seed).permutation(len(distinct))
    chosen = {distinct[index] for index in order[:wanted]}
    return np.fromiter((question in chosen for question in questions), np.bool_, len(questions))
