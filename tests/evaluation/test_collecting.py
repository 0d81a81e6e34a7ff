"""From data sets to rows, with models whose numbers follow from the words."""

import json
from dataclasses import replace

import pytest
from fakes import WordLM

from franq_guard.errors import InputError
from franq_guard.evaluation.baselines import BASELINES
from franq_guard.evaluation.collecting import Collector
from franq_guard.evaluation.datasets import Example
from franq_guard.evaluation.labels import LabelledClaim, read_labels
from franq_guard.evaluation.signal_file import SignalFile
from franq_guard.evaluation.similarity import AlignmentSimilarity
from franq_guard.schema import Passage
from tests.evaluation.lookers import LookedAtLM, make_pipeline


class AnsweringLM(LookedAtLM):
    """Answers each question with its last word."""

    def generate(self, prompts, *, max_new_tokens=256):
        self.asked = [*getattr(self, "asked", []), *prompts]
        words = [prompt.user.split("Question: ")[1].split("?")[0].split()[-1] for prompt in prompts]
        return [
            self._written(prompt, word.replace("silence", ""))
            for prompt, word in zip(prompts, words, strict=True)
        ]


QUESTIONS = [
    Example(
        id=f"q{n}",
        question=f"What {n} is it: {word}?",
        passages=(Passage(f"It is {word}."),),
        answers=(right,),
    )
    for n, (word, right) in enumerate(
        [("Paris", "paris"), ("Lyon", "Rome"), ("silence", "x")] + [("Oslo", "Oslo")] * 9
    )
]
ANSWER = "The tower is 330 metres tall. It was painted red in 1968."


def labelled(*claims, form="long"):
    rows = tuple(
        LabelledClaim(id=f"c{n}", question_id="q", claim=text, form=form, true=True, extra=extra)
        for n, (text, extra) in enumerate(claims)
    )
    passages = (Passage("The tower is 330 metres tall."),)
    return Example(id="q", question="How?", passages=passages, answer=ANSWER, claims=rows, form=form)


def collector(**settings):
    pipeline = make_pipeline(AnsweringLM(), **settings)
    return Collector(
        pipeline=pipeline,
        similarity=AlignmentSimilarity(pipeline.aligner.model),
        baselines=tuple(BASELINES),
    )


def collect(tmp_path, examples, *, by=None, settings=None, **options):
    by = by or collector()
    return by.collect(examples, SignalFile(tmp_path, settings or {"seed": 0}), **options)


def test_answers_are_generated_and_judged(tmp_path):
    right, wrong, silent, *_ = collect(tmp_path, QUESTIONS)
    assert (right.claim, right.true, right.extra["accepted"]) == ("Paris", True, ["paris"])
    assert (wrong.claim, wrong.true) == ("Lyon", False)
    assert silent.true is None and silent.signals == {} and silent.extra["attempted"] is False
    assert right.form == "short" and right.samples == 4 and right.faithful is None
    assert right.language_model == "words" and right.alignment is not None
    assert set(right.signals) == {n for n, b in BASELINES.items() if "short" in b.forms} - {"alignment"}
    assert (
        right.extra["passages"] == [{"title": "", "text": "It is Paris."}] and len(right.extra["drawn"]) == 4
    )


def test_what_is_written_is_what_is_returned_and_calibrators_read_it(tmp_path):
    rows = collect(tmp_path, QUESTIONS)
    assert read_labels([tmp_path / "signals.jsonl"]) == rows


def test_a_stopped_run_goes_on_and_ends_the_same(tmp_path):
    whole = collect(tmp_path, QUESTIONS)
    path = tmp_path / "signals.jsonl"
    complete = path.read_bytes()
    lines = complete.split(b"\n")
    for kept in (b"", b"\n".join(lines[:4]) + b"\n", b"\n".join(lines[:6]) + b'\n{"id": "half'):
        path.write_bytes(kept)
        by = collector()
        again = collect(tmp_path, QUESTIONS, by=by)
        assert sorted(again, key=lambda row: row.id) == sorted(whole, key=lambda row: row.id)
        done = kept.count(b"\n")
        assert len(by.pipeline.language_model.asked) == len(QUESTIONS) - max(done - 1, 0)
    assert len(path.read_bytes().split(b"\n")) == len(lines)


