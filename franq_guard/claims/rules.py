"""Claims by rules: blocks, sentences, check-worthiness, clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from franq_guard.claims.base import Extraction
from franq_guard.claims.blocks import Block, BlockKind, split_blocks
from franq_guard.claims.checkworthiness import checkworthiness
from franq_guard.claims.clauses import split_clauses
from franq_guard.claims.language import detect_language
from franq_guard.claims.lines import Range
from franq_guard.claims.plain import plain_text
from franq_guard.claims.questions import answer_statement, is_yes_no_question, polarity, split_polarity
from franq_guard.claims.sentences import block_sentences
from franq_guard.claims.subjects import Subject, antecedent_of, resolve_pronoun
from franq_guard.claims.verbs import has_finite_verb
from franq_guard.errors import ConfigError
from franq_guard.schema import Claim, Span

_MAX_FRAGMENT = 12
"""Words up to which a text without a verb is taken as an answer to the question, or a member of a list."""
_RUNNING_TEXT = frozenset({BlockKind.PROSE, BlockKind.QUOTE, BlockKind.LIST_ITEM})


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim that has no number yet.

    Attributes:
        text: as it is checked.
        ranges: characters of the answer that express it; sorted, disjoint.
        sentence: characters of the sentence that holds the first of them.
        reason: why it is not checkworthy; empty otherwise.
        extractor: "rules" or "llm".
    """

    text: str
    ranges: Sequence[Range]
    sentence: Range
    reason: str = ""
    extractor: str = "rules"


class RuleExtractor:
    """Splits an answer into claims without a model.

    English sentences are split into clauses, and the subject or antecedent is put in where that is safe;
    other languages are split into sentences. A bare answer is joined with its question. Every character of
    the answer that is not white space lies in the `sentence` of a claim or is structural markup: list
    markers, heading signs, quote signs, table pipes and rules, code fences around text.

    Args:
        max_claims: claims from this index on are returned too, but a note says that they are not to be
            checked.

    Raises:
        ConfigError: if `max_claims` is not positive.
    """

    def __init__(self, max_claims: int = 500) -> None:
        if max_claims < 1:
            raise ConfigError(f"max_claims must be at least 1, not {max_claims}")
        self.max_claims = max_claims

    def extract(self, answer: str, *, question: str = "") -> Extraction:
        """Finds the claims of an answer, in the order of their first characters."""
        drafts = list(_Reader(answer, question).drafts())
        return Extraction(
            claims=number_claims(answer, drafts),
            notes=limit_notes(len(drafts), self.max_claims),
            method="rules",
        )


def number_claims(answer: str, drafts: Sequence[Draft]) -> tuple[Claim, ...]:
    """Makes claims of drafts, sorted by place."""
    ordered = sorted(drafts, key=lambda draft: tuple(draft.ranges))
    return tuple(
        Claim(
            index=index,
            text=draft.text,
            spans=tuple(Span.of(answer, start, end) for start, end in draft.ranges),
            sentence=Span.of(answer, *draft.sentence),
            checkworthy=not draft.reason,
            reason=draft.reason,
            extractor=draft.extractor,
        )
        for index, draft in enumerate(ordered)
    )


def limit_notes(count: int, max_claims: int) -> tuple[str, ...]:
    """The note that claims beyond a limit are not checked, if there are any."""
    return (f"claims beyond the first {max_claims} are not checked",) if count > max_claims else ()


