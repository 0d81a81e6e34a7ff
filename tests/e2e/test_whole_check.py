"""Answers through the real models: what must come out higher than what, and numbers that must agree."""

import pytest
from reports import assert_sound

from franq_guard import Guard, Policy
from franq_guard.inputs import as_input
from franq_guard.pipeline.handed_over import TokenLogProb
from franq_guard.pipeline.prompts import rag_prompt
from franq_guard.schema import Action, Verdict

QUESTION = "How tall is the Eiffel Tower, and when was it completed?"
PASSAGES = [
    "With its antennas the Eiffel Tower is 330 metres tall.",
    "The tower was completed in March 1889 and stands on the Champ de Mars in Paris.",
]
MIXED = (
    "Sure! The Eiffel Tower is 330 metres tall, and it was completed in March 1889. "
    "It was designed by Leonardo da Vinci. I hope this helps!"
)
OTHERS = ["The Eiffel Tower is 12 metres tall.", "It stands in Rome. It is made of iron.", "", "Thank you!"]


class CountingLM:
    """Passes everything on, and counts the answers that are scored."""

    def __init__(self, model):
        self.model = model
        self.scored = []

    def __getattr__(self, name):
        return getattr(self.model, name)

    @property
    def id(self):
        return self.model.id

    @property
    def max_context(self):
        return self.model.max_context

    def tokenize(self, text):
        return self.model.tokenize(text)

    def score(self, requests):
        self.scored.extend(prompt for prompt, _ in requests)
        return self.model.score(requests)

    def generate(self, prompts, **options):
        return self.model.generate(prompts, **options)

    def sample(self, prompt, **options):
        return self.model.sample(prompt, **options)


@pytest.fixture(scope="module")
def report(uncalibrated):
    return uncalibrated.check(QUESTION, PASSAGES, MIXED)


@pytest.fixture
def counting(lm):
    model = CountingLM(lm)
    guard = Guard.from_preset(
        "mini", language_model=model, device="cpu", calibration="none", form="long", on_error="raise"
    )
    return guard, model


def by_words(report, words):
    [claim] = [claim for claim in report.claims if words in claim.text]
    return claim


def signals(report):
    return [
        (c.signals.max_claim_log_prob, c.signals.parametric_log_prob, c.signals.alignment)
        for c in report.claims
    ]


def test_the_report_is_sound(report):
    assert_sound(report)


def test_what_the_passages_say_is_supported_and_invention_is_not(report):
    tall, completed, invented = (by_words(report, words) for words in ("330", "1889", "Leonardo"))
    assert tall.verdict is completed.verdict is Verdict.SUPPORTED
    assert invented.verdict is not Verdict.SUPPORTED
    assert min(tall.p_faithful, completed.p_faithful) > invented.p_faithful
    assert tall.evidence[0].passage == 0
    assert completed.evidence[0].passage == 1
    assert "1889" in completed.evidence[0].text


def test_small_talk_is_not_judged(report):
    small_talk = [claim for claim in report.claims if claim.verdict is Verdict.NOT_CHECKWORTHY]
    assert [claim.text for claim in small_talk] == ["Sure!", "I hope this helps!"]
    assert all(claim.action is Action.KEEP for claim in small_talk)


def test_passages_make_what_they_say_likelier(report):
    tall = by_words(report, "330")
    assert tall.signals.max_claim_log_prob > tall.signals.parametric_log_prob


def test_a_wrong_number_is_less_faithful(uncalibrated):
    right, wrong = uncalibrated.check_many(
        {"question": QUESTION, "passages": PASSAGES, "answer": f"The Eiffel Tower is {height} metres tall."}
        for height in (330, 12)
    )
    assert right.claims[0].p_faithful > wrong.claims[0].p_faithful


def test_the_report_names_its_models(report, lm):
    assert report.models["language_model"] == lm.id
    assert "align_mini" in report.models["alignment_model"]
    assert (report.form, report.calibration, report.error) == ("long", "none", None)


def test_actions_reach_the_text(uncalibrated):
    for policy, expected in [
        (Policy(annotate_below=1, hedge_below=None, block_below=None), Action.ANNOTATE),
        (Policy(annotate_below=1, hedge_below=1, block_below=None), Action.HEDGE),
        (Policy(annotate_below=1, hedge_below=1, block_below=1, min_kept=0), Action.BLOCK),
        (Policy(annotate_below=None, hedge_below=None, block_below=None), Action.KEEP),
    ]:
        guard = Guard(config=uncalibrated.config, policy=policy)
        report = guard.check(QUESTION, PASSAGES, f"Sure! {OTHERS[0]}")
        assert_sound(report)
        assert report.claims[1].action is expected
        assert (report.text == report.answer) is (expected is Action.KEEP)
        assert report.text.startswith("Sure!")


