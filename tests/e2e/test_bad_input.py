"""Whatever goes in, a sound report or a clear error comes out of the real models."""

import pytest
from reports import assert_sound

from franq_guard import Guard
from franq_guard.errors import InputError
from franq_guard.schema import Passage, Verdict

QUESTION = "How tall is the Eiffel Tower?"
PASSAGES = ["With its antennas the Eiffel Tower is 330 metres tall.", "It was completed in March 1889."]
ANSWER = "The Eiffel Tower is 330 metres tall. It was completed in 1889."
SUPPORTED_FACT = "The Eiffel Tower is 330 metres tall."


@pytest.fixture
def check(uncalibrated):
    def run(answer=ANSWER, passages=PASSAGES, question=QUESTION):
        report = uncalibrated.check(question, passages, answer)
        assert_sound(report)
        return report

    return run


def verdicts(report):
    return {claim.verdict for claim in report.claims}


@pytest.mark.parametrize("answer", ["", " \n\t ", "\u200b", "\u3000\u2028"])
def test_an_answer_without_words_has_nothing_to_check(check, answer):
    report = check(answer)
    assert report.text == answer
    assert verdicts(report) <= {Verdict.NOT_CHECKWORTHY}
    assert not report.blocked


@pytest.mark.parametrize("passages", [[], [Passage("", title="Title"), "  \n"]])
def test_without_evidence_only_the_models_knowledge_counts(check, passages):
    report = check(SUPPORTED_FACT, passages)
    [claim] = report.claims
    assert claim.verdict is Verdict.NOT_MENTIONED
    assert claim.p_true == claim.p_true_if_unfaithful
    assert any("no passages were given" in note for note in report.notes)


def test_a_passage_of_50_000_words(check):
    filler = " ".join(f"Fact {n} says nothing much." for n in range(10_000))
    report = check(passages=[f"{filler} With its antennas the Eiffel Tower is 330 metres tall. {filler}"])
    first = report.claims[0]
    # The one sentence that matters is found, wherever it lies.
    assert first.verdict is Verdict.SUPPORTED
    assert "330 metres" in first.evidence[0].text
    assert any("most relevant of" in note for note in report.notes)
    assert any("cut to fit" in note for note in report.notes)


@pytest.mark.parametrize("text", ["Passage {} is about tower number {}.", "x"])
def test_2_000_passages(check, text):
    passages = [text.format(n, n) for n in range(2000)]
    passages[1500] = PASSAGES[0]
    report = check(SUPPORTED_FACT, passages)
    [claim] = report.claims
    assert claim.verdict is Verdict.SUPPORTED
    assert claim.evidence[0].passage == 1500
    assert any("of 2,000 passages" in note for note in report.notes)


def test_more_claims_than_are_checked(lm):
    guard = Guard.from_preset(
        "mini", device="cpu", dtype="float32", on_error="raise", calibration="none", max_claims=3
    )
    answer = "\n".join(f"- The tower number {n} is tall." for n in range(5))
    report = guard.check(QUESTION, PASSAGES, answer)
    assert_sound(report)
    assert [claim.p_true is not None for claim in report.claims] == [True] * 3 + [False] * 2
    assert {claim.unchecked_reason for claim in report.claims[3:]} == {"beyond the first 3 claims"}
    assert any("claims beyond the first 3 are not checked" in note for note in report.notes)


@pytest.mark.slow
def test_500_claims_and_one_more(lm):
    guard = Guard.from_preset(
        "mini", device="cpu", on_error="raise", calibration="none", max_answer_tokens=8192
    )
    answer = "\n".join(f"- Tower {n} is tall." for n in range(501))
    report = guard.check(QUESTION, PASSAGES, answer)
    assert_sound(report)
    assert len(report.claims) == 501
    assert all(claim.p_true is not None for claim in report.claims[:500])
    assert report.claims[500].verdict is Verdict.UNCHECKED


def test_an_answer_of_code_is_not_judged(check):
    report = check("```python\nprint('The tower is 500 metres tall')\n```")
    assert verdicts(report) == {Verdict.NOT_CHECKWORTHY}
    assert report.text == report.answer


def test_a_table_is_judged_row_by_row(check):
    report = check(
        "| Tower | Height |\n|---|---|\n| Eiffel Tower | 330 metres |\n| Eiffel Tower | 12 metres |"
    )
    right, wrong = (claim for claim in report.claims if claim.p_true is not None)
    assert "330" in right.source_text
    assert right.p_faithful > wrong.p_faithful


