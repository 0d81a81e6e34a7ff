"""Groups requests of similar length, so that little is computed on padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def batches(
    lengths: Sequence[int],
    *,
    budget: int,
    extra: Sequence[int] | None = None,
    extra_budget: int = 0,
) -> Iterator[list[int]]:
    """Yields index groups, longest first, whose padded size stays within `budget`.

    Args:
        lengths: tokens of each request.
        budget: most padded tokens (longest x count) of a group; a single longer request goes alone.
        extra: a second size of each request, padded and bounded in the same way by `extra_budget`.
        extra_budget: bound for `extra`.

    Yields:
        Lists of indices; every index once.
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    group: list[int] = []
    widest = 0
    for index in order:
        size = extra[index] if extra is not None else 0
        count = len(group) + 1
        too_long = lengths[group[0]] * count > budget if group else False
        too_wide = extra is not None and max(widest, size) * count > extra_budget
        if group and (too_long or too_wide):
            yield group
            group, widest = [], 0
        group.append(index)
        widest = max(widest, size)
    if group:
        yield group