def test_a_larger_limit_goes_on_and_a_smaller_one_looks_at_fewer(tmp_path):
    collect(tmp_path, QUESTIONS[:3])
    assert len(collect(tmp_path, QUESTIONS[:5])) == 5
    assert [row.question_id for row in collect(tmp_path, QUESTIONS[:2])] == ["q0", "q1"]


def test_other_settings_are_refused(tmp_path):
    collect(tmp_path, QUESTIONS[:1])
    with pytest.raises(InputError, match=r"other settings \(seed: 0, now 1\): choose another --out"):
        collect(tmp_path, QUESTIONS[:1], settings={"seed": 1})
    (tmp_path / "signals.json").unlink()
    with pytest.raises(InputError, match="no telling how"):
        collect(tmp_path, QUESTIONS[:1])


def test_progress_counts_questions(tmp_path):
    told = []
    collect(tmp_path, QUESTIONS, progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 12), (4, 12), (8, 12), (12, 12)]


def test_labelled_claims_are_found_in_their_answer(tmp_path):
    verbatim = ("The tower is 330 metres tall.", {})
    recorded = ("Someone painted it.", {"spans": [[7, 14]]})
    reworded = ("The tower was painted red in 1968.", {})
    absent = ("Cats sleep on the moon.", {})
    example = labelled(verbatim, recorded, reworded, absent)
    claims = list(example.claims)
    claims[1] = replace(claims[1], sentence="It was painted red in 1968.")
    rows = collect(tmp_path, [replace(example, claims=tuple(claims))])
    assert [bool(row.signals) for row in rows] == [True, True, True, False]
    assert rows[1].signals["perplexity"] == pytest.approx(2.0)
    assert rows[3].alignment is None and rows[3].true is True
    assert set(rows[0].signals) == {n for n, b in BASELINES.items() if "long" in b.forms} - {"alignment"}
    assert all(row.samples is None and row.extra["answer"] == ANSWER for row in rows)


def test_two_people_may_have_labelled_a_claim(tmp_path):
    example = labelled(("The tower is 330 metres tall.", {}))
    [claim] = example.claims
    twice = replace(
        example, claims=(replace(claim, annotator="a"), replace(claim, annotator="b", true=False))
    )
    first, second = collect(tmp_path, [twice])
    assert first.signals == second.signals and (first.true, second.true) == (True, False)


def test_a_labelled_short_answer_is_one_claim(tmp_path):
    example = labelled(("It is 330 m.", {}), form="short")
    [row] = collect(tmp_path, [replace(example, answer="330 metres")])
    assert row.form == "short" and row.samples == 4 and "semantic_entropy" in row.signals


def test_changes_are_kept_for_a_person_to_see(tmp_path):
    [row] = collect(tmp_path, [replace(QUESTIONS[0], changed=({"passage": 0, "kind": "irrelevant"},))])
    assert row.extra["changed"] == [{"passage": 0, "kind": "irrelevant"}]
    assert json.dumps(row.to_dict())


def test_a_model_that_hides_its_distributions_serves_the_other_baselines(tmp_path):
    pipeline = make_pipeline(WordLM())
    by = Collector(
        pipeline=pipeline,
        similarity=AlignmentSimilarity(pipeline.aligner.model),
        baselines=("alignment", "semantic_entropy", "sum_eigenvalues"),
    )
    [row] = collect(tmp_path, QUESTIONS[:1], by=by)
    assert set(row.signals) == {"semantic_entropy", "sum_eigenvalues"}
