"""Groups requests of similar length, so that little is computed on padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise


def batches(
    lengths: Sequence[int],
    *,
    budget: int,
    overhead: int = 0,
    extra: Sequence[int] | None = None,
    extra_budget: int = 0,
) -> Iterator[list[int]]:
    """Yields index groups, longest first, that cost least together.

    A group costs its padded size (longest x count), and `overhead` for being a group: requests share one if
    padding them costs less than another forward pass.

    Args:
        lengths: tokens of each request.
        budget: most padded tokens of a group; a single longer request goes alone.
        overhead: what a forward pass costs besides its tokens, in tokens, at least 0.
        extra: a second size of each request, padded and bounded in the same way by `extra_budget`.
        extra_budget: bound for `extra`.

    Yields:
        Lists of indices; every index once.
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    # The cheapest grouping of the first requests: its cost, its number of groups, where its last one starts.
    best: list[tuple[int, int, int]] = [(0, 0, 0)]
    for end in range(1, len(order) + 1):
        widest = 0
        found: tuple[int, int, int] | None = None
        for start in range(end - 1, -1, -1):
            count = end - start
            size = lengths[order[start]] * count
            too_wide = False
            if extra is not None:
                widest = max(widest, extra[order[start]])
                too_wide = widest * count > extra_budget
            if count > 1 and (size > budget or too_wide):
                break
            cost, groups, _ = best[start]
            candidate = (cost + size + overhead, groups + 1, start)
            if found is None or candidate < found:
                found = candidate
        assert found is not None  # noqa: S101  # a group of one is always allowed
        best.append(found)
    ends = [len(order)]
    while ends[-1] > 0:
        ends.append(best[ends[-1]][2])
    ends.reverse()
    for start, end in pairwise(ends):
        yield order[start:end]
