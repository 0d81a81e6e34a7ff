import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.answers import holds_answer
from franq_guard.evaluation.corruption import Corruption, corrupt, other_passages, random_of, spread
from franq_guard.evaluation.datasets import Example, fill_up
from franq_guard.evaluation.false_facts import Replacements, falsify, find_names, kind_of
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.schema import Passage

CITIES = ["Paris", "Lyon", "Oslo", "Rome", "Bern", "Riga", "Kyiv", "Cork", "Turin", "Porto"]
PAINTERS = [
    "Ada Stone",
    *(f"{name} Wood" for name in ("Ben", "Cleo", "Dov", "Eva", "Finn", "Gus", "Hal", "Ida", "Jo")),
]


def example(number, passages=2):
    city, painter = CITIES[number], PAINTERS[number]
    texts = [
        f"In {1900 + number} the painter {painter} came to {city}. Everyone in {city} knew {painter}, "
        f"who sold {number + 12} pictures of Mount Elm.",
        f"Nothing of note happened in part {number}. In Rovia {number} men slept.",
    ]
    return Example(
        id=f"q{number}",
        question="Where did the painter go?",
        passages=tuple(Passage(text, title=f"{city} {at}") for at, text in enumerate(texts[:passages])),
        answers=(city,),
    )


EXAMPLES = [example(number) for number in range(10)]


@given(
    sizes=st.lists(st.integers(0, 7), min_size=1, max_size=30), share=st.floats(0, 1), seed=st.integers(0, 9)
)
def test_the_share_holds_for_all_and_nearly_for_each(sizes, share, seed):
    counts = spread(sizes, share, seed)
    assert abs(sum(counts) - share * sum(sizes)) <= 0.5 + 1e-6
    assert all(abs(count - share * size) < 1 for count, size in zip(counts, sizes, strict=True))
    assert all(0 <= count <= size for count, size in zip(counts, sizes, strict=True))


@pytest.mark.parametrize("kind", ["irrelevant", "factual"])
@pytest.mark.parametrize("share", [0, 0.25, 0.5, 1])
def test_as_many_passages_change_as_were_asked_for_and_the_record_says_which(kind, share):
    spoilt = corrupt(EXAMPLES, Corruption(kind=kind, share=share), seed=3)
    changed = [
        (number, at)
        for number, (old, new) in enumerate(zip(EXAMPLES, spoilt, strict=True))
        for at, (a, b) in enumerate(zip(old.passages, new.passages, strict=True))
        if a != b
    ]
    recorded = [(n, change["passage"]) for n, one in enumerate(spoilt) for change in one.changed]
    assert changed == recorded and len(changed) == share * 20
    assert [one.question for one in spoilt] == [one.question for one in EXAMPLES]


@pytest.mark.parametrize("kind", ["irrelevant", "factual"])
def test_changed_passages_do_not_say_the_answer(kind):
    for one in corrupt(EXAMPLES, Corruption(kind=kind, share=1), seed=0):
        assert not any(holds_answer(passage.text, one.answers) for passage in one.passages)


