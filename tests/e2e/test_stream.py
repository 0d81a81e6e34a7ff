"""A real answer, checked while it is being written."""

import pytest

from franq_guard import Policy

QUESTION = "How tall is the Eiffel Tower, and when was it built?"
PASSAGES = [
    "The Eiffel Tower is a wrought-iron lattice tower in Paris. With its antennas it is 330 metres tall.",
    "Construction of the Eiffel Tower began in 1887, and it opened on 31 March 1889.",
]
ANSWER = (
    "The Eiffel Tower is 330 metres tall with its antennas. It opened in 1889. "
    "It was designed by Leonardo da Vinci. It is made of wood."
)


@pytest.fixture(scope="module")
def lenient(uncalibrated):
    return uncalibrated.with_policy(Policy(annotate_below=0.5, hedge_below=0.01, block_below=None))


@pytest.fixture(scope="module")
def streamed(lenient):
    pieces = [ANSWER[at : at + 5] for at in range(0, len(ANSWER), 5)]
    return list(lenient.stream(QUESTION, PASSAGES, pieces))


def test_scores_and_text_are_those_of_a_check_of_the_whole(lenient, streamed):
    report = streamed[-1].report
    whole = lenient.check(QUESTION, PASSAGES, ANSWER)
    assert "".join(piece.text for piece in streamed) == report.text == whole.text
    assert [claim.text for claim in report.claims] == [claim.text for claim in whole.claims]
    for name in ("p_true", "p_faithful", "p_true_if_faithful", "p_true_if_unfaithful"):
        assert [getattr(claim, name) for claim in report.claims] == pytest.approx(
            [getattr(claim, name) for claim in whole.claims], abs=1e-4
        )
    assert [claim.action for claim in report.claims] == [claim.action for claim in whole.claims]


def test_it_comes_sentence_by_sentence(streamed):
    assert len(streamed) == 4
    assert streamed[0].claims[0].text.startswith("The Eiffel Tower is 330 metres tall")
    assert all(piece.claims for piece in streamed)


def test_what_was_read_is_not_read_again(lm):
    from franq_guard.pipeline.prompts import question_prompt

    prompt = question_prompt("Is this a question that nobody asked before?")
    ids = lm.prompt_ids(prompt)
    tokens = lm.tokenize("It is. It is not. It may be.")
    half = type(tokens)(tokens.text, tokens.ids[:6], tokens.offsets[:6])
    lm.read_ahead([prompt])
    assert lm._prefixes.holds(ids)
    [first] = lm.score_growing([(prompt, half)])
    assert lm._prefixes.holds([*ids, *half.ids])
    [whole] = lm.score_growing([(prompt, tokens)])
    [plain] = lm.score([(prompt, tokens)])
    assert whole.log_probs == pytest.approx(plain.log_probs, abs=1e-4)
    assert whole.log_probs[:6] == pytest.approx(first.log_probs, abs=1e-6)
