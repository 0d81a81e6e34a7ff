"""Claims of long answers: what FRANQ and its parts say, with passages and without.

Part 1 takes the claims of known truth that `benchmarks.long_form_claims` scored, three passages each, mixed
as for the preset's calibrator. Part 2 takes `data/long_form_factuality.jsonl`: 1,401 claims from answers of
InstructGPT and ChatGPT that people judged, without passages, so that only what the model itself knows counts.
Its signals are collected first, and kept in `data/long_form_knowledge.jsonl`:

    python -m benchmarks.long_form_study --collect runs/knowledge
    python -m benchmarks.long_form_study
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from benchmarks.fit_long_form_calibrator import DATA, SHARES, chance_of
from franq_guard.alignment import embedded_aligner
from franq_guard.evaluation.ablations import ABLATIONS
from franq_guard.evaluation.labels import LabelledClaim, read_labels
from franq_guard.evaluation.measuring import Settings, measure
from franq_guard.evaluation.output import write_results
from franq_guard.evaluation.results import to_table
from franq_guard.models.loading import load_alignment_model
from franq_guard.models.presets import PRESETS
from franq_guard.models.sources import parse

HERE = Path(__file__).parent
FACTUALITY = HERE / "data" / "long_form_factuality.jsonl"
KNOWLEDGE = HERE / "data" / "long_form_knowledge.jsonl"
RESULTS = HERE / "results"
PARAMETRIC = ("max_claim_probability", "perplexity", "p_true", "parametric_knowledge")
WITH_PASSAGES = (
    "max_claim_probability",
    "alignment",
    "max_nli",
    "parametric_knowledge",
    "xgboost_franq",
    "franq_none",
    "franq_calibrated",
    "franq_condition",
    "franq_condition_faithfulness",
    "franq_condition_threshold",
)
CALIBRATION_SHARE = 0.4
SEED = 0


def main() -> None:
    """Collects if asked to; otherwise measures both parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--collect", type=Path, help="folder for the signals of part 2; resumes")
    options = parser.parse_args()
    if options.collect is not None:
        _collect(options.collect)
        return
    console = Console()
    with_passages = _with_passages()
    _report(with_passages, WITH_PASSAGES, RESULTS / "long_form", console, tuple(ABLATIONS))
    if KNOWLEDGE.exists():
        _report(read_labels([KNOWLEDGE]), PARAMETRIC, RESULTS / "long_form_knowledge", console, ())


def _with_passages() -> list[LabelledClaim]:
    aligner = embedded_aligner(load_alignment_model("align_mini"))
    language_model = parse(PRESETS["mini"].language_model).text.partition("#")[0]
    rows = []
    for number, line in enumerate(DATA.read_text(encoding="utf-8").splitlines()):
        row: dict[str, Any] = json.loads(line)
        if chance_of(row) >= SHARES.get(row["kind"], 0.0):
            continue
        names = ("max_claim_probability", "max_nli", "parametric_knowledge")
        rows.append(
            LabelledClaim(
                id=str(number),
                question_id=row["question_id"],
                question=row["question"],
                claim=row["claim"],
                form="long",
                true=row["true"],
                faithful=row["kind"] == "extract",
                annotator="construction",
                alignment=row["alignment"],
                signals={name: row[name] for name in names if row[name] is not None},
                language_model=language_model,
                alignment_model=aligner.id,
                extra={"kind": row["kind"]},
            )
        )
    return rows


def _collect(folder: Path) -> None:
    from franq_guard.assembly import assemble
    from franq_guard.config import GuardConfig
    from franq_guard.evaluation.collecting import Collector
    from franq_guard.evaluation.datasets import read_examples
    from franq_guard.evaluation.signal_file import SignalFile
    from franq_guard.evaluation.similarity import AlignmentSimilarity

    folder.mkdir(parents=True, exist_ok=True)
    claims = folder / "claims.jsonl"
    claims.write_text("".join(json.dumps(row) + "\n" for row in _factuality()), encoding="utf-8")
    pipeline = assemble(GuardConfig.load(preset="mini", calibration="none", form="long"))
    baselines = [*PARAMETRIC, "alignment"]
    collector = Collector(
        pipeline=pipeline, similarity=AlignmentSimilarity(pipeline.aligner.model), baselines=baselines
    )
    with Console().status("asking the language model"):
        rows = collector.collect(read_examples(claims), SignalFile(folder, {"signals": baselines}))
    kept = []
    for row in track(rows, description="saving"):
        signals = {name: round(value, 6) for name, value in row.signals.items()}
        kept.append(replace(row, signals=signals, extra={}, sentence=""))
    text = "".join(json.dumps(row.to_dict(), ensure_ascii=False) + "\n" for row in kept)
    KNOWLEDGE.write_text(text, encoding="utf-8")


def _factuality() -> list[dict[str, Any]]:
    rows = []
    for line in FACTUALITY.read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        for number, claim in enumerate(answer["claims"]):
            rows.append(
                {
                    "id": f"{answer['id']}-{number}",
                    "question_id": answer["id"],
                    "question": answer["question"],
                    "claim": claim["claim"],
                    "sentence": claim.get("sentence", ""),
                    "answer": answer["response"],
                    "passages": [],
                    "form": "long",
                    "true": claim["label"] == "true",
                    "annotator": answer["source"],
                }
            )
    return rows


def _report(
    rows: Sequence[LabelledClaim],
    methods: Sequence[str],
    folder: Path,
    console: Console,
    ablations: Sequence[str],
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    evaluation = measure(
        rows, Settings(methods=tuple(methods), calibration_share=CALIBRATION_SHARE, seed=SEED)
    )
    console.print(to_table(evaluation))
    tables = [ABLATIONS[name](evaluation.data, SEED) for name in ablations]
    write_results(evaluation, tables, folder)


if __name__ == "__main__":
    main()
