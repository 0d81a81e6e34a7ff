"""Hedges: sentences that say themselves how sure they are.

The rules, in this order:

1. Code, questions, and text that may express doubt already ("may", "could") get the annotation instead.
   Text that surely does ("possibly", "it is believed") stays as it is.
2. If every claim of a sentence is doubtful and the sentence is surely a clause, it gets an opening:
   "Possibly, the tower ...", "The documents do not mention this, but the tower ...". Behind "However," and
   the like, it gets the adverb instead.
3. A doubtful part behind a conjunction or a relative pronoun gets the adverb: "and possibly has ...".
4. All else, fragments and table cells included, gets an aside: "Paris (uncertain)".

Claims that follow each other share one hedge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from franq_guard.claims.blocks import BlockKind
from franq_guard.rewriting import grammar
from franq_guard.rewriting.edits import Edit
from franq_guard.rewriting.hedges import Hedged, Language
from franq_guard.rewriting.marks import Annotator, neutral_marker
from franq_guard.rewriting.markup import ZoneKind
from franq_guard.rewriting.sentences import Sentence
from franq_guard.schema import ScoredClaim

_TABLE = frozenset({BlockKind.TABLE_ROW, BlockKind.TABLE_HEADER})
_OPENING_MARKS = "*_~"


@dataclass(frozen=True, slots=True)
class Hedger:
    """Hedges sentences of one answer.

    Attributes:
        language: the words to do it with; None if there are none for the answer's language.
        vocabulary: which words are names.
        annotator: for what can only be marked.
    """

    language: Language | None
    vocabulary: grammar.Vocabulary
    annotator: Annotator

    def hedge(
        self, sentence: Sentence, doubtful: Sequence[ScoredClaim], others: Sequence[ScoredClaim]
    ) -> tuple[list[Edit], list[str]]:
        """Hedges the doubtful claims of a sentence; `others` are those that stay in it as they are.

        Returns:
            Edits, and notes on claims that needed none.
        """
        if self.language is None:
            return [self.annotator.mark(sentence, claim, neutral_marker(claim)) for claim in doubtful], []
        if sentence.kind is BlockKind.CODE or sentence.is_question:
            return [self.annotator.annotate(sentence, claim) for claim in doubtful], []
        edits: list[Edit] = []
        notes: list[str] = []
        bare: list[ScoredClaim] = []
        for claim in doubtful:
            state = self._state(self.language, sentence, claim)
            if state is Hedged.NO:
                bare.append(claim)
            elif state is Hedged.UNSURE:
                edits.append(self.annotator.annotate(sentence, claim))
            else:
                notes.append(f"claim {claim.index + 1} is left as it is: it expresses doubt already")
        if not bare:
            return edits, notes
        if len(bare) == len(doubtful) and not others and sentence.kind not in _TABLE:
            return [*edits, *self._hedge_whole(self.language, sentence, bare)], notes
        if sentence.kind in _TABLE:
            return [*edits, self._aside(self.language, sentence, bare, after_adverb=False)], notes
        for run in _runs(sentence, bare, [claim for claim in sentence.claims if claim not in bare]):
            edits += self._hedge_part(self.language, sentence, run)
        return edits, notes

    def can_rephrase(self, sentence: Sentence) -> bool:
        """True for plain sentences that don't express doubt by themselves."""
        return (
            self.language is not None
            and sentence.kind in (BlockKind.PROSE, BlockKind.LIST_ITEM, BlockKind.QUOTE)
            and not sentence.is_question
            and not any(zone.kind is not ZoneKind.PARENTHESIS for zone in sentence.zones)
            and grammar.is_clause(sentence.text)
            and self.language.hedged(sentence.text) is Hedged.NO
        )

    def _state(self, language: Language, sentence: Sentence, claim: ScoredClaim) -> Hedged:
        """Looks at the claim's own words, outside quotations, and at those that open the sentence."""
        own = " ".join(_unquoted(sentence, span.start, span.end) for span in sentence.spans_of(claim))
        state = language.hedged(own)
        if state is Hedged.YES:
            return state
        opening = sentence.text.lstrip(_OPENING_MARKS)
        opening = opening[grammar.connective_end(opening) :]
        return Hedged.YES if language.opens_with_hedge(opening) else state

    def _hedge_whole(
        self, language: Language, sentence: Sentence, claims: Sequence[ScoredClaim]
    ) -> list[Edit]:
        text = sentence.text
        start = sentence.start + grammar.label_end(text)
        rest = sentence.answer[start : sentence.end]
        first = start + len(rest) - len(rest.lstrip(_OPENING_MARKS))
        if (
            sentence.kind is BlockKind.HEADING
            or not grammar.is_clause(rest)
            or grammar.is_clause(sentence.quotation_at(first))
            or sentence.in_parentheses(first)
            or rest.startswith("(")
        ):
            return [self._aside(language, sentence, claims, after_adverb=False)]
        if connective := grammar.connective_end(rest):
            return self._with_adverb(language, sentence, claims, start + connective)
        words = sentence.answer[first : sentence.end]
        case = self.vocabulary.first_word(words)
        opening = language.opening_for(
            (claim.verdict for claim in claims), before_capital=case is grammar.Case.UNSURE
        )
        if words[:1].islower():
            opening = opening[0].lower() + opening[1:]
        index = claims[0].index if len(claims) == 1 else None
        edits = [Edit(start, start, opening, index)]
        if case is grammar.Case.LOWER:
            edits.append(Edit(first, first + 1, words[0].lower(), index))
        return edits

    def _hedge_part(
        self, language: Language, sentence: Sentence, claims: Sequence[ScoredClaim]
    ) -> list[Edit]:
        start = _own_start(sentence, claims[0])
        start += grammar.joint_word_end(sentence.answer[start : sentence.end])
        before = sentence.answer[sentence.start : start]
        if start == sentence.start or sentence.quotation_at(start) or not grammar.follows_joint(before):
            return [self._aside(language, sentence, claims, after_adverb=False)]
        return self._with_adverb(language, sentence, claims, start)

    def _with_adverb(
        self, language: Language, sentence: Sentence, claims: Sequence[ScoredClaim], start: int
    ) -> list[Edit]:
        at = start + grammar.adverb_place(sentence.answer[start : sentence.end])
        index = claims[0].index if len(claims) == 1 else None
        edits = [Edit(at, at, f"{language.adverb} ", index)]
        if language.aside_for((claim.verdict for claim in claims), after_adverb=True):
            edits.append(self._aside(language, sentence, claims, after_adverb=True))
        return edits

    def _aside(
        self, language: Language, sentence: Sentence, claims: Sequence[ScoredClaim], *, after_adverb: bool
    ) -> Edit:
        words = language.aside_for((claim.verdict for claim in claims), after_adverb=after_adverb)
        last = max(claims, key=lambda claim: sentence.spans_of(claim)[-1].end)
        edit = self.annotator.mark(sentence, last, f"({words})")
        if sentence.in_parentheses(edit.start):
            edit = self.annotator.mark(sentence, last, f"[{words}]")
        return edit if len(claims) == 1 else Edit(edit.start, edit.end, edit.replacement)


