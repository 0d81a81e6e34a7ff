import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import ConfigError, InputError
from franq_guard.uncertainty.lexical_similarity import lexical_similarity

pytest.importorskip("rapidfuzz")
pytest.importorskip("snowballstemmer")


def test_mean_over_pairs():
    assert lexical_similarity(["paris france", "paris france", "paris"]) == pytest.approx(
        0.7777777778, abs=1e-9
    )


def test_stems_and_case_do_not_matter():
    assert lexical_similarity(["It was running.", "it was runs"]) == 1


def test_order_matters():
    assert lexical_similarity(["a b c", "c b a"]) == pytest.approx(1 / 3)


def test_other_scripts_have_words_too():
    assert lexical_similarity(["Москва столица", "Москва столица"], language="russian") == 1
    assert lexical_similarity(["Москва", "Париж"], language="russian") == 0


def test_texts_without_words():
    assert lexical_similarity(["", "..."]) == 1
    assert lexical_similarity(["", "paris"]) == 0


def test_bad_input():
    with pytest.raises(InputError, match="at least 2"):
        lexical_similarity(["paris"])
    with pytest.raises(InputError, match="klingon"):
        lexical_similarity(["a", "b"], language="klingon")


def test_missing_library_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(ConfigError, match="pip install"):
        lexical_similarity(["a", "b"])


@given(st.lists(st.text(max_size=20), min_size=2, max_size=4))
def test_range_and_symmetry(texts):
    value = lexical_similarity(texts)
    assert 0 <= value <= 1
    assert value == pytest.approx(lexical_similarity(texts[::-1]))
