"""Three signals of long answers: the guard against two plain transformers passes and AlignScore's own code.

Run: python -m benchmarks.speed.end_to_end [--answers 4] [--rounds 5]

Both compute max claim probability, parametric knowledge and AlignScore of every claim with the same weights,
and the numbers are compared. "floor" is one plain batched forward pass of each model over exactly the tokens
that are needed. The alignment alone is also held against the reference, whose pairs are padded to 512
tokens, on
passages of 60 to 150 words. Needs the packages of the peers, see docs/performance.md.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch

from benchmarks.speed import measuring, models, peers
from benchmarks.speed.workload import Case, cases, passage_pool
from franq_guard.alignment import Aligner
from franq_guard.models.base import Prompt
from franq_guard.models.pair_classifier import PairClassifier
from franq_guard.models.transformers_lm import TransformersLM
from franq_guard.pipeline.prompts import question_prompt, rag_prompt
from franq_guard.schema import Passage

TOLERANCE = 1e-4


def signals_of(report: Any) -> list[tuple[float, float, float]]:
    return [
        (claim.signals.max_claim_log_prob, claim.signals.parametric_log_prob, claim.signals.alignment)
        for claim in report.claims
        if claim.checkworthy
    ]


class Floor:
    """One forward pass of each model over the needed tokens; rows of the same length need no padding."""

    def __init__(self, lm: TransformersLM, model: PairClassifier) -> None:
        self.lm, self.model = lm, model
        self.aligner = Aligner(model, windowing="nli_sp", splitter=peers.punkt)

    def prepare(self, work: list[Case]) -> None:
        """Tokenises, which is not counted."""
        self.rows = []
        pairs = set()
        for case in work:
            tokens = self.lm.tokenize(case.answer)
            prompts: list[Prompt] = [
                question_prompt(case.question),
                rag_prompt(case.question, [Passage(text) for text in case.passages]),
            ]
            for prompt in prompts:
                self.rows.append(([*self.lm.prompt_ids(prompt), *tokens.ids], len(tokens.ids)))
            windows = self.aligner.windows(case.passages)
            for claim in peers.claims_of(case):
                pairs |= {(window.text, part.text) for window in windows for part in peers.punkt(claim)}
        encode = self.model._scorer._tokenizer
        self.pairs = [
            {name: torch.tensor([ids]) for name, ids in encode(*pair, truncation="only_first").items()}
            for pair in sorted(pairs)
        ]

    def run(self, number: int) -> None:
        """One forward pass of each model; `number` is the round's."""
        network: Any = self.lm._model
        with torch.inference_mode():
            for ids, answer in self.rows:
                network(torch.tensor([ids]), logits_to_keep=answer + 1, use_cache=False)
            for pair in self.pairs:
                self.model._model(**pair)


class Differences:
    """The largest differences in a round's numbers; refuses those above the tolerance.

    Log-probabilities of claims are sums over tens of tokens, in float32: they are compared relative to their
    size.
    """

    def __init__(self) -> None:
        self.log_probs, self.alignment = 0.0, 0.0

    def compare(self, found: dict[str, Any]) -> None:
        """Takes the numbers of one round."""
        for name in ("straightforward", "straightforward without word head"):
            for one, other in zip(found["guard"], found[name], strict=True):
                ours, theirs = np.asarray(one), np.asarray(other)
                gap = np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1.0)
                self.log_probs = max(self.log_probs, float(gap[:, :2].max()))
                self.alignment = max(self.alignment, float(gap[:, 2].max()))
                assert gap.max() < TOLERANCE, f"{name}: differs by {gap.max()}"


def whole(answers: int, rounds: int) -> dict[str, Any]:
    lm, model = models.language_model(), models.alignment_model()
    aligner = Aligner(models.forgetful(model), windowing="nli_sp", splitter=peers.punkt)
    guard = models.reference_guard(lm, aligner)
    plain = peers.PlainLM(lm)
    reference = peers.AlignScorePeer(model)
    lean = peers.AlignScorePeer(model, with_word_head=False)

    def work(number: int) -> list[Case]:
        return cases(answers, first=answers * number)

    def guarded(number: int) -> list[Any]:
        return [signals_of(guard.check(c.question, c.passages, c.answer)) for c in work(number)]

    def straightforward(scorer: peers.AlignScorePeer, number: int) -> list[Any]:
        return [
            [(*both, score) for both, score in zip(plain.signals(case), scorer.scores(case), strict=True)]
            for case in work(number)
        ]

    differences, floors = Differences(), []
    for number in range(rounds + 1):
        one = Floor(lm, model)
        one.prepare(work(number))
        floors.append(one)
    seconds = measuring.in_turns(
        {
            "guard": guarded,
            "straightforward": lambda number: straightforward(reference, number),
            "straightforward without word head": lambda number: straightforward(lean, number),
            "floor": lambda number: floors[number].run(number),
        },
        rounds,
        differences.compare,
    )
    return {
        "answers a round": answers,
        "rounds": rounds,
        "seconds": measuring.medians(seconds),
        "times faster than straightforward": measuring.ratios(seconds, "straightforward", "guard"),
        "times faster, word head left out": measuring.ratios(
            seconds, "straightforward without word head", "guard"
        ),
        "times the floor": measuring.ratios(seconds, "guard", "floor"),
        "largest difference": {
            "log-probabilities of claims, relative": differences.log_probs,
            "AlignScore": differences.alignment,
        },
    }


def alignment_alone(pairs: int, rounds: int) -> dict[str, Any]:
    model = models.alignment_model()
    shared = models.forgetful(model)
    reference = peers.AlignScorePeer(model)
    lean = peers.AlignScorePeer(model, with_word_head=False)
    claims = [
        "The tower was built by a company of engineers in 1889.",
        "It is 330 metres tall and made of iron.",
    ]
    pool = passage_pool()

    def work(number: int) -> list[tuple[str, str]]:
        return [(pool[(number * pairs + n) % len(pool)], claims[n % 2]) for n in range(pairs)]

    def by(scorer: peers.AlignScorePeer, number: int) -> Any:
        context, claim = zip(*work(number), strict=True)
        return scorer.scorer.inference(list(context), list(claim))[2].numpy()

    def agree(found: dict[str, Any]) -> None:
        np.testing.assert_allclose(found["guard"], found["reference"], atol=TOLERANCE)

    for scorer in (reference, lean):
        scorer.scorer.nlg_eval_mode = None
    seconds = measuring.in_turns(
        {
            "guard": lambda number: shared.score(work(number)),
            "reference": lambda number: by(reference, number),
            "reference without word head": lambda number: by(lean, number),
        },
        rounds,
        agree,
    )
    return {
        "pairs a round": pairs,
        "words in a passage": "60 to 150",
        "seconds": measuring.medians(seconds),
        "times faster than the reference": measuring.ratios(seconds, "reference", "guard"),
        "times faster, word head left out": measuring.ratios(seconds, "reference without word head", "guard"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    measuring.write(
        "end_to_end",
        {
            "end to end": whole(options.answers, options.rounds),
            "alignment alone": alignment_alone(options.pairs, options.rounds),
        },
    )


if __name__ == "__main__":
    main()
