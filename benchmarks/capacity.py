"""What a check costs: modelled from token counts for GPUs, measured by stage on this machine.

python -m benchmarks.capacity            # the modelled table of docs/capacity.md
python -m benchmarks.capacity --measure  # seconds by stage with the preset mini, here
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from dataclasses import dataclass

QUESTION = "How tall is the Eiffel Tower, and when was it finished?"
SENTENCES = (
    "The Eiffel Tower in Paris is 330 metres tall, about as tall as a building of 81 storeys.",
    "It was finished in March 1889 for the World's Fair, after two years of work.",
    "Gustave Eiffel's company designed and built it, at first against protests of artists.",
    "Lifts and stairs lead to three levels, the highest of which is 276 metres above the ground.",
)
ANSWER = (
    "The Eiffel Tower is 330 metres tall. It was finished in 1889 for the World's Fair. It was built by the "
    "company of Gustave Eiffel. Its highest level is 310 metres above the ground."
)


@dataclass(frozen=True, slots=True)
class Model:
    """Sizes of a transformer.

    Attributes:
        name: of the model.
        body: parameters that every token passes through, so without embeddings.
        head: parameters of the output layer; 0 for classifiers.
        layers: how many.
        width: of the hidden state.
    """

    name: str
    body: float
    head: float
    layers: int
    width: int

    def flops(self, lengths: list[int], predicted: int = 0, *, causal: bool = True) -> float:
        """Floating-point operations to read texts of these lengths, and to predict so many tokens in them."""
        attention = (2 if causal else 4) * self.layers * self.width * sum(length**2 for length in lengths)
        return 2 * self.body * sum(lengths) + attention + 2 * self.head * predicted


@dataclass(frozen=True, slots=True)
class Load:
    """A typical answer, in tokens.

    Attributes:
        prompt: question and chat template.
        passages: all passages together.
        answer: the answer.
        pairs: pairs of a window and a claim that the alignment model reads.
        pair: tokens of one pair.
    """

    prompt: int = 50
    passages: int = 1000
    answer: int = 100
    pairs: int = 12
    pair: int = 400

    def flops(self, lm: Model, aligner: Model) -> tuple[float, float]:
        """Operations of the language model and of the alignment model for one long-form check."""
        rows = [self.prompt + self.answer, self.prompt + self.passages + self.answer]
        return (
            lm.flops(rows, 2 * self.answer),
            aligner.flops([self.pair] * self.pairs, causal=False),
        )


PAIRS = (
    (Model("Llama 3.2 3B", 2.82e9, 0.394e9, 28, 3072), Model("AlignScore base", 85e6, 0, 12, 768)),
    (Model("Llama 3.1 8B", 6.98e9, 0.525e9, 32, 4096), Model("AlignScore large", 302e6, 0, 24, 1024)),
)
# Dense bfloat16 (T4: float16) tensor throughput of the data sheets, in operations a second.
GPUS = {"T4": 65e12, "L4": 121e12, "RTX 4090": 165e12, "A100": 312e12, "H100 SXM": 989e12}
UTILISATION = 0.35
"""Share of the data sheet's throughput that a long prompt reaches; an assumption, 0.3 to 0.5 is common."""


def modelled() -> str:
    """The table, as markdown."""
    load = Load()
    lines = ["| models | TFLOP per answer | " + " | ".join(f"{gpu}" for gpu in GPUS) + " |"]
    lines.append("|---" * (len(GPUS) + 2) + "|")
    for lm, aligner in PAIRS:
        parts = load.flops(lm, aligner)
        rates = [f"{peak * UTILISATION / sum(parts):.1f}" for peak in GPUS.values()]
        cost = " + ".join(f"{part / 1e12:.2f}" for part in parts)
        lines.append(f"| {lm.name}, {aligner.name} | {cost} | " + " | ".join(rates) + " |")
    return "\n".join(lines)


def measured(repeats: int) -> str:
    """What checks with the preset mini cost on one core, as markdown.

    Seconds are those of the process, so that neighbours matter little; how the stages share them is taken
    from the clock.
    """
    import torch

    from franq_guard import Guard

    torch.set_num_threads(1)
    guard = Guard.from_preset("mini", device="cpu", form="long", on_error="raise").warm_up()
    passages = [" ".join(SENTENCES)] * 3
    seconds, timings = [], []
    for number in range(repeats + 1):
        # Other texts each time: what was read before must not help.
        texts = [f"{number}. {text}" for text in passages]
        start = time.process_time()
        report = guard.check(f"{QUESTION} ({number})", texts, f"{ANSWER} {number}.")
        seconds.append(time.process_time() - start)
        timings.append(report.timings)
    cost = statistics.median(seconds[1:])
    lines = ["| stage | core seconds | share |", "|---|---|---|"]
    for stage in (name for name in timings[-1] if name not in ("total", "loading")):
        share = statistics.median(one[stage] / one["total"] for one in timings[1:])
        lines.append(f"| {stage} | {cost * share:.3f} | {share:.0%} |")
    lines.append(f"| the whole check | {cost:.3f} | |")
    return "\n".join(lines)


def main() -> None:
    """Prints one of the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.measure:
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start")
        print(measured(options.repeats))
    else:
        print(modelled())


if __name__ == "__main__":
    main()
