import pytest

from franq_guard.rewriting import grammar
from franq_guard.rewriting.grammar import Case


@pytest.mark.parametrize(
    "text",
    [
        "The tower is tall.",
        "Paris has parks",
        "It opened in 1889.",
        "1889 was good.",
        "Eiffel designed the tower.",
    ],
)
def test_clauses(text: str) -> None:
    assert grammar.is_clause(text)


@pytest.mark.parametrize(
    "text",
    ["", "Paris", "Paris.", "Two million people", "Built in 1889, designed by Eiffel", "has parks",
     "Use it if it is red.",     "Limited edition"],
)  # fmt: skip
def test_fragments_and_commands(text: str) -> None:
    assert not grammar.is_clause(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The tower", Case.LOWER),
        ("They are", Case.LOWER),
        ("A b", Case.LOWER),
        ("Water is", Case.LOWER),
        ("Paris is", Case.KEEP),
        ("I am", Case.KEEP),
        ("I’m here", Case.KEEP),
        ("NASA is", Case.KEEP),
        ("IT is", Case.KEEP),
        ("The Hague", Case.KEEP),
        ("iPhones are", Case.KEEP),
        ("12 men", Case.KEEP),
        ("“The", Case.KEEP),
        ("", Case.KEEP),
        ("May is", Case.UNSURE),
        ("Lyon is", Case.UNSURE),
        ("Lyon's port", Case.UNSURE),
        ("Paris's port", Case.KEEP),
        ("Owen Wright is", Case.KEEP),
        ("Iron is", Case.UNSURE),
    ],
)
def test_first_words_are_lowered_only_where_safe(text: str, expected: Case) -> None:
    vocabulary = grammar.Vocabulary.of(
        ["Lyon is not Paris. The water of Paris is like iron.", "We met the Iron Lady. Water is wet."]
    )
    assert vocabulary.first_word(text) is expected


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("**Height:** The tower", "The tower"),
        ("**Height**: The tower", "The tower"),
        ("__Height__: The tower", "The tower"),
        ("Total height: The tower", "The tower"),
        ("He said: The tower", "He said: The tower"),
        ("The tower", "The tower"),
        ("**The tower** is", "**The tower** is"),
    ],
)
def test_labels(text: str, rest: str) -> None:
    assert text[grammar.label_end(text) :] == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("However, it is", "it is"),
        ("In addition, it is", "it is"),
        ("And it is", "it is"),
        ("Android is", "Android is"),
        ("No one is", "No one is"),
        ("It is", "It is"),
    ],
)
def test_connectives(text: str, rest: str) -> None:
    assert text[grammar.connective_end(text) :] == rest


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("is old", "is "),
        ("was built", "was "),
        ("has been built", "has "),
        ("has sold it", "has "),
        ("have worked", "have "),
        ("isn't old", "isn't "),
        ("will be built", "will "),
        ("has parks", ""),
        ("built it", ""),
        ("island", ""),
    ],
)
def test_adverbs_go_behind_to_be(text: str, before: str) -> None:
    assert text[: grammar.adverb_place(text)] == before


@pytest.mark.parametrize("text", ["in the U.S", "Acme Inc", "at 5 p.m", "Smith Jr"])
def test_abbreviations(text: str) -> None:
    assert grammar.ends_with_abbreviation(text)


@pytest.mark.parametrize("text", ["in France", "zinc", "the end", "a", ""])
def test_no_abbreviations(text: str) -> None:
    assert not grammar.ends_with_abbreviation(text)


@pytest.mark.parametrize("text", ["so and", "the tower, which", "the tower,", "old; ", "(", "and\n"])
def test_joints(text: str) -> None:
    assert grammar.follows_joint(text)


@pytest.mark.parametrize("text", ["sofa", "Holland", "", "the tower"])
def test_no_joints(text: str) -> None:
    assert not grammar.follows_joint(text)


@pytest.mark.parametrize("text", ["If it is so", "Either it is so", "It is either so", "Although it is so"])
def test_open_clauses(text: str) -> None:
    assert grammar.needs_its_other_half(text)
    assert not grammar.needs_its_other_half("It is so")
