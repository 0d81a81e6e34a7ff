"""What guarding adds to the time it took the same model to write the answer.

Run: python -m benchmarks.speed.generation [--rounds 5]

The model writes 150 tokens from question and five passages with transformers' own greedy `generate`;
then the guard
checks that text: once as it is, and once with the log-probabilities that came with it, which saves the
pass over
the passages. The text is cut after its last full sentence, as a chain would show it.
"""

from __future__ import annotations

import argparse
from typing import Any

import torch

from benchmarks.speed import measuring, models
from benchmarks.speed.workload import Case, cases
from franq_guard.pipeline.prompts import rag_prompt
from franq_guard.schema import Passage

_TOKENS = 150


def run(rounds: int) -> dict[str, Any]:
    lm, model = models.language_model(), models.alignment_model()
    guard = models.mini_guard(lm, model)
    network: Any = lm._model
    written: dict[int, tuple[Case, str, list[tuple[str, float]]]] = {}

    def generate(number: int) -> None:
        [case] = cases(1, first=number)
        prompt = rag_prompt(case.question, [Passage(text) for text in case.passages])
        ids = torch.tensor([lm.prompt_ids(prompt)])
        with torch.inference_mode():
            output = network.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                min_new_tokens=_TOKENS,
                max_new_tokens=_TOKENS,
                output_logits=True,
                return_dict_in_generate=True,
                pad_token_id=0,
            )
        new = output.sequences[0, ids.shape[1] :]
        log_probs = torch.stack(output.logits, 1)[0].log_softmax(-1).gather(-1, new[:, None])[:, 0]
        tokens = [lm._tokenizer.decode([token]) for token in new.tolist()]
        written[number] = case, "".join(tokens), list(zip(tokens, log_probs.tolist(), strict=True))

    def check(number: int) -> None:
        case, answer, _ = written[number]
        guard.check(case.question, case.passages, answer)

    def check_with_log_probs(number: int) -> None:
        case, answer, log_probs = written[number]
        guard.check(case.question, case.passages, answer, token_log_probs=log_probs)

    for number in range(rounds + 1):  # every way needs the text, in whatever order it runs
        generate(number)
    seconds = measuring.in_turns(
        {"generate": generate, "check": check, "check with log-probabilities": check_with_log_probs}, rounds
    )
    return {
        "tokens": _TOKENS,
        "passages": 5,
        "rounds": rounds,
        "seconds": measuring.medians(seconds),
        "check, share of the generation": measuring.ratios(seconds, "check", "generate"),
        "check with log-probabilities, share of the generation": measuring.ratios(
            seconds, "check with log-probabilities", "generate"
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    measuring.write("generation", run(options.rounds))


if __name__ == "__main__":
    main()
