"""Groups of similar length within a budget."""

from hypothesis import given
from hypothesis import strategies as st

from franq_guard.models.batching import batches

SIZES = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=40)


@given(sizes=SIZES, budget=st.integers(1, 120), extra_budget=st.integers(1, 120), with_extra=st.booleans())
def test_every_index_once_and_no_group_over_budget(sizes, budget, extra_budget, with_extra):
    lengths = [length for length, _ in sizes]
    extra = [size for _, size in sizes] if with_extra else None
    groups = list(batches(lengths, budget=budget, extra=extra, extra_budget=extra_budget))
    assert sorted(index for group in groups for index in group) == list(range(len(lengths)))
    for group in groups:
        assert group
        if len(group) > 1:
            assert max(lengths[index] for index in group) * len(group) <= budget
            if extra is not None:
                assert max(extra[index] for index in group) * len(group) <= extra_budget


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 120))
def test_longest_first(lengths, budget):
    order = [lengths[index] for group in batches(lengths, budget=budget) for index in group]
    assert order == sorted(order, reverse=True)


def test_groups_are_filled():
    assert list(batches([10] * 6, budget=30)) == [[0, 1, 2], [3, 4, 5]]
    assert list(batches([100, 1, 1], budget=30)) == [[0], [1, 2]]
    assert list(batches([], budget=30)) == []


def test_padding_is_paid_for_only_where_it_is_cheaper_than_another_pass():
    lengths = [800, 180, 170, 760]
    assert list(batches(lengths, budget=4000, overhead=0)) == [[0], [3], [1], [2]]
    assert list(batches(lengths, budget=4000, overhead=50)) == [[0, 3], [1, 2]]
    assert list(batches(lengths, budget=4000, overhead=5000)) == [[0, 3, 1, 2]]


def cost(groups, lengths, overhead):
    return sum(max(lengths[index] for index in group) * len(group) + overhead for group in groups)


def splits(order, budget, lengths):
    """All ways to cut a list into groups within the budget."""
    if not order:
        yield []
    for end in range(1, len(order) + 1):
        group = order[:end]
        if end == 1 or max(lengths[index] for index in group) * end <= budget:
            for rest in splits(order[end:], budget, lengths):
                yield [group, *rest]


@given(st.lists(st.integers(1, 30), max_size=8), st.integers(1, 90), st.integers(0, 40))
def test_no_other_grouping_is_cheaper(lengths, budget, overhead):
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    cheapest = min(cost(groups, lengths, overhead) for groups in splits(order, budget, lengths))
    found = list(batches(lengths, budget=budget, overhead=overhead))
    assert cost(found, lengths, overhead) == cheapest
