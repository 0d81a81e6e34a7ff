import pytest

from franq_guard.rewriting.checks import flaws, is_balanced


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It is old.", "Possibly, it is old."),
        ("It is old.", "It is old [72% likely true]."),
        ("He lives in the U.S.", "He lives in the U.S. [not checked]"),
        ('He said: "It is old."', 'He said: "It is old." [not checked]'),
        ("it is old", "possibly, it is old"),
        ("A :) smile", "Possibly, a :) smile"),
        ("It  is old ..", "It  is old [x] .."),
        ("2 of 3 (67%)", "2 of 3 (67%) (uncertain)"),
    ],
)
def test_good_rewrites_have_no_flaws(before: str, after: str) -> None:
    assert flaws(before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "flaw"),
    [
        ("It is (so) old.", "It is (so old.", "unbalanced"),
        ("It is “so” old.", "It is “so old.", "unbalanced"),
        ('It is "so" old.', 'It is "so old.', "unbalanced"),
        ("It is **so** old.", "It is so** old.", "unbalanced"),
        ("It is `so` old.", "It is `so old.", "unbalanced"),
        ("It is old.", "it is old.", "small first letter"),
        ("It is old.", "It is old", "closing punctuation"),
        ("It is old!", "It is old.", "closing punctuation"),
        ("It is old.", "It is  old.", "doubled"),
        ("It is old.", "It is old ..", "closing punctuation"),
        ("It is old, yes.", "It is old,, yes.", "doubled"),
        ("It is old, yes.", "It is old , yes.", "doubled"),
        ("It is (so) old.", "It is () old.", "doubled"),
    ],
)
def test_flaws_are_found(before: str, after: str, flaw: str) -> None:
    assert any(flaw in found for found in flaws(before, after))


def test_what_was_wrong_before_is_no_flaw() -> None:
    assert flaws("it is (so  old,,", "it is [x] (so  old,,") == []


@pytest.mark.parametrize("text", ["", "a (b) [c] “d” «e»", '"a" `b` **c**', "(a [b])"])
def test_balanced(text: str) -> None:
    assert is_balanced(text)


@pytest.mark.parametrize("text", ["(", ")", ")(", "“", '"', "**a", "`", "a] [b"])
def test_unbalanced(text: str) -> None:
    assert not is_balanced(text)


def test_long_texts_are_checked_in_linear_time() -> None:
    for unit in ("(", "[", " ( a)", " ", "“", "_ ", ".,"):
        long = unit * 50_000
        assert flaws(long, long) == []
