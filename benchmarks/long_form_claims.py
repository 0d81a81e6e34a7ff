"""Scores claims of known truth with the models of a preset: the raw material for its long-form calibrator.

For each question of `data/short_qa.jsonl` (question, gold passage, accepted answers) it makes answers whose
truth follows from the accepted answers, retrieved with the gold passage among three, or with three others:

    own        the preset's language model answers from the gold passage
    blind      it answers from three passages of other questions
    extract    the passage's own sentence that holds the answer: true
    swapped    that sentence with the answer exchanged for one of the same kind from another question: false
    misfiled   the true sentence, but with three passages of other questions

Claims whose truth does not follow from the accepted answers are left out. Rows are appended as they are
scored; run again to resume. With --realign, rows that were scored before get P(faithful) and MaxNLI anew, for
when the aligner has changed and the language model has not.

    python -m benchmarks.long_form_claims --out claims.jsonl
    python -m benchmarks.long_form_claims --out benchmarks/data/long_form_claims.jsonl --realign
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.progress import track

from franq_guard.alignment import Aligner, AlignmentJob
from franq_guard.assembly import assemble
from franq_guard.claims import split_sentences
from franq_guard.config import GuardConfig
from franq_guard.inputs import as_input
from franq_guard.models.base import LanguageModel
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.long_form import best_max_nli
from franq_guard.pipeline.prompts import rag_prompt
from franq_guard.schema import Passage, ScoredClaim

DATA = Path(__file__).parent / "data" / "short_qa.jsonl"
PASSAGES = 3
QUESTIONS_AT_ONCE = 8

Row = dict[str, Any]


def main() -> None:
    """Scores every question that the output does not hold yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--preset", default="mini")
    parser.add_argument("--dtype", default="float32", help="bfloat16 is faster where the processor has it")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--limit", type=int, default=None, help="most questions to score")
    parser.add_argument("--realign", action="store_true", help="only align the claims in the output anew")
    options = parser.parse_args()

    rows = [json.loads(line) for line in options.data.read_text(encoding="utf-8").splitlines()]
    random.Random(options.seed).shuffle(rows)  # noqa: S311
    rows = rows[: options.limit]
    done = _done(options.out)
    groups = [rows[i : i + QUESTIONS_AT_ONCE] for i in range(0, len(rows), QUESTIONS_AT_ONCE)]
    pipeline = assemble(
        GuardConfig(preset=options.preset, calibration="none", form="long", dtype=options.dtype)
    )
    if options.realign:
        _realign(options.out, rows, pipeline.aligner, options.seed)
        return
    for group in track([g for g in groups if g[0]["id"] not in done], description="questions"):
        answers = list(_answers(group, rows, pipeline.language_model, options.seed))
        items = [as_input(row["question"], a["passages"], a["answer"]) for row, a in answers]
        scored = pipeline.run(items, deadline=Deadline(None), timings={})
        with options.out.open("a", encoding="utf-8") as file:
            for (row, made), result in zip(answers, scored, strict=True):
                for line in _labelled(row, made, result.claims):
                    file.write(json.dumps(line | {"dtype": options.dtype}, ensure_ascii=False) + "\n")


def _done(out: Path) -> set[str]:
    if not out.exists():
        return set()
    return {json.loads(line)["question_id"] for line in out.read_text(encoding="utf-8").splitlines()}


