"""Near-duplicates against the definition, pair by pair."""

from hypothesis import given
from hypothesis import strategies as st

from franq_guard.retrieval.duplicates import find_duplicates
from franq_guard.retrieval.overlap import common_items

WORDS = st.lists(st.sampled_from("ab ac ad ae af".split()), max_size=12).map(" ".join)


@given(st.lists(st.frozensets(st.sampled_from("abcdefg")), max_size=12))
def test_common_items_are_counted_for_every_pair(sets):
    found = {(int(i), int(j)): int(n) for block in common_items(sets) for i, j, n in zip(*block, strict=True)}
    assert found == {
        (i, j): len(sets[i] & sets[j])
        for i in range(len(sets))
        for j in range(i + 1, len(sets))
        if sets[i] & sets[j]
    }


@given(st.lists(WORDS, max_size=10))
def test_a_duplicate_points_to_an_earlier_passage_that_stays(texts):
    found = find_duplicates(texts, above=0.5, limit=100)
    merged = found.equal | found.near
    assert not found.equal.keys() & found.near.keys()
    for index, original in found.near.items():
        assert original < index
        assert original not in merged
    for index, original in found.equal.items():
        assert texts[index].split() == texts[original].split()
        assert original not in found.equal


def test_more_passages_than_a_block_holds():
    texts = [f"passage about subject{n} and nothing else at all" for n in range(600)]
    found = find_duplicates([*texts, texts[300] + "."], above=0.9, limit=1000)
    assert found.near == {600: 300}
