"""Does the uncertainty clause make a model admit what the documents do not say?

The preset's language model answers questions of `data/short_qa.jsonl` once as they are asked, and once behind
`langchain_franq_guard.UNCERTAINTY_CLAUSE`, from the gold passage and from two passages that do not hold the
answer. Counted are answers that decline or hedge, and answers that hold an accepted answer.

    python -m benchmarks.uncertainty_clause [--questions 40] [--out results.json]
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from franq_guard.claims.hedging_language import Tone, tone
from franq_guard.evaluation.answers import holds_answer
from franq_guard.models.base import LanguageModel, Prompt
from franq_guard.models.loading import load_language_model
from franq_guard.models.presets import PRESETS
from franq_guard.pipeline.prompts import rag_prompt
from franq_guard.schema import Passage
from langchain_franq_guard import with_uncertainty_clause

HERE = Path(__file__).parent
DATA = HERE / "data" / "short_qa.jsonl"
SEED = 0


def main() -> None:
    """Asks, counts, prints, and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "uncertainty_clause.json")
    options = parser.parse_args()
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    chosen = random.Random(SEED).sample(rows, options.questions)  # noqa: S311
    model = load_language_model(PRESETS["mini"].language_model)
    counts: dict[tuple[str, bool], dict[str, int]] = {}
    for row in track(chosen, description="questions"):
        for retrieved, passages in _retrievals(row, rows).items():
            for clause in (False, True):
                found = _ask(model, row, passages, clause=clause)
                known = counts.setdefault((retrieved, clause), dict.fromkeys(found, 0))
                for name, value in found.items():
                    known[name] += value
    table = Table("passages", "clause", *next(iter(counts.values())), title=f"of {len(chosen)} answers")
    for (retrieved, clause), found in counts.items():
        table.add_row(retrieved, "yes" if clause else "no", *map(str, found.values()))
    Console().print(table)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    result = [
        {"passages": r, "clause": c, "answers": len(chosen), **found} for (r, c), found in counts.items()
    ]
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _retrievals(row: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, list[Passage]]:
    chance = random.Random(f"{SEED}{row['id']}")  # noqa: S311
    others = [other for other in rows if not holds_answer(other["context"], row["answers"])]
    return {
        "gold": [Passage(row["context"], title=row["title"])],
        "unrelated": [Passage(o["context"], title=o["title"]) for o in chance.sample(others, 2)],
    }


def _ask(
    model: LanguageModel, row: dict[str, Any], passages: list[Passage], *, clause: bool
) -> dict[str, int]:
    prompt = rag_prompt(row["question"], passages)
    if clause:
        prompt = replace(prompt, user=with_uncertainty_clause(prompt.user))
    answer = _written(model, prompt)
    doubtful = tone(answer, "en") in (Tone.REFUSED, Tone.DOUBTFUL, Tone.LIKELY)
    return {"doubtful": int(doubtful), "right": int(holds_answer(answer, row["answers"]))}


def _written(model: LanguageModel, prompt: Prompt) -> str:
    return model.generate([prompt], max_new_tokens=40)[0].text


if __name__ == "__main__":
    main()
