"""Short form: the guard against lm-polygraph 0.7.0, with the same models, prompts and sampling settings.

Run: python -m benchmarks.speed.short_form [--questions 4] [--rounds 5] [--batch 2] [--pairs 10]

Both draw ten answers to each question with one passage, judge them pairwise, and compute semantic entropy and
the sum of eigenvalues of the graph's Laplacian. "signals" is our own code for just that; "guard" is a whole
check, which also finds the claim and holds it against the passage. Draws differ, and so do the lengths of
what is drawn: ratios are also given per token written. Whether the numbers agree is tested on the same
samples. Needs the packages of the peer, see docs/performance.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.speed import measuring, models
from benchmarks.speed.polygraph_peer import PolygraphPeer
from benchmarks.speed.short_signals import Found, Signals, prompt_of
from benchmarks.speed.workload import Case, short_cases
from franq_guard import Guard
from franq_guard.alignment import embedded_aligner
from franq_guard.models.transformers_lm import TransformersLM
from franq_guard.pipeline.forms import ShortForm

TOLERANCE = 1e-4


def checked(
    guard: Guard, lm: TransformersLM, cases: Sequence[Case]
) -> list[tuple[float | None, float | None]]:
    """The two uncertainties as whole checks report them."""
    lm.forget()
    found = []
    for case in cases:
        report = guard.check(case.question, case.passages, case.answer)
        [values] = [claim.signals for claim in report.claims if claim.signals is not None]
        found.append((values.semantic_entropy, values.sum_eigenvalues))
    return found


def same_numbers(signals: Signals, peer: PolygraphPeer, cases: Sequence[Case]) -> dict[str, Any]:
    """The largest differences on the same samples; refuses those above the tolerance.

    A text entails itself for us, and lm-polygraph asks its model. So its graph is other on the diagonal, and
    its estimator is given that graph twice: with ones there, and as it is.
    """
    largest = {"P(entailment), P(contradiction)": 0.0, "semantic entropy": 0.0, "sum of eigenvalues": 0.0}
    diagonal = 0.0
    for case in cases:
        samples = signals.sample(prompt_of(case))
        judged, ours = signals.compare(samples)
        theirs = peer.compare(samples)
        texts = np.array([sample.text.strip() for sample in samples])
        other = texts[:, None] != texts[None]
        for column, name in ((0, "entail"), (2, "contra")):
            gap = np.abs(judged[..., column] - theirs[f"semantic_matrix_{name}"][0])[other]
            _enlarge(largest, "P(entailment), P(contradiction)", gap.max(initial=0.0))
        entropy = peer.semantic_entropy(theirs)[0]
        _enlarge(largest, "semantic entropy", abs(entropy - ours.semantic_entropy))
        graph = np.where(other, theirs["semantic_matrix_entail"][0], 1.0)
        with_ones = peer.sum_eigenvalues(samples, graph)
        _enlarge(largest, "sum of eigenvalues", abs(with_ones - ours.sum_eigenvalues))
        diagonal = max(diagonal, abs(float(peer.eig_val_laplacian(theirs)[0]) - ours.sum_eigenvalues))
    for name, gap in largest.items():
        assert gap < TOLERANCE, f"{name}: differs by {gap}"
    return {
        "questions": len(cases),
        "largest difference": largest,
        "largest difference of the sum of eigenvalues, its graph as it is": diagonal,
    }


def _enlarge(largest: dict[str, float], name: str, gap: float) -> None:
    largest[name] = max(largest[name], float(gap))


def in_turns(
    questions: int, rounds: int, guard: Guard, lm: TransformersLM, signals: Signals, peer: PolygraphPeer
) -> dict[str, Any]:
    def work(number: int) -> list[Case]:
        # The untimed round needs no more than one question.
        return short_cases(questions if number < rounds else 1, first=questions * number)

    written: list[dict[str, Found]] = []

    def keep(found: dict[str, Any]) -> None:
        ours = list(zip(found["signals"].semantic_entropy, found["signals"].sum_eigenvalues, strict=True))
        np.testing.assert_allclose(found["guard"], ours, atol=TOLERANCE)
        written.append({name: found[name] for name in ("signals", "lm-polygraph")})

    seconds = measuring.in_turns(
        {
            "guard": lambda number: checked(guard, lm, work(number)),
            "signals": lambda number: signals.run([prompt_of(case) for case in work(number)]),
            "lm-polygraph": lambda number: peer.run([prompt_of(case) for case in work(number)], seed=number),
        },
        rounds,
        keep,
    )
    tokens = {name: [one[name].tokens for one in written] for name in ("signals", "lm-polygraph")}
    tokens["guard"] = tokens["signals"]
    per_token = {
        name: {
            clock: [value / count for value, count in zip(values, tokens[name], strict=True)]
            for clock, values in clocks.items()
        }
        for name, clocks in seconds.items()
    }
    samples = questions * signals.settings.samples
    return {
        "questions a round": questions,
        "rounds": rounds,
        "seconds": measuring.medians(seconds),
        "seconds of sampling": {
            name: round(float(np.median([one[name].sampling for one in written])), 4) for name in written[0]
        },
        "tokens a sample": {
            name: round(sum(counts) / rounds / samples, 2) for name, counts in tokens.items()
        },
        "times faster than lm-polygraph": {
            name: {
                "as it is": measuring.ratios(seconds, "lm-polygraph", name),
                "per token written": measuring.ratios(per_token, "lm-polygraph", name),
            }
            for name in ("guard", "signals")
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=2, help="questions in one batch of lm-polygraph")
    parser.add_argument("--pairs", type=int, default=10, help="pairs in one batch of its NLI model")
    options = parser.parse_args()
    lm, model, settings = models.language_model(), models.alignment_model(), ShortForm()
    peer = PolygraphPeer(lm, model, settings, questions=options.batch, pairs=options.pairs)
    signals = Signals(lm, models.forgetful(model), settings)
    guard = Guard(
        language_model=lm,
        alignment_model=embedded_aligner(models.forgetful(model)),
        calibration="none",
        short_calibration="none",
        form="short",
        on_error="raise",
    ).warm_up()
    few = short_cases(5, first=options.questions * options.rounds)
    for case in few:
        assert peer.prompt_ids(prompt_of(case)) == lm.prompt_ids(prompt_of(case))
    measuring.write(
        "short_form",
        {
            "samples a question": settings.samples,
            "questions in a batch of lm-polygraph": options.batch,
            "pairs in a batch of its NLI model": options.pairs,
            **in_turns(options.questions, options.rounds, guard, lm, signals, peer),
            "on the same samples": same_numbers(signals, peer, few),
        },
    )


if __name__ == "__main__":
    main()
