import numpy as np
import pytest

from franq_guard.errors import InputError
from franq_guard.uncertainty import SIGNALS, get_signal


def test_every_signal_is_found_by_its_own_name():
    assert {signal.name for signal in SIGNALS.values()} == set(SIGNALS)
    assert all(get_signal(name) is signal for name, signal in SIGNALS.items())
    assert all(signal.forms <= {"long", "short"} and signal.forms for signal in SIGNALS.values())
    assert all(signal.needs for signal in SIGNALS.values())


def test_the_methods_four_and_the_baselines_are_there():
    assert set(SIGNALS) == {
        "ccp",
        "degree_matrix",
        "eccentricity",
        "lexical_similarity",
        "max_claim_probability",
        "max_nli",
        "max_token_entropy",
        "mean_token_entropy",
        "num_semantic_sets",
        "p_true",
        "parametric_knowledge",
        "perplexity",
        "semantic_entropy",
        "sentence_sar",
        "sum_eigenvalues",
        "token_sar",
    }


def test_unknown_name_lists_the_known():
    with pytest.raises(InputError, match="max_nli"):
        get_signal("vibes")


GOOD_AND_BAD = {
    "ccp": (([[-0.1, -5.0]], [[2, 0]]), ([[-1.0, -1.0]], [[2, 0]])),
    "degree_matrix": ((np.ones((2, 2)),), (np.eye(2),)),
    "eccentricity": ((np.ones((2, 2)),), (np.eye(2),)),
    "lexical_similarity": ((["a", "a"],), (["a", "b"],)),
    "max_claim_probability": (([-0.1],), ([-2.0],)),
    "max_nli": (([0.9], [0.1]), ([0.1], [0.9])),
    "max_token_entropy": (([0.1],), ([2.0],)),
    "mean_token_entropy": (([0.1],), ([2.0],)),
    "num_semantic_sets": ((np.ones((2, 2)), np.zeros((2, 2))), (np.zeros((2, 2)), np.ones((2, 2)))),
    "p_true": (([-0.1],), ([-2.0],)),
    "parametric_knowledge": (([-0.1],), ([-2.0],)),
    "perplexity": (([-0.1],), ([-2.0],)),
    "semantic_entropy": (([-0.1, -0.1], [0, 0]), ([-2.0, -2.0], [0, 1])),
    "sentence_sar": (([-0.1, -0.1], np.ones((2, 2))), ([-2.0, -2.0], np.eye(2))),
    "sum_eigenvalues": ((np.ones((2, 2)),), (np.eye(2),)),
    "token_sar": (([-0.1], [0.5]), ([-2.0], [0.5])),
}


@pytest.mark.parametrize("name", sorted(SIGNALS))
def test_direction(name):
    signal = get_signal(name)
    if name == "lexical_similarity":
        pytest.importorskip("rapidfuzz")
    good, bad = (signal.confidence(signal.function(*arguments)) for arguments in GOOD_AND_BAD[name])
    assert good > bad
    assert len(signal.needs) == (2 if name in {"ccp", "semantic_entropy", "sentence_sar", "token_sar"} else 1)


def test_uncalibrated_probabilities():
    assert get_signal("max_claim_probability").probability([np.log(0.125)]) == pytest.approx([0.125])
    assert get_signal("max_nli").probability([0.9]) == [0.9]
    assert get_signal("semantic_entropy").probability([-1.4067053584]) == pytest.approx(
        [0.2449489743], abs=1e-9
    )
    assert get_signal("sum_eigenvalues").probability([-1.9444444444], samples=3) == pytest.approx(
        [0.5277777778], abs=1e-9
    )
    assert np.isnan(get_signal("max_claim_probability").probability([np.nan])).all()
    assert get_signal("max_claim_probability").probability([-np.inf]) == [0]


def test_no_probability():
    with pytest.raises(InputError, match="sampled"):
        get_signal("sum_eigenvalues").probability([-1.0])
    with pytest.raises(InputError, match="calibrator"):
        get_signal("eccentricity").probability([-1.0])


def test_impossible_values_name_their_row():
    with pytest.raises(InputError, match=r"row 1 is 0\.9.*logarithms"):
        get_signal("max_claim_probability").check([-1.0, 0.9])
    with pytest.raises(InputError, match="row 0 is inf"):
        get_signal("semantic_entropy").check([np.inf])
