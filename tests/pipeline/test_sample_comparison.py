"""Pairs of samples: each judged once, whatever group it is in; and what is read off them."""

import numpy as np
import pytest
from fakes import WordAligner
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import CheckTimeoutError
from franq_guard.models.base import Generation, Tokens, TokenScores
from franq_guard.pipeline.forms import ShortForm
from franq_guard.pipeline.sample_comparison import agreement, compare_samples


def sample(text, *log_probs, end=None):
    tokens = Tokens(text, tuple(range(len(log_probs))), np.zeros((len(log_probs), 2), dtype=np.int64))
    return Generation(text, TokenScores(tokens, np.asarray(log_probs)), end)


def matrix(classes):
    """Probabilities of pairs whose classes are 2 entailment, 1 neutral, 0 contradiction."""
    return np.eye(3)[2 - np.asarray(classes)]


def test_each_pair_of_texts_is_judged_once():
    model = WordAligner()
    compare_samples(model, [["Paris", "Paris", " Paris\n", "Lyon"], ["Lyon", "Paris"], ["Rome", "Rome"], []])
    assert sorted(model.pairs) == [("Lyon", "Paris"), ("Paris", "Lyon")]


def test_entry_i_j_has_i_as_premise():
    [found] = compare_samples(WordAligner(), [["in Paris", "Paris"]])
    assert found[..., 0] == pytest.approx(np.array([[1, 1], [0.5, 1]]))


def test_a_text_entails_itself_whatever_the_model_says():
    class Denier(WordAligner):
        def score(self, pairs):
            return np.tile([0.0, 0.0, 1.0], (len(pairs), 1))

    [found] = compare_samples(Denier(), [["Paris", "Paris", "Lyon"]])
    assert found[..., 0].tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_groups_do_not_touch_each_other():
    groups = [["in Paris", "Paris"], ["Paris", "Paris is old", "old"], ["x"], []]
    together = compare_samples(WordAligner(), groups)
    for group, found in zip(groups, together, strict=True):
        assert found.shape == (len(group), len(group), 3)
        assert np.array_equal(found, compare_samples(WordAligner(), [group])[0])


def test_long_samples_are_cut_to_what_a_model_has_room_for():
    model = WordAligner()
    compare_samples(model, [["word " * 5000, "x" * 20_000]])
    assert max(len(text) for pair in model.pairs for text in pair) < 1500


def test_the_deadline_is_asked_and_progress_told():
    def passed():
        raise CheckTimeoutError("late")

    with pytest.raises(CheckTimeoutError):
        compare_samples(WordAligner(), [["a", "b"]], deadline=passed)
    seen = []
    compare_samples(WordAligner(), [[str(i) for i in range(20)]], progress=lambda *args: seen.append(args))
    assert seen == [(256, 380), (380, 380)]


# WE-11 and WE-12 of the method's worked examples, put together.
SAMPLES = [
    sample("a", np.log(0.4)),
    sample("b", np.log(0.2)),
    sample("c", np.log(0.1)),
    sample("d", np.log(0.1)),
]
PAIRS = matrix([[2, 2, 1, 0], [2, 2, 1, 1], [2, 1, 2, 1], [0, 1, 1, 2]])


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [("mean", 1.4067053584), ("kuhn", 1.7053319366), ("rao", 0.7356219398), ("discrete", 1.0397207708)],
)
def test_estimators(estimator, expected):
    found = agreement(SAMPLES, PAIRS, ShortForm(estimator=estimator))
    assert found.classes.tolist() == [0, 0, 1, 2]
    assert found.semantic_entropy == pytest.approx(expected, abs=1e-9)


def test_clustering_rules():
    takeover = matrix([[2, 1, 2], [1, 2, 2], [2, 2, 2]])
    for rule, expected in (("first_member", [0, 1, 0]), ("leader", [0, 1, 1])):
        assert agreement(SAMPLES[:3], takeover, ShortForm(clustering=rule)).classes.tolist() == expected
    lenient = agreement(SAMPLES, PAIRS, ShortForm(clustering="leader_lenient"))
    assert lenient.classes.tolist() == [0, 0, 0, 1]


def test_graphs():
    samples = [sample("in Paris", -1.0), sample("paris", -1.0), sample("Lyon", -1.0)]
    pairs = np.full((3, 3, 3), 1 / 3)
    pairs[0, 1] = pairs[1, 0] = [0.0, 1.0, 0.0]
    values = {
        graph: agreement(samples, pairs, ShortForm(graph=graph)).sum_eigenvalues
        for graph in ("entailment", "contradiction", "jaccard")
    }
    assert values["jaccard"] == pytest.approx(2 + 1 / 3)
    assert 1 <= values["contradiction"] < values["entailment"] <= 3


def test_the_end_token_counts_except_where_the_mean_over_tokens_is_taken():
    one = [sample("a", -1.0, -3.0, end=-0.5)]
    same = matrix([[2]])
    assert agreement(one, same, ShortForm()).semantic_entropy == pytest.approx(4.5)
    two = [*one, sample("b", -1.0)]
    rao = agreement(two, matrix([[2, 1], [1, 2]]), ShortForm(estimator="rao")).semantic_entropy
    p = 1 / (1 + np.exp(1.0))
    assert rao == pytest.approx(-p * np.log(p) - (1 - p) * np.log(1 - p))


@given(st.lists(st.sampled_from(["Paris", "in Paris", "Lyon", "old"]), min_size=1, max_size=6))
def test_the_order_of_samples_changes_no_signal(texts):
    def signals(texts):
        samples = [sample(text, -float(len(text))) for text in texts]
        found = agreement(samples, compare_samples(WordAligner(), [texts])[0], ShortForm())
        return found.semantic_entropy, found.sum_eigenvalues

    assert signals(texts) == pytest.approx(signals(sorted(texts)))
    assert 1 <= signals(texts)[1] <= len(texts)
