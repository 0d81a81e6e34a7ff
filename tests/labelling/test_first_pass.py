from dataclasses import replace

import numpy as np
import pytest
from fakes import WordLM

from franq_guard.errors import InputError
from franq_guard.labelling.first_pass import (
    FirstPass,
    append_cache,
    cache_path,
    difficult_first,
    first_pass,
    load_cache,
)


class Opinionated(WordLM):
    """Likes the words it is told to like; remembers the prompts."""

    def __init__(self, **liked):
        super().__init__(id="opinionated", max_context=400)
        self.liked = liked

    def _log_probs(self, prompt, tokens):
        claim = prompt.split("Statement: ")[1].partition("\n")[0]
        return np.full(len(tokens.ids), 0.0 if tokens.text in self.liked.get(claim[:3], ()) else -2.0)


def mark(true, faithful=(1.0, 0.0, 0.0), model="small"):
    names = ("yes", "no", "cannot tell")
    return FirstPass(
        probabilities={
            "true": dict(zip(names, true, strict=True)),
            "faithful": dict(zip(names, faithful, strict=True)),
        },
        language_model=model,
    )


def test_answers_are_scored_as_continuations_and_normalised(rows):
    model = Opinionated(**{"It ": ("False", "Supported")})
    groups = []
    found = first_pass(model, rows, done=groups.append)
    share = 1 / (1 + 2 * np.exp(-2.0))
    assert found["0"].probabilities["true"] == pytest.approx(
        {"yes": (1 - share) / 2, "no": share, "cannot tell": (1 - share) / 2}
    )
    assert found["0"].probabilities["faithful"]["yes"] == pytest.approx(share)
    assert found["0"].best("true") == "no"
    assert found["0"].language_model == "opinionated"
    assert [sorted(group) for group in groups] == [["0", "1", "2"]]
    assert {tokens.text for _, tokens in model.requests} == {
        *("True", "False", "Unverifiable"),
        *("Supported", "Contradicted", "Unmentioned"),
    }


@pytest.mark.parametrize("word", ["Contradicted", "Unmentioned"])
def test_what_the_passages_do_not_say_is_not_faithful(rows, word):
    found = first_pass(Opinionated(**{"It ": (word,)}), rows[:1], done=lambda group: None)
    assert found["0"].best("faithful") == "no"
    assert sum(found["0"].probabilities["faithful"].values()) == pytest.approx(1)


def test_truth_is_judged_without_the_passages_and_long_passages_are_cut(rows):
    model = Opinionated()
    long = {"passages": ["filler " * 1000, "decisive words"], "evidence": [{"passage": 1}]}
    first_pass(model, [replace(rows[0], extra=long)], done=lambda group: None)
    prompts = [prompt.user for prompt, _ in model.requests]
    assert all("passage" not in prompt for prompt in prompts[:3])
    assert all("decisive words" in prompt for prompt in prompts[3:])
    assert all(len(prompt.split()) < 300 for prompt in prompts)
    assert all("It is tall." in prompt for prompt in prompts)


def test_sure_is_far_ahead(rows):
    opinion = mark((0.7, 0.2, 0.1), (0.5, 0.5, 0.0))
    assert opinion.sure(0.49) == {"true": "yes"}
    assert opinion.sure(0.51) == {}
    assert set(opinion.sure(0.0)) == {"true", "faithful"}


def test_difficult_claims_come_first(rows):
    rows = [replace(rows[0], id=id, extra={"p_true": p}) for id, p in zip("abcdef", [0.5] * 6, strict=True)]
    rows[2] = replace(rows[2], extra={"p_true": 0.9})
    marks = {
        "a": mark((1.0, 0.0, 0.0)),  # sure, true
        "b": mark((0.0, 1.0, 0.0)),  # sure, false
        "c": mark((0.4, 0.3, 0.3)),  # unsure, rather true
        "d": mark((0.3, 0.3, 0.4)),  # unsure, rather unverifiable
        "e": mark((0.4, 0.3, 0.3)),  # unsure, rather true, more uncertain than c
        "f": mark((1.0, 0.0, 0.0), (0.5, 0.5, 0.0)),  # sure on one question only
    }
    assert [row.id for row in difficult_first(rows, marks, 0.5)] == ["d", "e", "f", "c", "b", "a"]
    assert [row.id for row in difficult_first(rows, {}, 0.5)][-1] == "c"


def test_opinions_are_kept_for_the_next_session(tmp_path):
    path = cache_path(tmp_path / "labels.jsonl")
    assert path.name == "labels.first-pass.jsonl"
    assert load_cache(path, "small") == {}
    append_cache(path, {"1": mark((0.5, 0.25, 0.25))})
    append_cache(path, {"2": mark((1.0, 0.0, 0.0), model="large")})
    assert load_cache(path, "small") == {"1": mark((0.5, 0.25, 0.25))}
    path.write_text('{"id": "1"}\n')
    with pytest.raises(InputError, match=r"row 1: .*delete"):
        load_cache(path, "small")
    with pytest.raises(InputError, match="cannot write"):
        append_cache(tmp_path / "none" / "x.jsonl", {})