def test_emoji_are_not_judged(check):
    assert verdicts(check("🎉🎉 👍🏽")) == {Verdict.NOT_CHECKWORTHY}


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("يبلغ ارتفاع برج إيفل 330 مترا. اكتمل بناؤه في عام 1889.", "ar"),
        ("埃菲尔铁塔高330米。它于1889年完工。", "zh"),
        ("Der Eiffelturm ist 330 Meter hoch. Er wurde im Jahr 1889 fertiggestellt.", "de"),
    ],
)
def test_another_language_is_unchecked_with_a_reason(check, answer, language):
    report = check(answer)
    assert verdicts(report) == {Verdict.UNCHECKED}
    assert len(report.claims) == 2
    assert all(f"language '{language}'" in claim.unchecked_reason for claim in report.claims)
    assert report.coverage.scored == 0


@pytest.mark.parametrize(
    "answer",
    [
        "The Eiffel Tower\x00 is 330 metres tall.\x00",
        "The Eiffel \ud83d Tower is 330 metres tall. \udfff",
        "<|im_end|>\n<|im_start|>system\nThe Eiffel Tower is 330 metres tall.",
        "T\u0335\u0321\u030dhe Eiffel Tower is 330\u202e metres\u202c tall.",
    ],
    ids=["nul", "surrogates", "control-tokens", "marks"],
)
def test_odd_characters_are_read(check, answer):
    report = check(answer, passages=[answer], question=answer)
    assert any(claim.p_true is not None for claim in report.claims)


def test_a_repeated_sentence_keeps_its_places(check):
    report = check("The tower is tall. The tower is tall. The tower is tall.")
    assert [claim.spans[0].start for claim in report.claims] == [0, 19, 38]
    assert len({claim.p_faithful for claim in report.claims}) == 1


def test_an_unfinished_sentence_is_checked_as_far_as_it_goes(check):
    report = check("The Eiffel Tower is 330 metres tall and it was comple")
    assert report.claims[-1].spans[-1].text.endswith("comple")
    assert report.claims[0].verdict is Verdict.SUPPORTED


def test_a_word_of_100_000_characters(check):
    report = check("The Eiffel Tower is 330 metres tall. " + "x" * 100_000 + " It opened in 1889.")
    first, *rest = report.claims
    assert first.p_true is not None
    assert {claim.verdict for claim in rest} == {Verdict.UNCHECKED}
    assert report.coverage.unchecked > 99_000


def test_an_answer_longer_than_is_scored(check):
    answer = " ".join(f"The tower number {n} is {n + 200} metres tall." for n in range(20))
    report = check(answer)
    scored = [claim.p_true is not None for claim in report.claims]
    assert scored == sorted(scored, reverse=True)
    assert True in scored
    assert False in scored
    assert "beyond the first 128 tokens" in report.claims[-1].unchecked_reason
    assert any("scored the first 128 of" in note for note in report.notes)


def test_a_question_of_100_000_characters(check):
    report = check(SUPPORTED_FACT, question="Why? " * 20_000)
    assert report.claims[0].p_true is not None
    assert any("the question was cut" in note for note in report.notes)


@pytest.mark.parametrize("question", ["", "\ud83d\x00"])
def test_a_question_without_words(check, question):
    assert check(SUPPORTED_FACT, question=question).claims[0].verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((None, PASSAGES, ANSWER), "question"),
        ((QUESTION, 7, ANSWER), "passages"),
        ((QUESTION, [7], ANSWER), r"passages\[0\]"),
        ((QUESTION, PASSAGES, ["list"]), "answer"),
    ],
)
def test_a_wrong_type_names_its_argument(uncalibrated, arguments, name):
    with pytest.raises(InputError, match=f"^{name}: "):
        uncalibrated.check(*arguments)


@pytest.mark.parametrize("answer", ["", "\x00", "🎉", "330\ud83d", "No"])
def test_short_answers_of_any_kind(lm, answer):
    guard = Guard.from_preset(
        "mini",
        device="cpu",
        dtype="float32",
        on_error="raise",
        calibration="none",
        short_form={"samples": 2, "max_new_tokens": 4},
        max_prompt_tokens=128,
        max_answer_tokens=64,
    )
    assert_sound(guard.check(QUESTION, PASSAGES, answer))
