"""How long ten sampled answers take: a prompt read once, against `generate(num_return_sequences=n)`.

Run: python -m benchmarks.sampling [--prompt-tokens 300] [--new-tokens 24] [--samples 10] [--repeats 3]

Both draw with the same settings and to the same length (no text may end early), and both give the
log-probability of every drawn token. transformers' own `generate` reads the prompt once for each sample, and
gives raw logits, of which the log-probabilities are taken. "rescored" is `generate`, and then one more pass
over prompt and text for the log-probabilities, as is needed where the logits do not fit in memory.

On a CPU, seconds are those of the process, summed over threads, so that neighbours matter little; set
OMP_NUM_THREADS=1 on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

from franq_guard.models.decoding import decode, sampler
from franq_guard.models.loading import load_language_model
from franq_guard.models.presets import PRESETS
from franq_guard.models.scoring import score_padded
from franq_guard.models.transformers_lm import TransformersLM


def ours(model: Any, prompt: torch.Tensor, samples: int, new_tokens: int) -> list[list[float]]:
    pick = sampler(temperature=1.0, top_k=50, top_p=1.0, seed=0, device=str(model.device))
    texts = decode(
        model,
        prompt,
        torch.ones_like(prompt),
        pick=pick,
        end_ids=frozenset(),
        max_new_tokens=new_tokens,
        copies=samples,
    )
    return [text.log_probs for text in texts]


def generate(model: Any, prompt: torch.Tensor, samples: int, new_tokens: int, **options: Any) -> Any:
    torch.manual_seed(0)
    return model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        do_sample=True,
        temperature=1.0,
        top_k=50,
        top_p=1.0,
        num_return_sequences=samples,
        min_new_tokens=new_tokens,
        max_new_tokens=new_tokens,
        pad_token_id=model.generation_config.eos_token_id,
        return_dict_in_generate=True,
        **options,
    )


def peer(model: Any, prompt: torch.Tensor, samples: int, new_tokens: int) -> list[list[float]]:
    output = generate(model, prompt, samples, new_tokens, output_logits=True)
    ids = output.sequences[:, prompt.shape[1] :]
    logits = torch.stack(output.logits, dim=1).float()
    picked: list[list[float]] = logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0].tolist()
    return picked


def rescored(model: Any, prompt: torch.Tensor, samples: int, new_tokens: int) -> list[list[float]]:
    sequences = generate(model, prompt, samples, new_tokens).sequences
    targets = sequences[:, prompt.shape[1] :].tolist()
    return [row.tolist() for row in score_padded(model, sequences, torch.ones_like(sequences), targets)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--prompt-tokens", type=int, default=300)
    parser.add_argument("--new-tokens", type=int, default=24)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--model", default=PRESETS["mini"].language_model)
    options = parser.parse_args()
    lm = load_language_model(options.model, device=options.device, dtype="float32")
    assert isinstance(lm, TransformersLM)
    model = lm._model
    text = "The tower was built by a company of engineers between two wars and three revolutions. " * 400
    prompt = torch.tensor([lm.tokenize(text).ids[: options.prompt_tokens]], device=lm.device)
    ways: dict[str, Callable[..., list[list[float]]]] = {"ours": ours, "peer": peer, "rescored": rescored}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    with torch.inference_mode():
        for _ in range(options.repeats):
            for name, way in ways.items():
                start = clock()
                found = way(model, prompt, options.samples, options.new_tokens)
                seconds[name].append(clock() - start)
                assert [len(row) for row in found] == [options.new_tokens] * options.samples
    best = {name: min(values) for name, values in seconds.items()}
    print(
        json.dumps(
            {
                "prompt_tokens": prompt.shape[1],
                "new_tokens": options.new_tokens,
                "samples": options.samples,
                "device": lm.device,
                "threads": torch.get_num_threads(),
                "seconds": {name: round(value, 3) for name, value in best.items()},
                "median_seconds": {n: round(statistics.median(v), 3) for n, v in seconds.items()},
                "times_faster_than_generate": round(best["peer"] / best["ours"], 2),
                "times_faster_than_rescored": round(best["rescored"] / best["ours"], 2),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
