"""Actions become text: the guarded answer, as edits to the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from franq_guard.claims.blocks import Block, split_blocks
from franq_guard.claims.language import detect_language
from franq_guard.policy import Policy
from franq_guard.rewriting import grammar
from franq_guard.rewriting.checks import flaws
from franq_guard.rewriting.cutting import cut_clauses
from franq_guard.rewriting.edits import Edit, Rewriting, apply_edits, apply_within, merge_edits
from franq_guard.rewriting.hedges import LANGUAGES
from franq_guard.rewriting.hedging import Hedger
from franq_guard.rewriting.lm import LMRewriter
from franq_guard.rewriting.marks import Annotator, marker
from franq_guard.rewriting.removal import Remover
from franq_guard.rewriting.sentences import Sentence, find_sentences
from franq_guard.schema import Action, Passage, ScoredClaim


@dataclass(slots=True)
class _Plan:
    """What happens to one sentence."""

    sentence: Sentence
    edits: list[Edit] = field(default_factory=list)
    removed: bool = False
    lost: list[ScoredClaim] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def rewrite(
    answer: str,
    claims: Sequence[ScoredClaim],
    policy: Policy,
    *,
    passages: Sequence[Passage] = (),
    language: str | None = None,
    rephraser: LMRewriter | None = None,
) -> Rewriting:
    """Carries out the actions of decided claims.

    Kept claims stay as they are, bit for bit; so do all characters outside the edits. A sentence that would
    come out malformed gets a plain marker instead.

    Args:
        answer: the answer, of any characters.
        claims: its claims, with the actions that `policy.apply` set.
        policy: what the actions look like.
        passages: named in footnotes; their words help to tell names from nouns.
        language: ISO 639-1 code of the answer; if None, detected from it, or from the passages.
        rephraser: tried first for sentences that are to be hedged as a whole.

    Raises:
        InputError: if a claim's spans don't belong to `answer`.
    """
    blocks = split_blocks(answer)
    if not blocks or all(claim.action is Action.KEEP for claim in claims):
        return Rewriting(answer)
    planned = plan_edits(
        answer, blocks, claims, policy, passages=passages, language=language, rephraser=rephraser
    )
    if planned.share_kept < policy.min_kept:
        return _blocked(answer, policy, TOO_LITTLE)
    merged = merge_edits([*planned.edits, *planned.footnotes])
    text = apply_edits(answer, merged)
    if not any(map(str.isalnum, text)):
        return _blocked(answer, policy, "nothing of the answer was left")
    return Rewriting(text, False, merged, planned.notes)


@dataclass(frozen=True, slots=True)
class PlannedEdits:
    """What the actions come to, before it is carried out.

    Attributes:
        edits: all but the list of footnotes.
        footnotes: the list, to go behind the answer.
        notes: see `Rewriting`.
        share_kept: of the characters in checkworthy claims, how many no removed claim has, in [0, 1].
    """

    edits: tuple[Edit, ...]
    footnotes: tuple[Edit, ...]
    notes: tuple[str, ...]
    share_kept: float


def plan_edits(
    answer: str,
    blocks: Sequence[Block],
    claims: Sequence[ScoredClaim],
    policy: Policy,
    *,
    passages: Sequence[Passage] = (),
    language: str | None = None,
    rephraser: LMRewriter | None = None,
    start: int = 0,
) -> PlannedEdits:
    """Turns actions into edits; see `rewrite`.

    Args:
        answer: the answer.
        blocks: its blocks, at least one.
        claims: its claims, decided.
        policy: what the actions look like.
        passages: see `rewrite`.
        language: see `rewrite`.
        rephraser: asked about sentences that begin at `start` or later.
        start: what lies before was rewritten already: no edit begins there.
    """
    sentences = find_sentences(answer, blocks, claims)
    annotator = Annotator(answer, blocks, policy.annotation, passages)
    hedger = Hedger(None, grammar.Vocabulary(), annotator)
    if any(claim.action is Action.HEDGE for claim in claims):
        texts = [answer, *(passage.text for passage in passages)]
        code = language or next(filter(None, map(detect_language, texts)), "en")
        hedger = Hedger(LANGUAGES.get(code), grammar.Vocabulary.of(texts), annotator)
    plans = _Planner(hedger, annotator, rephraser, start).plan(sentences)
    remover = Remover(answer, blocks, sentences, policy.block_mode, policy.sentence_message)
    removals = remover.remove([plan.sentence for plan in plans if plan.removed])
    staying = [edit for plan in plans if not plan.removed for edit in plan.edits]
    new = [plan for plan in plans if plan.sentence.start >= start]
    edits = [edit for plan in new if not plan.removed for edit in plan.edits]
    return PlannedEdits(
        edits=(*(_clamped(edit, start) for edit in edits), *_behind(removals, start)),
        footnotes=tuple(annotator.footnotes([*staying, *removals])),
        notes=(*(note for plan in new for note in plan.notes), *_dangling(plans, start)),
        share_kept=_share_kept(claims, {claim.index for plan in plans for claim in plan.lost}),
    )


TOO_LITTLE = "too little of the answer was left"


def _clamped(edit: Edit, start: int) -> Edit:
    return replace(edit, start=max(edit.start, start), end=max(edit.end, start))


def _behind(removals: Sequence[Edit], start: int) -> list[Edit]:
    """What is left of removals when nothing before `start` can be changed any more."""
    # A message that stands for several sentences was shown with the first of them.
    return [
        edit if edit.start >= start else _clamped(replace(edit, replacement=""), start)
        for edit in removals
        if edit.start >= start or edit.end > start
    ]


class _Planner:
    """Decides sentence by sentence what to edit."""

    def __init__(
        self, hedger: Hedger, annotator: Annotator, rephraser: LMRewriter | None, start: int
    ) -> None:
        self._hedger = hedger
        self._annotator = annotator
        self._rephraser = rephraser
        self._start = start

    def plan(self, sentences: Sequence[Sentence]) -> list[_Plan]:
        """Plans every sentence; order is kept."""
        rephrased = self._rephrase(sentences)
        return [self._plan(sentence, rephrased.get(sentence.start)) for sentence in sentences]

    def _plan(self, sentence: Sentence, rephrased: str | None) -> _Plan:
        plan = _Plan(sentence)
        blocked = [claim for claim in sentence.claims if claim.action is Action.BLOCK]
        staying = [claim for claim in sentence.claims if claim.action is not Action.BLOCK]
        if blocked:
            cut = cut_clauses(sentence, blocked, staying)
            if cut is None or flaws(sentence.text, _result(sentence, cut)):
                return self._remove(plan, blocked, staying)
            plan.lost, plan.edits = blocked, cut
        if rephrased is not None:
            plan.edits.append(Edit(sentence.start, sentence.end, rephrased, _only(staying)))
            return plan
        changes, notes = self._change(sentence, staying)
        if changes and (found := flaws(sentence.text, _result(sentence, [*plan.edits, *changes]))):
            names = _names([claim for claim in staying if claim.action is not Action.KEEP])
            notes = [f"{names} got a plain marker: rewriting left {', '.join(found)}"]
            changes = [
                self._annotator.mark_end(sentence, claim, marker(claim))
                for claim in staying
                if claim.action is not Action.KEEP
            ]
        plan.edits += changes
        plan.notes += notes
        return plan

    def _change(self, sentence: Sentence, staying: Sequence[ScoredClaim]) -> tuple[list[Edit], list[str]]:
        doubtful = [claim for claim in staying if claim.action is Action.HEDGE]
        others = [claim for claim in staying if claim.action is not Action.HEDGE]
        edits: list[Edit] = []
        notes: list[str] = []
        if doubtful:
            edits, notes = self._hedger.hedge(sentence, doubtful, others)
        marked = [claim for claim in others if claim.action is Action.ANNOTATE]
        marked.sort(key=lambda claim: sentence.spans_of(claim)[-1].end)
        edits += [self._annotator.annotate(sentence, claim) for claim in marked]
        return edits, notes

    def _remove(self, plan: _Plan, blocked: list[ScoredClaim], staying: list[ScoredClaim]) -> _Plan:
        plan.removed = True
        plan.lost = [*blocked, *staying]
        if staying:
            plan.notes.append(
                f"{_names(staying)} went with {_names(blocked)}: their sentence could not be split"
            )
        return plan

    def _rephrase(self, sentences: Sequence[Sentence]) -> dict[int, str]:
        if self._rephraser is None:
            return {}
        wanted = [
            sentence
            for sentence in sentences
            if "\n" not in sentence.text
            and sentence.start >= self._start
            and sentence.claims
            and self._hedger.can_rephrase(sentence)
            and all(claim.action is Action.HEDGE for claim in sentence.claims)
        ]
        found = self._rephraser.rephrase([(sentence.text, sentence.claims) for sentence in wanted])
        return {
            sentence.start: text
            for sentence, text in zip(wanted, found, strict=True)
            if text is not None and not flaws(sentence.text, text)
        }


def _result(sentence: Sentence, edits: Sequence[Edit]) -> str:
    inside = [edit for edit in edits if sentence.start <= edit.start and edit.end <= sentence.end]
    return apply_within(sentence.answer, inside, sentence.start, sentence.end)


def _share_kept(claims: Sequence[ScoredClaim], lost: set[int]) -> float:
    """Share of the characters in checkworthy claims, white space left out, that no removed claim has."""
    total: set[int] = set()
    gone: set[int] = set()
    for claim in claims:
        if claim.checkworthy:
            places = {
                span.start + at
                for span in claim.spans
                for at, char in enumerate(span.text)
                if not char.isspace()
            }
            total |= places
            if claim.index in lost:
                gone |= places
    return 1 - len(gone) / len(total) if total else 1.0


def _blocked(answer: str, policy: Policy, why: str) -> Rewriting:
    edit = Edit(0, len(answer), policy.answer_message)
    return Rewriting(policy.answer_message, True, (edit,), (f"the answer was replaced: {why}",))


def _dangling(plans: Sequence[_Plan], start: int) -> list[str]:
    """Notes on sentences, from `start` on, that refer to one that was removed right before them."""
    notes = []
    for previous, plan in pairwise(plans):
        if plan.sentence.start < start:
            continue
        if previous.removed and not plan.removed and grammar.starts_with_anaphor(plan.sentence.text):
            word = grammar.words_of(plan.sentence.text)[0]
            notes.append(
                f"the sentence behind {_names(previous.lost)} begins with “{word}”; check what it refers to"
            )
    return notes


def _names(claims: Sequence[ScoredClaim]) -> str:
    """Numbers from 1, as in the reports."""
    numbers = ", ".join(str(claim.index + 1) for claim in claims)
    return f"claim{'s' * (len(claims) != 1)} {numbers}"


def _only(claims: Sequence[ScoredClaim]) -> int | None:
    return claims[0].index if len(claims) == 1 else None
