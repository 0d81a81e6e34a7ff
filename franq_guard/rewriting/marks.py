"""Annotations: markers and footnotes behind a claim's words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from franq_guard.claims.blocks import Block, BlockKind
from franq_guard.policy import Annotation
from franq_guard.rewriting.edits import Edit
from franq_guard.rewriting.sentences import Sentence
from franq_guard.rewriting.wording import one_line, percent
from franq_guard.schema import Evidence, Passage, ScoredClaim, Verdict

_QUOTE_LIMIT = 200
_TITLE_LIMIT = 80
_SPECIAL = re.compile(r"[\\`\[\]<]")
_LABEL = re.compile(r"\[\^g+\d+\]")
_SIGNS = frozenset(".,;:!?…。！？，；：*_~")


def marker(claim: ScoredClaim) -> str:
    """The annotation of a claim: "[72% likely true · source 1]"."""
    if claim.p_true is None or claim.verdict is Verdict.UNCHECKED:
        return "[not checked]"
    words = f"{percent(claim.p_true)} likely true"
    if claim.verdict is Verdict.NOT_MENTIONED:
        return f"[{words} · not in the sources]"
    if not claim.evidence:
        return f"[{words}]"
    source = f"source {claim.evidence[0].passage + 1}"
    if claim.verdict is Verdict.CONTRADICTED:
        source = f"contradicted by {source}"
    return f"[{words} · {source}]"


def neutral_marker(claim: ScoredClaim) -> str:
    """The same without words: "[42%?]"."""
    return "[?]" if claim.p_true is None else f"[{percent(claim.p_true)}?]"


class Annotator:
    """Puts markers where the policy wants them, and keeps the list of footnotes.

    Args:
        answer: the answer that is annotated.
        blocks: its blocks.
        style: "inline" or "footnotes".
        passages: sources named in the footnotes.
    """

    def __init__(
        self, answer: str, blocks: Sequence[Block], style: Annotation, passages: Sequence[Passage]
    ) -> None:
        self._answer = answer
        self._blocks = blocks
        self._style = style
        self._passages = passages
        self._prefix = "g"
        while f"[^{self._prefix}" in answer:
            self._prefix += "g"
        self._notes: dict[str, ScoredClaim] = {}

    def annotate(self, sentence: Sentence, claim: ScoredClaim) -> Edit:
        """Marks a claim the way the policy wants."""
        if self._style == "inline" or sentence.kind is BlockKind.CODE:
            return self.mark(sentence, claim, marker(claim))
        label = f"[^{self._prefix}{len(self._notes) + 1}]"
        self._notes[label] = claim
        if sentence.kind in (BlockKind.TABLE_ROW, BlockKind.TABLE_HEADER):
            at = self._cell_end(sentence)
        else:
            at = sentence.place_behind(sentence.spans_of(claim)[-1].end)
            while at < sentence.end and self._answer[at] in _SIGNS:
                at += 1
        return Edit(at, at, label, claim.index)

    def mark(self, sentence: Sentence, claim: ScoredClaim, text: str) -> Edit:
        """Puts a text behind the claim's words: inside the last cell of a table row, and beside code."""
        if sentence.kind is BlockKind.CODE:
            return self._beside_code(sentence, claim, text)
        if sentence.kind in (BlockKind.TABLE_ROW, BlockKind.TABLE_HEADER):
            return self._spaced(self._cell_end(sentence), text, claim)
        at = sentence.place_behind(sentence.spans_of(claim)[-1].end)
        return self._spaced(at, text, claim)

    def mark_end(self, sentence: Sentence, claim: ScoredClaim, text: str) -> Edit:
        """Puts a text behind the whole sentence: always safe, if not pretty."""
        if sentence.kind is not BlockKind.PROSE:
            return self.mark(sentence, claim, text)
        return self._spaced(sentence.end, text, claim)

    def footnotes(self, used_in: Sequence[Edit]) -> list[Edit]:
        """The list of the footnotes that these edits refer to, to go behind the answer."""
        labels = set(_LABEL.findall("\n".join(edit.replacement for edit in used_in)))
        used = [f"{label}: {self._explain(claim)}" for label, claim in self._notes.items() if label in labels]
        if not used:
            return []
        last = self._blocks[-1]
        if last.kind is BlockKind.CODE and not _is_closed(self._answer[last.start : last.end]):
            at = _line_start(self._answer, last.start)
            return [Edit(at, at, "\n".join(used) + "\n\n")]
        at = len(self._answer.rstrip())
        return [Edit(at, at, "\n\n" + "\n".join(used))]

    def _spaced(self, at: int, text: str, claim: ScoredClaim) -> Edit:
        before = "" if at == 0 or self._answer[at - 1].isspace() else " "
        after = " " if self._answer[at : at + 1] == "|" else ""
        return Edit(at, at, f"{before}{text}{after}", claim.index)

    def _cell_end(self, sentence: Sentence) -> int:
        return self._blocks[sentence.block].cells[-1][1]

    def _beside_code(self, sentence: Sentence, claim: ScoredClaim, text: str) -> Edit:
        block = self._blocks[sentence.block]
        line = _line_start(self._answer, block.start)
        indent = self._answer[line : block.start]
        if _is_closed(self._answer[block.start : block.end]):
            return Edit(block.end, block.end, f"\n\n{indent if indent.isspace() else ''}{text}", claim.index)
        return Edit(line, line, f"{text}\n\n", claim.index)

    def _explain(self, claim: ScoredClaim) -> str:
        if claim.p_true is None or claim.verdict is Verdict.UNCHECKED:
            reason = one_line(claim.unchecked_reason, _QUOTE_LIMIT)
            return f"Not checked: {_plain(reason)}." if reason else "Not checked."
        words = f"{percent(claim.p_true)} likely true."
        if claim.verdict is Verdict.NOT_MENTIONED:
            return f"{words} The sources do not mention it."
        if not claim.evidence:
            return words
        says = "Contradicted by source" if claim.verdict is Verdict.CONTRADICTED else "Source"
        return f"{words} {says} {self._source(claim.evidence[0])}"

    def _source(self, evidence: Evidence) -> str:
        name = ""
        if 0 <= evidence.passage < len(self._passages):
            passage = self._passages[evidence.passage]
            title = one_line(passage.title or passage.id or "", _TITLE_LIMIT)
            name = f" ({_plain(title)})" if title else ""
        return f"{evidence.passage + 1}{name}: “{_plain(one_line(evidence.text, _QUOTE_LIMIT))}”"


def _plain(text: str) -> str:
    """Takes links, code and tags out of effect: a passage must not bring its own markup into the answer."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _is_closed(code: str) -> bool:
    """False for a code block that opens a fence and doesn't close it."""
    lines = code.splitlines()
    fence = re.match(r"`{3,}|~{3,}", lines[0])
    return fence is None or (len(lines) > 1 and lines[-1].strip().startswith(fence.group()))


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1
