"""Takes a blocked claim out of a sentence whose other claims may stay, where what is left is a good sentence.

Three shapes are cut: the last clauses ("A is x, and B is y." -> "A is x."); the first ones, if those behind
have a subject, their own or the same ("A is x and has y." -> "A has y."); and a part inside another claim or
between two that share its subject ("The tower, which was ..., is x." -> "The tower is x."). In any other case
the whole sentence has to go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from franq_guard.claims.blocks import BlockKind
from franq_guard.rewriting import grammar
from franq_guard.rewriting.checks import is_balanced
from franq_guard.rewriting.edits import Edit
from franq_guard.rewriting.sentences import Sentence
from franq_guard.schema import ScoredClaim

_UNCUT = frozenset({BlockKind.CODE, BlockKind.TABLE_ROW, BlockKind.TABLE_HEADER, BlockKind.MARKUP})
_JOINTS = re.compile(
    r"[\s,;:–—-]*(?:(?:and|but|so|yet|while|whereas|although|though|because|since|which|who|where|also|then|thus)"
    r"(?!\w)[\s,]*){0,3}",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"(?<!\w)(?:or|nor|that|than|respectively)(?!\w)", re.IGNORECASE)
_INSERTION = re.compile(r"\s*,\s*(?:which|who|whose|whom|where|when)(?!\w)", re.IGNORECASE)
_SUBJECT_PROBE = 20
"""Characters of a claim's own words by which they are found in its text."""
_LIST_GAP = re.compile(r"\s*,\s*")


def cut_clauses(
    sentence: Sentence, blocked: Sequence[ScoredClaim], kept: Sequence[ScoredClaim]
) -> list[Edit] | None:
    """Deletes the words of the blocked claims.

    Returns:
        The deletions; None if the sentence can't be cut without harm.
    """
    if sentence.kind in _UNCUT or not kept or grammar.needs_its_other_half(sentence.text):
        return None
    blocked_ranges = sorted((s.start, s.end) for claim in blocked for s in sentence.spans_of(claim))
    kept_ranges = sorted((s.start, s.end) for claim in kept for s in sentence.spans_of(claim))
    if any(
        start < end_kept and start_kept < end
        for start, end in blocked_ranges
        for start_kept, end_kept in kept_ranges
    ):
        return None
    index = blocked[0].index if len(blocked) == 1 else None
    if kept_ranges[-1][1] <= blocked_ranges[0][0]:
        return _cut_end(sentence, kept_ranges, blocked_ranges, index)
    if blocked_ranges[-1][1] <= kept_ranges[0][0]:
        return _cut_start(sentence, kept, kept_ranges[0][0], blocked_ranges, index)
    if len(blocked_ranges) == 1:
        return _cut_middle(sentence, kept_ranges, blocked_ranges[0], index)
    return None


def _cut_end(
    sentence: Sentence,
    kept: Sequence[tuple[int, int]],
    blocked: Sequence[tuple[int, int]],
    index: int | None,
) -> list[Edit] | None:
    answer = sentence.answer
    start, end = sentence.place_behind(kept[-1][1]), sentence.body_end
    before = answer[sentence.start : start]
    joint = answer[start : blocked[0][0]]
    tail = answer[blocked[-1][1] : end]
    if (
        not grammar.is_clause(before)
        or _JOINTS.fullmatch(joint) is None
        or _ALTERNATIVE.match(answer[blocked[0][0] : blocked[0][0] + 20])
        or _ALTERNATIVE.search(answer[blocked[0][0] : end][-20:])
        or any(map(str.isalnum, tail))
        or not is_balanced(answer[start:end])
    ):
        return None
    edits = [Edit(start, end, "", index)]
    if len(kept) > 1 and _LIST_GAP.fullmatch(answer[kept[-2][1] : kept[-1][0]]):
        shares_subject = grammar.starts_with_verb(answer[kept[-1][0] : kept[-1][1]])
        edits.insert(0, Edit(kept[-2][1], kept[-1][0], " and " if shares_subject else ", and ", index))
    return edits


def _cut_start(
    sentence: Sentence,
    kept: Sequence[ScoredClaim],
    start_kept: int,
    blocked: Sequence[tuple[int, int]],
    index: int | None,
) -> list[Edit] | None:
    answer = sentence.answer
    start = sentence.start + grammar.label_end(sentence.text)
    lead = grammar.connective_end(answer[start : sentence.end])
    start += lead
    rest = answer[start_kept : sentence.end]
    joint = answer[blocked[-1][1] : start_kept]
    if (
        blocked[0][0] > start
        or _JOINTS.fullmatch(joint) is None
        or _ALTERNATIVE.match(rest)
        or not is_balanced(answer[start:start_kept])
    ):
        return None
    if subject := _shared_subject(sentence, start, start_kept, kept):
        return [Edit(start + len(subject), start_kept, " ", index)]
    if grammar.starts_with_anaphor(rest) or not grammar.is_clause(rest):
        return None
    edits = [Edit(start, start_kept, "", index)]
    if not lead and answer[start].isupper() and rest[0].islower():
        edits.append(Edit(start_kept, start_kept + 1, rest[0].upper(), index))
    return edits


def _shared_subject(sentence: Sentence, start: int, start_kept: int, kept: Sequence[ScoredClaim]) -> str:
    """The subject with which the sentence begins, if the first kept claim has it too; else empty."""
    text = sentence.answer[start:start_kept]
    first = next(claim for claim in kept if sentence.spans_of(claim)[0].start == start_kept)
    own = sentence.spans_of(first)[0].text
    at = first.text.find(own[:_SUBJECT_PROBE])
    subject = first.text[:at].strip() if at > 0 else ""
    if subject and text.startswith(f"{subject} ") and grammar.starts_with_verb(text[len(subject) :]):
        return subject if grammar.is_positive(subject) else ""
    return grammar.pronoun_subject(text) if grammar.starts_with_verb(own) else ""


def _cut_middle(
    sentence: Sentence, kept: Sequence[tuple[int, int]], blocked: tuple[int, int], index: int | None
) -> list[Edit] | None:
    answer = sentence.answer
    if kept[0][0] > blocked[0]:
        return None
    left = max(end for _, end in kept if end <= blocked[0])
    right = min(start for start, _ in kept if start >= blocked[1])
    gap = answer[left:right]
    inner = gap.strip()
    if not is_balanced(gap):
        return None
    if inner.startswith("(") and inner.endswith(")") and inner.count("(") == 1:
        return [Edit(left, right, " ", index)]
    if _INSERTION.match(gap) and gap.rstrip().endswith(","):
        return [Edit(left, right, " ", index)]
    between = answer[blocked[1] : right]
    if (
        _LIST_GAP.fullmatch(answer[left : blocked[0]])
        and _JOINTS.fullmatch(between)
        and grammar.starts_with_verb(answer[blocked[0] : blocked[1]])
        and grammar.starts_with_verb(answer[right : sentence.end])
        and grammar.is_clause(answer[sentence.start : left])
    ):
        return [Edit(left, blocked[1], "", index)]
    return None
