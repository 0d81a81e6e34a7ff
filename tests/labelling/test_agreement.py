import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.labelling.agreement import agreement, answer_of, split_annotators

labels = st.sampled_from([True, False, None])


def rows(labels, annotator="ada", start=0):
    return [
        LabelledClaim(id=str(number), question_id="q", true=label, faithful=label, annotator=annotator)
        for number, label in enumerate(labels, start=start)
    ]


def test_raw_agreement_and_kappa():
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: p_o = .7, p_e = .5, kappa = .4.
    first = rows([True] * 25 + [False] * 25)
    second = rows([True] * 20 + [False] * 5 + [True] * 10 + [False] * 15, "ben")
    true, faithful = agreement(first, second)
    assert (true.question, faithful.question) == ("true", "faithful")
    assert (true.n, true.raw) == (50, 0.7)
    assert true.kappa == pytest.approx(0.4)
    assert len(true.differing) == 15
    assert true.differing[0][0].id == true.differing[0][1].id == "20"


def test_cannot_tell_is_an_answer():
    true, _ = agreement(rows([True, None, False, None]), rows([True, None, None, None], "ben"))
    assert true.raw == 0.75
    # p_e = 1/4 1/4 + 1/4 0 + 1/2 3/4 = 7/16; kappa = (12/16 - 7/16) / (9/16).
    assert true.kappa == pytest.approx(5 / 9)
    assert [answer_of(row, "true") for row in true.differing[0]] == ["no", "cannot tell"]


def test_only_claims_that_both_have_labelled_count():
    true, _ = agreement(rows([True, True, False]), rows([False, False, True], "ben", start=2))
    assert (true.n, true.raw) == (1, 1.0)
    with pytest.raises(InputError, match="no claim in common"):
        agreement(rows([True]), rows([True], "ben", start=5))


def test_one_answer_throughout_leaves_kappa_undefined():
    true, _ = agreement(rows([True, True]), rows([True, True], "ben"))
    assert true.raw == 1.0
    assert true.kappa is None


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=20))
def test_agreement_is_symmetric_and_in_range(pairs):
    first, second = (rows(list(column)) for column in zip(*pairs, strict=True))
    one, other = agreement(first, second)[0], agreement(second, first)[0]
    assert one.raw == other.raw
    assert one.kappa == pytest.approx(other.kappa) if one.kappa is not None else other.kappa is None
    assert one.kappa is None or -1 <= one.kappa <= 1
    assert len(one.differing) == round((1 - one.raw) * one.n)


def test_two_files_or_one_file_with_two_annotators():
    ada, ben = rows([True]), rows([False], "ben")
    assert split_annotators({"a": ada, "b": ben}) == {"ada": ada, "ben": ben}
    assert split_annotators({"both": [*ada, *ben]}) == {"ada": ada, "ben": ben}
    # The same name twice: then the files tell them apart.
    assert list(split_annotators({"a": ada, "b": rows([False])})) == ["a", "b"]
    assert list(split_annotators({"a": rows([True], ""), "b": ben})) == ["a", "ben"]


def test_other_numbers_of_annotators_are_refused():
    ada, ben = rows([True]), rows([False], "ben")
    for files in ({"a": ada}, {"a": ada, "b": ben, "c": ben}, {"a": [*ada, *ben, *rows([True], "eve")]}):
        with pytest.raises(InputError, match="between two people"):
            split_annotators(files)
    with pytest.raises(InputError, match=r"a has several annotators \(ada, ben\)"):
        split_annotators({"a": [*ada, *ben], "b": ben})