def _realign(path: Path, rows: Sequence[Row], aligner: Aligner, seed: int) -> None:
    by_id = {row["id"]: row for row in rows}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in track(lines, description="claims"):
        row = by_id[line["question_id"]]
        gold, other = _retrievals(row, rows, random.Random(f"{seed}{row['id']}"))  # noqa: S311
        passages = other if line["kind"] in {"blind", "misfiled"} else gold
        [[found]] = aligner.align([AlignmentJob([line["claim"]], [passage.text for passage in passages])])
        line["alignment"], line["max_nli"] = round(found.p_faithful, 6), best_max_nli(found)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def _answers(
    group: Sequence[Row], rows: Sequence[Row], model: LanguageModel, seed: int
) -> Iterator[tuple[Row, Row]]:
    found = [_retrievals(row, rows, random.Random(f"{seed}{row['id']}")) for row in group]  # noqa: S311
    prompts = [rag_prompt(row["question"], p) for row, pair in zip(group, found, strict=True) for p in pair]
    written = iter(model.generate(prompts, max_new_tokens=40))
    for row, (gold, other) in zip(group, found, strict=True):
        own, blind = (_first_sentence(next(written).text) for _ in range(2))
        yield row, {"kind": "own", "passages": gold, "answer": own}
        yield row, {"kind": "blind", "passages": other, "answer": blind}
        extract = _extract(row)
        if extract is None:
            continue
        sentence, answer = extract
        yield row, {"kind": "extract", "passages": gold, "answer": sentence}
        yield row, {"kind": "misfiled", "passages": other, "answer": sentence}
        wrong = _other_answer(answer, row, rows, random.Random(f"{seed}{row['id']}wrong"))  # noqa: S311
        if wrong is not None:
            swapped = sentence.replace(answer, wrong)
            yield row, {"kind": "swapped", "passages": gold, "answer": swapped, "wrong": wrong}


def _retrievals(row: Row, rows: Sequence[Row], chance: random.Random) -> tuple[list[Passage], list[Passage]]:
    others = [other for other in rows if other["title"] != row["title"] and not _holds_answer(other, row)]
    unrelated = [_passage(other) for other in chance.sample(others, 2 * PASSAGES - 1)]
    gold = [_passage(row), *unrelated[: PASSAGES - 1]]
    chance.shuffle(gold)
    return gold, unrelated[PASSAGES - 1 :]


def _passage(row: Row) -> Passage:
    return Passage(row["context"], title=row["title"])


def _holds_answer(other: Row, row: Row) -> bool:
    return any(normalise(answer) in normalise(other["context"]) for answer in row["answers"])


def _first_sentence(text: str) -> str:
    spans = split_sentences(text)
    return spans[0].text if spans else ""


def _extract(row: Row) -> tuple[str, str] | None:
    for span in split_sentences(row["context"]):
        for answer in row["answers"]:
            if re.search(rf"\b{re.escape(answer)}\b", span.text) and len(span.text.split()) <= 40:
                return span.text, answer
    return None


def _other_answer(answer: str, row: Row, rows: Sequence[Row], chance: random.Random) -> str | None:
    """An answer of the same kind to another question, as plausible as the true one."""
    candidates = [
        other["answers"][0]
        for other in rows
        if other["id"] != row["id"]
        and _kind(other["answers"][0]) == _kind(answer)
        and abs(len(other["answers"][0].split()) - len(answer.split())) <= 1
        and not any(normalise(a) == normalise(other["answers"][0]) for a in row["answers"])
    ]
    return chance.choice(candidates) if candidates else None


def _kind(answer: str) -> str:
    if re.search(r"\d", answer):
        return "year" if re.fullmatch(r"\d{4}", answer) else "number"
    return "name" if answer[:1].isupper() else "word"


def normalise(text: str) -> str:
    """Lower case, no punctuation or articles, single blanks around: for matching answers."""
    words = re.sub(r"[^\w\s]", " ", text.lower()).split()
    return f" {' '.join(word for word in words if word not in {'a', 'an', 'the'})} "


def _labelled(row: Row, made: Row, claims: Sequence[ScoredClaim]) -> Iterator[Row]:
    scored = [claim for claim in claims if claim.p_true is not None]
    right = [any(normalise(a) in normalise(claim.source_text) for a in row["answers"]) for claim in scored]
    for claim, holds in zip(scored, right, strict=True):
        label: bool | None = None
        if made["kind"] in {"extract", "misfiled"}:
            label = True
        elif made["kind"] == "swapped":
            label = False if normalise(made["wrong"]) in normalise(claim.source_text) else None
        elif holds:
            label = True
        elif len(scored) == 1:
            label = False
        if label is None:
            continue
        yield {
            "question_id": row["id"],
            "kind": made["kind"],
            "question": row["question"],
            "claim": claim.source_text,
            "true": label,
            "alignment": claim.signals.alignment,
            "max_claim_probability": claim.signals.max_claim_log_prob,
            "max_nli": claim.signals.max_nli,
            "parametric_knowledge": claim.signals.parametric_log_prob,
            "tokens": claim.signals.tokens,
        }


if __name__ == "__main__":
    main()