def test_together_or_one_by_one_gives_the_same(uncalibrated, report):
    items = [{"question": QUESTION, "passages": PASSAGES, "answer": answer} for answer in (MIXED, *OTHERS)]
    items[2]["passages"] = []
    uncalibrated.forget()
    together = uncalibrated.check_many(items)
    uncalibrated.forget()
    alone = [report, *(uncalibrated.check(**item) for item in items[1:])]
    for one, other in zip(together, alone, strict=True):
        assert_sound(one)
        assert [claim.text for claim in one.claims] == [claim.text for claim in other.claims]
        assert [claim.verdict for claim in one.claims] == [claim.verdict for claim in other.claims]
        for a, b in zip(one.claims, other.claims, strict=True):
            assert a.p_true == pytest.approx(b.p_true, abs=1e-4)
            assert a.p_faithful == pytest.approx(b.p_faithful, abs=1e-4)
            assert a.signals.max_claim_log_prob == pytest.approx(b.signals.max_claim_log_prob, abs=1e-3)


# Log-probabilities that come with the answer.


@pytest.fixture(scope="module")
def own(lm):
    """What a server that runs the same model would send: one entry a token, as bytes."""
    item = as_input(QUESTION, PASSAGES, MIXED)
    [scores] = lm.score([(rag_prompt(QUESTION, item.passages), lm.tokenize(MIXED))])
    texts = [MIXED[start:end] for start, end in scores.tokens.offsets]
    assert "".join(texts) == MIXED
    return [
        {"token": text, "logprob": float(log_prob), "bytes": list(text.encode()), "top_logprobs": []}
        for text, log_prob in zip(texts, scores.log_probs, strict=True)
    ]


def test_the_models_own_log_probs_give_the_same_report_in_one_pass(counting, own):
    guard, model = counting
    scored = guard.check(QUESTION, PASSAGES, MIXED)
    assert len(model.scored) == 2
    model.scored.clear()
    guard.forget()
    handed = guard.check(QUESTION, PASSAGES, MIXED, token_log_probs=own)
    assert ["passage 1" in prompt.user for prompt in model.scored] == [False]
    for a, b in zip(scored.claims, handed.claims, strict=True):
        assert a.verdict is b.verdict
        assert a.p_true == pytest.approx(b.p_true, abs=1e-6)
    assert any("came with the answer" in note for note in handed.notes)
    assert_sound(handed)


def test_log_probs_of_another_text_are_replaced_by_our_own(counting, own):
    guard, model = counting
    report = guard.check(QUESTION, PASSAGES, "It is 330 metres tall, and old.", token_log_probs=own)
    assert len(model.scored) == 2
    assert any("do not spell it; the answer was scored anew" in note for note in report.notes)
    assert report.claims[0].p_true is not None


def test_an_emoji_over_several_tokens_and_an_end_token(counting):
    guard, model = counting
    party = "🎉".encode()
    tokens = [
        {"token": " The", "logprob": -0.1},
        {"token": " tower is tall ", "logprob": -0.2},
        {"token": "\\xf0\\x9f", "logprob": -0.3, "bytes": list(party[:2])},
        {"token": "\\x8e\\x89", "logprob": -0.4, "bytes": list(party[2:])},
        {"token": ".", "logprob": -0.5, "bytes": [46]},
        {"token": "<|im_end|>", "logprob": -9.0, "bytes": None},
    ]
    report = guard.check(QUESTION, PASSAGES, "The tower is tall 🎉.", token_log_probs=tokens)
    assert_sound(report)
    [claim] = report.claims
    inside = [t["logprob"] for t in tokens[:-1] if t["token"] != "." or claim.source_text.endswith(".")]
    assert claim.signals.max_claim_log_prob == pytest.approx(sum(inside))
    assert len(model.scored) == 1


def test_pairs_and_token_objects_do_as_well(counting):
    guard, model = counting
    for entries in (
        [("The tower", -0.5), (" is tall.", -0.25)],
        [TokenLogProb(b"The tower", -0.5), TokenLogProb(b" is tall.", -0.25)],
    ):
        guard.forget()
        report = guard.check(QUESTION, PASSAGES, "The tower is tall.", token_log_probs=entries)
        assert report.claims[0].signals.max_claim_log_prob == pytest.approx(-0.75)
    assert len(model.scored) == 2