@pytest.mark.parametrize("kind", ["irrelevant", "factual"])
def test_the_same_seed_gives_the_same_and_another_seed_something_else(kind):
    first, again, other = (
        corrupt(EXAMPLES, Corruption(kind=kind, share=0.5), seed=seed) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_irrelevant_passages_come_from_other_questions():
    spoilt = corrupt(EXAMPLES, Corruption(kind="irrelevant", share=0.5), seed=0)
    everything = {passage.text: one.id for one in EXAMPLES for passage in one.passages}
    for one in spoilt:
        for change in one.changed:
            assert everything[one.passages[change["passage"]].text] != one.id


def test_labels_of_faithfulness_are_dropped_where_passages_changed():
    claim = LabelledClaim(id="c", question_id="q0", claim="x", true=True, faithful=True)
    labelled = [Example(**{f: getattr(one, f) for f in ("id", "question", "passages", "answers")},
                        claims=(claim,)) for one in EXAMPLES]  # fmt: skip
    half = corrupt(labelled, Corruption(kind="irrelevant", share=0.25), seed=0)
    for one in half:
        assert one.claims[0].true is True
        assert one.claims[0].faithful is (None if one.changed else True)


def test_false_facts_are_consistent_and_keep_what_the_question_names():
    old = EXAMPLES[0].passages[0]
    new, swaps = falsify(old, EXAMPLES[0], Replacements.of(EXAMPLES), random_of(0))
    names = dict(swaps)
    assert {"Paris", "Ada Stone", "Mount Elm", "1900", "12"} <= names.keys()
    assert new.text.count(names["Ada Stone"]) == 2 and new.text.count(names["Paris"]) == 2
    assert "Ada Stone" not in new.text and "1900" not in new.text and "painter" in new.text
    assert new.title == old.title


def test_an_answer_that_swaps_put_together_again_is_cut():
    passage = Passage("New Orleans, one")
    spoilt, _ = falsify(
        passage,
        Example(id="a", question="?", passages=(passage,), answers=("one", "another", "New")),
        Replacements({}, {}),
        random_of(0),
    )
    assert not holds_answer(spoilt.text, ("one", "another", "New"))


@settings(deadline=None)
@given(
    text=st.lists(st.sampled_from(["one", "another", "the", "B", "Ada", "12", ",", "1"]), max_size=12),
    answers=st.lists(st.sampled_from(["one", "another one", "B one", "12", "Ada the B", "1"]), max_size=3),
)
def test_no_accepted_answer_is_ever_left(text, answers):
    one = Example(id="a", question="Who?", passages=(Passage(" ".join(text)),), answers=tuple(answers))
    spoilt, _ = falsify(one.passages[0], one, Replacements.of([one, *EXAMPLES]), random_of(0))
    assert not holds_answer(spoilt.text, answers)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The Eiffel Tower is in Paris.", ["Eiffel Tower", "Paris"]),
        ("Iron rusts. It did.", []),
        ("Since the Rhine froze, Rhine boats stood.", ["Rhine", "Rhine"]),
        ("He met Kofi Annan of Ghana", ["Kofi Annan of Ghana"]),
        ("", []),
    ],
)
def test_names(text, names):
    assert [text[a:b] for a, b in find_names(text)] == names


@pytest.mark.parametrize(
    ("text", "kind"),
    [("1987", "year"), ("12", "number"), ("3rd Army", "number"), ("Ada", "name"), ("red", "word")],
)
def test_kinds(text, kind):
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    "text", ["irrelevant", "irrelevant:2", "factual:x", "noise:0.5", "factual:-1", "", "factual:nan"]
)
def test_what_is_no_corruption(text):
    with pytest.raises(ConfigError, match="irrelevant:SHARE or factual:SHARE"):
        Corruption.parse(text)


def test_corruption_is_read_and_written():
    assert str(Corruption.parse("factual:0.5")) == "factual:0.5"


def test_a_single_question_has_no_others():
    with pytest.raises(InputError, match="larger data set"):
        corrupt(EXAMPLES[:1], Corruption(kind="irrelevant", share=1), seed=0)


def test_filling_up_adds_unrelated_passages_without_the_answer():
    filled = fill_up([example(number, passages=1) for number in range(10)], 3, seed=0)
    for old, new in zip(EXAMPLES, filled, strict=True):
        assert len(new.passages) == 3 and old.passages[0] in new.passages
        assert sum(holds_answer(passage.text, new.answers) for passage in new.passages) == 1
    assert fill_up(EXAMPLES, 1, seed=0) == EXAMPLES


def test_other_passages_share_no_title():
    twin = Example(id="twin", question="?", passages=(Passage("Same page", title="Paris 0"),))
    found = other_passages(twin, EXAMPLES, 9, random_of(0))
    assert len({passage.text for passage in found}) == 9
    assert all(passage.title != "Paris 0" for passage in found)
