"""How many items sets have in common, for all pairs of many sets at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from franq_guard.models.base import IntArray

_ROWS = 256


def common_items(sets: Sequence[frozenset[str]]) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Counts the items that pairs of sets share, a block of rows at a time, so that memory stays bounded.

    Args:
        sets: N sets.

    Yields:
        (i, j, count) as three arrays of equal length, for pairs with i < j that share anything; every such
        pair once, in the order of i, then of j.
    """
    if not any(sets):
        return
    rows = _binary(sets)
    columns = rows.T.tocsc()
    for start in range(0, len(sets), _ROWS):
        block = (rows[start : start + _ROWS] @ columns).tocsr()
        block.sort_indices()
        block = block.tocoo()
        i = block.row.astype(np.int64) + start
        j = block.col.astype(np.int64)
        upper = i < j
        yield i[upper], j[upper], block.data[upper].astype(np.int64)


def _binary(sets: Sequence[frozenset[str]]) -> Any:
    """A sparse matrix of ones, shape (N, distinct items)."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(analyzer=lambda items: items, dtype=np.int64).fit_transform(sets)
