from __future__ import annotations

import json
import math
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.alignment import LexicalCombiner
from franq_guard.alignment.lexical_index import FEATURES
from franq_guard.errors import ConfigError

share = st.floats(0, 1)


def one(*values: float) -> np.ndarray:
    return np.array([values], dtype=np.float64)


def test_formula() -> None:
    combiner = LexicalCombiner("m", bias=-1.0, weights=(2.0, 0.5, 0.25, -3.0))
    logit = -1 + 2 * math.log(0.8 / 0.2) + 0.5 * 0.5 + 0.25 * 1 - 3 * 0.25
    found = combiner.combine(one(0.8, 0.1, 0.1), one(0.5, 1, 0.25))
    assert found == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-12)


@given(share, share, share, st.sampled_from([0.0, 1.0]))
def test_always_a_probability(aligned: float, words: float, numbers: float, all_words: float) -> None:
    rows = one(aligned, 1 - aligned, 0)
    (found,) = LexicalCombiner.embedded().combine(rows, one(words, all_words, numbers))
    assert 0 < found < 1


@given(share, share, st.floats(0, 0.2))
def test_more_of_what_speaks_for_a_claim_never_hurts(aligned: float, words: float, more: float) -> None:
    combiner = LexicalCombiner.embedded()

    def combined(aligned: float, words: float, numbers: float) -> float:
        return float(combiner.combine(one(aligned, 0, 1 - aligned), one(words, words == 1, numbers))[0])

    before = combined(aligned, words, 0.5)
    assert combined(min(aligned + more, 1), words, 0.5) >= before
    assert combined(aligned, min(words + more, 1), 0.5) >= before
    assert combined(aligned, words, 0.5 + more) <= before


def test_embedded_weights_come_with_their_origin() -> None:
    data = json.loads(files("franq_guard.alignment").joinpath("lexical_combiner.json").read_text("utf-8"))
    assert data["model"] == LexicalCombiner.embedded().model_id == "align_mini"
    assert list(data["weights"]) == ["aligned_logit", *FEATURES]
    held_out = data["card"]["leave_one_source_out"]
    assert held_out["auc_combined"] > max(held_out["auc_model_alone"], held_out["auc_words_alone"])


def test_wrong_number_of_weights_is_refused() -> None:
    with pytest.raises(ConfigError, match="4 weights"):
        LexicalCombiner("m", 0.0, (1.0, 2.0)).combine(one(1, 0, 0), one(1, 1, 0))
