"""Which sampled answers mean the same, by bidirectional entailment."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import BoolArray, IntArray, as_probabilities
from franq_guard.errors import InputError


class Relation(IntEnum):
    """What a premise says about a hypothesis."""

    CONTRADICTION = 0
    NEUTRAL = 1
    ENTAILMENT = 2


_COLUMNS = np.array([Relation.ENTAILMENT, Relation.NEUTRAL, Relation.CONTRADICTION], dtype=np.int64)


def relations(probabilities: ArrayLike) -> IntArray:
    """The likeliest relation of each pair.

    Args:
        probabilities: P(aligned), P(neutral), P(contradicted) as an alignment model gives them, shape (...,
            3); entry (i, j) has sample i as premise and sample j as hypothesis.

    Returns:
        Values of `Relation`, shape (...).

    Raises:
        InputError: if the last axis does not have three probabilities, or one is NaN.
    """
    values = as_probabilities(probabilities, "probabilities")
    if values.ndim == 0 or values.shape[-1] != 3 or np.isnan(values).any():
        raise InputError(f"needs three probabilities per pair, none of them NaN; got shape {values.shape}")
    likeliest: IntArray = _COLUMNS[values.argmax(axis=-1)]
    return likeliest


def first_member_classes(pairs: ArrayLike) -> IntArray:
    """Semantic classes, each sample compared with the first member of every class.

    Sample 0 opens class 0. Each next sample joins the first class whose first member it entails and is
    entailed by, else it opens a new one (Kuhn et al. 2023).

    Args:
        pairs: values of `Relation`, shape (n, n); entry (i, j) has sample i as premise.

    Returns:
        Class of each sample, shape (n,), numbered from 0 in order of first appearance.

    Raises:
        InputError: if `pairs` is not a square matrix of relations.
    """
    matrix = _as_relations(pairs)
    mutual = _strict(matrix)
    leaders: list[int] = []
    classes = np.empty(len(matrix), dtype=np.int64)
    for sample in range(len(matrix)):
        found = next(
            (number for number, leader in enumerate(leaders) if mutual[leader, sample]), len(leaders)
        )
        if found == len(leaders):
            leaders.append(sample)
        classes[sample] = found
    return classes


def leader_classes(pairs: ArrayLike, *, strict: bool = True) -> IntArray:
    """Semantic classes, each unclassified sample claiming every later equivalent one (Farquhar et al. 2024).

    A later leader takes over samples that an earlier one already claimed.

    Args:
        pairs: values of `Relation`, shape (n, n); entry (i, j) has sample i as premise.
        strict: equivalent means entailment in both directions. Otherwise: contradiction in neither
            direction, and not neutral in both.

    Returns:
        Class of each sample, shape (n,), numbered from 0 in order of first appearance.

    Raises:
        InputError: if `pairs` is not a square matrix of relations.
    """
    matrix = _as_relations(pairs)
    same = _strict(matrix) if strict else _lenient(matrix)
    classes = np.full(len(matrix), -1, dtype=np.int64)
    number = 0
    for leader in range(len(matrix)):
        if classes[leader] == -1:
            classes[leader] = number
            classes[leader + 1 :][same[leader, leader + 1 :]] = number
            number += 1
    return classes


def _as_relations(pairs: ArrayLike) -> IntArray:
    matrix = np.asarray(pairs)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise InputError(f"needs a square matrix of relations, got shape {matrix.shape}")
    if not np.isin(matrix, list(Relation)).all():
        raise InputError("relations are 0 (contradiction), 1 (neutral) or 2 (entailment)")
    return matrix.astype(np.int64)


def _strict(matrix: IntArray) -> BoolArray:
    entails = matrix == Relation.ENTAILMENT
    mutual: BoolArray = entails & entails.T
    return mutual


def _lenient(matrix: IntArray) -> BoolArray:
    contradicts = matrix == Relation.CONTRADICTION
    neutral = matrix == Relation.NEUTRAL
    equivalent: BoolArray = ~(contradicts | contradicts.T | (neutral & neutral.T))
    return equivalent