def _own_start(sentence: Sentence, claim: ScoredClaim) -> int:
    """Where the words begin that no earlier claim of the sentence has."""
    earlier = {
        span.start
        for other in sentence.claims
        if other.index < claim.index
        for span in sentence.spans_of(other)
    }
    spans = sentence.spans_of(claim)
    return next((span.start for span in spans if span.start not in earlier), spans[0].start)


def _runs(
    sentence: Sentence, claims: Sequence[ScoredClaim], others: Sequence[ScoredClaim]
) -> list[list[ScoredClaim]]:
    """Groups claims between whose words no other claim has any."""
    foreign = [span.start for other in others for span in sentence.spans_of(other)]
    runs: list[list[ScoredClaim]] = []
    for claim in claims:
        start = _own_start(sentence, claim)
        if runs:
            before = max(sentence.spans_of(previous)[-1].end for previous in runs[-1])
            if not any(before <= place < start for place in foreign):
                runs[-1].append(claim)
                continue
        runs.append([claim])
    return runs


def _unquoted(sentence: Sentence, start: int, end: int) -> str:
    parts, at = [], start
    for zone in sentence.zones:
        if zone.kind is ZoneKind.QUOTE and zone.start >= at and zone.end <= end:
            parts.append(sentence.answer[at : zone.start])
            at = zone.end
    return "".join([*parts, sentence.answer[at:end]])