class _Reader:
    """Reads an answer once, from top to bottom, and remembers what the text was about."""

    def __init__(self, answer: str, question: str) -> None:
        self.answer = answer
        self.question = plain_text(question)
        # Without its mark, or a sentence splitter would take question and answer apart.
        self.asked = f"{asked}:" if (asked := self.question.rstrip("?？؟ ")) else ""
        self.language = detect_language(answer)
        self.english = self.language in {"en", None}
        self.antecedent: Subject | None = None
        self.lead_in = ""

    def drafts(self) -> Iterator[Draft]:
        """Gives the claims of every block."""
        blocks = [block for block in split_blocks(self.answer) if block.lines]
        sentences = [block_sentences(self.answer, block, language=self.language) for block in blocks]
        alone = sum(map(len, sentences)) == 1
        for at, (block, ranges) in enumerate(zip(blocks, sentences, strict=True)):
            kind = block.kind
            if kind is BlockKind.HEADING and at + 1 == len(blocks):
                kind = BlockKind.PROSE  # nothing follows: it is no title
            if kind not in _RUNNING_TEXT:
                self.antecedent = None
                self.lead_in = ""
            for sentence in ranges:
                first = at == 0 and sentence == ranges[0]
                yield from self._sentence(block, kind, sentence, first=first, alone=alone)
                self._remember(kind, sentence)

    def _sentence(
        self, block: Block, kind: BlockKind, sentence: Range, *, first: bool, alone: bool
    ) -> Iterator[Draft]:
        raw = self.answer[slice(*sentence)]
        text = plain_text(raw)
        if kind is BlockKind.TABLE_ROW:
            text = self._row_text(block)
        if first and self.english and self.question and kind in _RUNNING_TEXT:
            bare = polarity(text)
            if bare is not None:
                statement = self._answered(bare)
                yield Draft(statement or f"{self.asked} {text}", [sentence], sentence)
                self.antecedent = antecedent_of(statement or "", None)
                return
            if (lead := split_polarity(raw)) and is_yes_no_question(self.question):
                yield from self._after_polarity(sentence, *lead)
                return
        reason = checkworthiness(raw, kind=kind)
        if reason or kind is BlockKind.TABLE_ROW:
            yield Draft(text or raw, [sentence], sentence, reason)
        elif (frame := self._frame(kind, text, alone=alone)) is not None:
            yield Draft(f"{frame} {text}", [sentence], sentence)
        else:
            yield from self._statements(sentence, sentence)

    def _after_polarity(self, sentence: Range, yes: bool, word_end: int, rest: int) -> Iterator[Draft]:
        """Handles "No, it is in France.": the "No" is a claim of its own if the question can be turned."""
        start = sentence[0]
        if (statement := self._answered(yes)) is not None:
            yield Draft(statement, [(start, start + word_end)], sentence)
            yield from self._statements((start + rest, sentence[1]), sentence)
        else:
            yield Draft(f"{self.asked} {plain_text(self.answer[slice(*sentence)])}", [sentence], sentence)

    def _answered(self, yes: bool) -> str | None:
        return answer_statement(self.question, yes=yes)

    def _statements(self, part: Range, sentence: Range) -> Iterator[Draft]:
        start, end = part
        raw = self.answer[start:end]
        if not self.english:
            yield Draft(plain_text(raw) or raw, [part], sentence)
            return
        clauses = split_clauses(raw)
        antecedent = self.antecedent
        for clause in clauses:
            text = plain_text(clause.text)
            reason = checkworthiness(text, kind=BlockKind.PROSE) if len(clauses) > 1 else ""
            ranges = [(start + left, start + right) for left, right in clause.ranges]
            yield Draft(resolve_pronoun(text, antecedent) or raw, ranges, sentence, reason)
            antecedent = antecedent_of(text, antecedent)

    def _frame(self, kind: BlockKind, text: str, *, alone: bool) -> str | None:
        """What a fragment needs in front of it to say something: the line above its list, or the question."""
        if not self.english or has_finite_verb(text) or len(text.split()) > _MAX_FRAGMENT:
            short = alone and kind in _RUNNING_TEXT and len(text) <= _MAX_FRAGMENT * 2
            return self.asked if self.asked and short and not self.english else None
        if kind is BlockKind.LIST_ITEM and self.lead_in:
            return self.lead_in
        if self.asked and (alone or kind is BlockKind.LIST_ITEM):
            return self.asked
        return None

    def _row_text(self, block: Block) -> str:
        cells = [plain_text(self.answer[slice(*cell)]) for cell in block.cells]
        titles = [plain_text(title) for title in block.header] + [""] * len(cells)
        pairs = [
            f"{title}: {cell}" if title else cell for title, cell in zip(titles, cells, strict=False) if cell
        ]
        return "; ".join(pairs)

    def _remember(self, kind: BlockKind, sentence: Range) -> None:
        text = plain_text(self.answer[slice(*sentence)])
        if not self.english or kind not in _RUNNING_TEXT or polarity(text) is not None:
            return
        if kind is BlockKind.PROSE:
            self.lead_in = text if text.endswith(":") else ""
        self.antecedent = antecedent_of(text, self.antecedent)
