"""From a data set to labelled claims with signals: answers, claims, labels, and what the models say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from franq_guard.claims import split_sentences
from franq_guard.claims.spans import ClaimLocator
from franq_guard.evaluation.answers import is_right
from franq_guard.evaluation.baselines import ALIGNMENT, BASELINES, gather_value
from franq_guard.evaluation.datasets import Example
from franq_guard.evaluation.gathered import Gathered
from franq_guard.evaluation.gathering import Gatherer
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.evaluation.signal_file import SignalFile
from franq_guard.evaluation.similarity import Similarity
from franq_guard.inputs import as_input
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.drafts import Draft
from franq_guard.pipeline.log_probs import fit_to_prompt
from franq_guard.pipeline.pipeline import Pipeline
from franq_guard.pipeline.prompts import short_answer_prompt
from franq_guard.pipeline.stages import Stages
from franq_guard.schema import Claim, Span

_QUESTIONS_AT_ONCE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Collector:
    """Gives claims their signals.

    Attributes:
        pipeline: models and settings, the same as a guard's.
        similarity: for TokenSAR and SentenceSAR.
        baselines: names of those that are wanted.
    """

    pipeline: Pipeline
    similarity: Similarity
    baselines: Collection[str]

    def collect(
        self,
        examples: Sequence[Example],
        file: SignalFile,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[LabelledClaim]:
        """Collects for the examples that the file does not hold yet, and appends to it.

        Args:
            examples: of one form.
            file: keeps the rows.
            progress: called with (examples done, examples in all).

        Returns:
            The rows of all examples.

        Raises:
            ModelError: if a model fails.
            ConfigError: if the language model does not show what a baseline needs.
        """
        wanted = {example.id for example in examples}
        rows = [row for row in file.resume() if row.question_id in wanted]
        done = {row.question_id for row in rows}
        open_ones = [example for example in examples if example.id not in done]
        gatherer = Gatherer(
            pipeline=replace(self.pipeline, form="short"),
            similarity=self.similarity,
            baselines=self.baselines,
        )
        finished = len(examples) - len(open_ones)
        if progress is not None:
            progress(finished, len(examples))
        for group in _groups(open_ones):
            found = self._collect(group, gatherer)
            file.append(found)
            rows.extend(found)
            finished += len(group)
            if progress is not None:
                progress(finished, len(examples))
        return rows

    def _collect(self, examples: Sequence[Example], gatherer: Gatherer) -> list[LabelledClaim]:
        drafts = self._drafts(examples, gatherer.pipeline)
        numbers = {
            form: [n for n, draft in enumerate(drafts) if draft.form == form and draft.open()]
            for form in ("long", "short")
        }
        gathered: dict[int, dict[int, Gathered]] = {}
        for chosen in numbers.values():
            found = gatherer.gather([drafts[n] for n in chosen], Stages(Deadline(None), {})) if chosen else []
            gathered.update(zip(chosen, found, strict=True))
        return [
            row
            for number, (example, draft) in enumerate(zip(examples, drafts, strict=True))
            for row in self._rows(example, draft, gathered.get(number, {}))
        ]

    def _drafts(self, examples: Sequence[Example], pipeline: Pipeline) -> list[Draft]:
        """Labelled claims as they are; answers to the other questions are generated."""
        asked = [example for example in examples if not example.claims]
        model = pipeline.language_model
        prompts = []
        for example in asked:
            item = as_input(example.question, example.passages, "")
            question, passages = fit_to_prompt(model, item, pipeline.limits.max_prompt_tokens, [])
            prompts.append(short_answer_prompt(question, passages))
        # One by one: each prompt is kept for the samples and scores that are asked for next.
        written = iter(
            [
                model.generate([prompt], max_new_tokens=pipeline.short_form.max_new_tokens)[0]
                for prompt in prompts
            ]
        )
        drafts = []
        for example in examples:
            if example.claims:
                drafts.append(_labelled_draft(example))
            else:
                answer = _first_line(next(written).text)
                drafts.append(pipeline.draft(as_input(example.question, example.passages, answer)))
        return drafts

    def _rows(self, example: Example, draft: Draft, gathered: dict[int, Gathered]) -> list[LabelledClaim]:
        if not example.claims:
            open_ones = draft.open()
            found = gathered.get(open_ones[0].index) if open_ones else None
            return [self._row(self._judged(example, draft), found, example, draft)]
        places = {row.id: number for number, row in enumerate({r.id: r for r in example.claims}.values())}
        return [self._row(row, gathered.get(places[row.id]), example, draft) for row in example.claims]

    def _judged(self, example: Example, draft: Draft) -> LabelledClaim:
        """A generated answer; without a claim to check, nothing was attempted, and it has no label."""
        answer, attempted = draft.item.answer, bool(draft.open())
        return LabelledClaim(
            id=f"{example.id}-0",
            question_id=example.id,
            question=example.question,
            claim=answer,
            sentence=answer,
            form="short",
            true=is_right(answer, example.question, example.answers) if attempted else None,
            annotator="match",
            extra={"accepted": list(example.answers), "attempted": attempted},
        )

    def _row(
        self, row: LabelledClaim, found: Gathered | None, example: Example, draft: Draft
    ) -> LabelledClaim:
        extra: dict[str, Any] = {
            "answer": draft.item.answer,
            "passages": [{"title": p.title or "", "text": p.text} for p in example.passages],
        }
        if example.changed:
            extra["changed"] = [dict(change) for change in example.changed]
        if found is not None and found.samples is not None:
            extra["drawn"] = list(found.samples.texts)
        pipeline = self.pipeline
        return replace(
            row,
            alignment=None if found is None else found.alignment,
            signals={} if found is None else self._signals(found, draft.form),
            language_model=pipeline.language_model.id,
            alignment_model=pipeline.aligner.id,
            samples=pipeline.short_form.samples if draft.form == "short" else None,
            extra=dict(row.extra) | extra,
        )

    def _signals(self, found: Gathered, form: str) -> dict[str, float]:
        values = {
            name: gather_value(BASELINES[name], found)
            for name in self.baselines
            if name != ALIGNMENT and form in BASELINES[name].forms
        }
        return {name: value for name, value in values.items() if value is not None}


def _groups(examples: Sequence[Example]) -> list[list[Example]]:
    """A few questions at a time; all answers to one question stay together."""
    by_question: dict[str, list[Example]] = {}
    for example in examples:
        by_question.setdefault(example.id, []).append(example)
    questions = list(by_question.values())
    return [
        [example for question in questions[start : start + _QUESTIONS_AT_ONCE] for example in question]
        for start in range(0, len(questions), _QUESTIONS_AT_ONCE)
    ]


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _labelled_draft(example: Example) -> Draft:
    """Claims found in the answer again; those that are not stay without signals."""
    item = as_input(example.question, example.passages, example.answer)
    sentences = [Span.of(example.answer, s.start, s.end) for s in split_sentences(example.answer)]
    locator = ClaimLocator(sentences)
    draft = Draft(item, (), [], example.form, "the claims are labelled")
    claims = []
    for index, row in enumerate({row.id: row for row in example.claims}.values()):
        spans = _spans(row, example.answer, locator)
        if example.form == "short" and example.answer.strip():
            start = len(example.answer) - len(example.answer.lstrip())
            spans = (Span.of(example.answer, start, start + len(example.answer.strip())),)
        if spans is None:
            continue
        sentence = next((s for s in sentences if s.start <= spans[0].start < s.end), spans[0])
        claims.append(Claim(index=index, text=row.claim, spans=spans, sentence=sentence))
    draft.claims = tuple(claims)
    return draft


def _spans(row: LabelledClaim, answer: str, locator: ClaimLocator) -> tuple[Span, ...] | None:
    """Where the answer says the claim: by its recorded spans, word for word, or by its words in order."""
    recorded = row.extra.get("spans")
    at = answer.find(row.sentence) if row.sentence else -1
    if at >= 0 and isinstance(recorded, list) and recorded:
        try:
            return tuple(Span.of(answer, at + start, at + end) for start, end in recorded)
        except (TypeError, ValueError):
            pass
    place = answer.find(row.claim) if row.claim.strip() else -1
    if place >= 0:
        return (Span.of(answer, place, place + len(row.claim)),)
    return locator.locate(row.claim)
