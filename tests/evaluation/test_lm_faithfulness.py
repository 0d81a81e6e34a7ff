import numpy as np
import pytest
from fakes import WordLM

from franq_guard.evaluation.lm_faithfulness import VERDICTS, claim_prompt, judge_claims, lm_faithfulness
from franq_guard.inputs import as_input
from franq_guard.models.base import TokenScores
from franq_guard.schema import Passage, Verdict

ANSWER = "The tower is 330 metres tall. It is made of cheese. Shall I go on?"


class JudgeLM(WordLM):
    """Finds claims with "330" supported, those with "cheese" contradicted, all others not mentioned."""

    def score(self, requests):
        self.requests.extend(requests)
        return [TokenScores(tokens, np.array([self._opinion(p.user, tokens.text)])) for p, tokens in requests]

    def _opinion(self, prompt, label):
        claim = prompt.split("Claim: ")[1].split("\n")[0]
        wanted = "SUPPORTED" if "330" in claim else "CONTRADICTED" if "cheese" in claim else "NOT_MENTIONED"
        return np.log(0.04 if label == wanted else 0.01)


def item(answer=ANSWER, passages=("The tower has 330 metres.",)):
    return as_input("How tall?", list(passages), answer)


def test_the_score_is_the_share_of_supported_claims():
    [found] = lm_faithfulness(JudgeLM(), [item()])
    assert found.verdicts == (Verdict.SUPPORTED, Verdict.CONTRADICTED)
    assert found.fraction_supported == 0.5
    assert found.probabilities == pytest.approx(np.array([[4, 1, 1], [1, 4, 1]]) / 6)
    assert found.mean_supported == pytest.approx(2.5 / 6)


def test_only_claims_are_judged_and_all_labels_are_scored():
    model = JudgeLM()
    lm_faithfulness(model, [item()])
    assert [tokens.text for _, tokens in model.requests] == ["SUPPORTED", "CONTRADICTED", "NOT_MENTIONED"] * 2
    assert len(VERDICTS) == 3 and not any("Shall I" in prompt.user for prompt, _ in model.requests)


def test_an_answer_without_claims_has_no_score():
    first, second = lm_faithfulness(JudgeLM(), [item("Hello!"), item()])
    assert first.fraction_supported is None and first.mean_supported is None and first.verdicts == ()
    assert second.fraction_supported == 0.5


def test_many_claims_keep_their_order():
    texts = ["It has 330 steps.", "It is cheese.", "It rains."] * 9
    told = []
    found = judge_claims(
        JudgeLM(), [(item(), text) for text in texts], progress=lambda done, total: told.append((done, total))
    )
    assert found.argmax(axis=1).tolist() == [0, 1, 2] * 9
    assert found.sum(axis=1) == pytest.approx(np.ones(27)) and told == [(16, 27), (27, 27)]


def test_nothing_to_judge():
    assert judge_claims(JudgeLM(), []).shape == (0, 3)


def test_passages_are_cut_to_the_prompt():
    model = JudgeLM()
    judge_claims(model, [(item(passages=["word " * 500]), "It has 330 steps.")], max_prompt_tokens=100)
    assert len(model.requests[0][0].user.split()) < 160


def test_prompt_names_passages_and_their_absence():
    assert "passage 1: Tower\nIt is tall." in claim_prompt([Passage("It is tall.", title="Tower")], "x").user
    assert "There are no passages." in claim_prompt([], "x").user
