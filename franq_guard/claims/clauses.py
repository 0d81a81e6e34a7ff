"""Splits an English sentence into statements that stand on their own.

By rules and short word lists, without a tagger: a sentence is split only where each part surely has a
subject and a finite verb and means the same alone. In doubt it stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from franq_guard.claims.lexicon import (
    AUXILIARIES,
    BE,
    DO,
    HAVE,
    MODALS,
    NEGATIONS,
    NEVER_PASSIVE,
    PASSIVE,
    PAST,
    PREPOSITIONS,
    SCOPED,
)
from franq_guard.claims.lines import Range
from franq_guard.claims.subjects import (
    RELATIVES,
    antecedent_of,
    find_subject,
    is_plural_verb,
    resolve_pronoun,
)
from franq_guard.claims.verbs import Word, begins_object, is_finite, top_level, words_of

_MAX_LENGTH = 2000
"""Longer sentences stay whole; so the quadratic corner of the search below is bounded."""
_CONJUNCTIONS = frozenset({"and", "but", "whereas", "yet"})
_SUBJECT_PRONOUNS = frozenset({"it", "he", "she", "they"})
_SKIPPED = frozenset({"also", "later", "then", "now", "still"})
_AUXILIARY = BE | HAVE | {"been"}
_EDGE = ",;:–—-"
_FINAL = _EDGE + ".!…"


@dataclass(frozen=True, slots=True)
class Clause:
    """A statement of a sentence.

    Attributes:
        text: the statement, with its subject.
        ranges: characters of the sentence that express it; sorted, disjoint.
    """

    text: str
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause in the making: its words outside of quotations and brackets; its place less the hole."""

    words: Sequence[Word]
    place: Range
    hole: Range | None = None

    def clause(self, sentence: str, start: int, end: int, lead: str = "") -> Clause:
        cuts = [(start, end)]
        if self.hole and start < self.hole[0] < end:
            cuts = [(start, self.hole[0]), (self.hole[1], end)]
        ranges = tuple(_trim(sentence, *cut) for cut in cuts)
        text = " ".join([lead, *(sentence[slice(*cut)] for cut in ranges)]).strip()
        return Clause(text[0].upper() + text[1:], ranges)


def split_clauses(sentence: str) -> list[Clause]:
    """Splits a sentence into atomic statements, in order of their first character.

    Splits at semicolons, at "and", "but", "yet", "whereas" between full clauses, between predicates of one
    subject, and takes a relative clause out of the subject. Never inside quotations and brackets, and not at
    all in conditions, reported speech, reasons and questions, whose parts say something else when they stand
    alone.

    Returns:
        One clause with the sentence as it is if it cannot be split; none if it is blank.
    """
    text = sentence.strip()
    if not text:
        return []
    start = sentence.find(text)
    whole = [Clause(text, ((start, start + len(text)),))]
    if len(sentence) > _MAX_LENGTH:
        return whole
    top = top_level(sentence)
    words = words_of(top)
    if len(words) < 4 or "?" in top or any(word.lower in SCOPED for word in words):
        return whole
    parts = _full_clauses(sentence, top, words)
    clauses = _statements(sentence, top, parts[0])
    subject = antecedent_of(sentence[slice(*parts[0].place)], None)
    for part in parts[1:]:
        for clause in _statements(sentence, top, part):
            clauses.append(Clause(resolve_pronoun(clause.text, subject), clause.ranges))
    return sorted(clauses, key=lambda clause: clause.ranges) if len(clauses) > 1 else whole


def _trim(text: str, start: int, end: int, ends: str = _EDGE) -> Range:
    while start < end and (text[start].isspace() or text[start] in _EDGE):
        start += 1
    while start < end and (text[end - 1].isspace() or text[end - 1] in ends):
        end -= 1
    return start, end


def _full_clauses(sentence: str, top: str, words: Sequence[Word]) -> list[_Part]:
    """Cuts between clauses that have their own subjects."""
    parts, first, edge = [], 0, 0
    for at in range(1, len(words) - 1):
        gap = top[words[at - 1].end : words[at].start]
        semicolon = gap.find(";")
        joined = words[at].lower in _CONJUNCTIONS
        right = at + 1 if joined else at
        marked = semicolon >= 0 or (joined and ("," in gap or words[right].lower in _SUBJECT_PRONOUNS))
        if not marked or not _is_complete(top, words[first:at]) or _is_elliptic(words[right:]):
            continue
        if find_subject(sentence, words[right:]) is None:
            continue
        cut = words[at - 1].end + semicolon if semicolon >= 0 else words[at].start
        parts.append(_Part(words[first:at], _trim(sentence, edge, cut)))
        first, edge = right, words[right].start
    parts.append(_Part(words[first:], _trim(sentence, edge, len(sentence), _FINAL)))
    return parts


def _is_complete(top: str, words: Sequence[Word]) -> bool:
    """Whether the words end in a full clause: a verb after the last comma and relative pronoun."""
    lowers = [word.lower for word in words]
    if "that" in lowers:
        return False
    first = 0
    for at in range(1, len(words)):
        if lowers[at] in RELATIVES or "," in top[words[at - 1].end : words[at].start]:
            first = at
    return any(is_finite(words, at) for at in range(first, len(words)))


def _is_elliptic(words: Sequence[Word]) -> bool:
    """Whether the clause leans on another: "London is not", "Lyon does too"."""
    last = words[-1].lower
    return last in AUXILIARIES or last in {"not", "too", "so", "either", "neither"}


def _statements(sentence: str, top: str, part: _Part) -> list[Clause]:
    """Takes the relative clause out of the subject, then cuts between predicates."""
    if (found := _relative_clause(sentence, top, part.words)) is None:
        return _predicates(sentence, part)
    pronoun, after = found
    words = part.words
    hole = (words[pronoun - 1].end, words[after].start)
    body = _trim(sentence, words[pronoun + 1].start, words[after].start)
    name = sentence[part.place[0] : hole[0]]
    clause = Clause(f"{name} {sentence[slice(*body)]}", (body,))
    return [clause, *_predicates(sentence, _Part([*words[:pronoun], *words[after:]], part.place, hole))]


def _relative_clause(sentence: str, top: str, words: Sequence[Word]) -> tuple[int, int] | None:
    """Finds ", which is ... , is" after the subject: indices of the relative pronoun and of the main verb."""

    def after_comma(at: int) -> bool:
        return "," in top[words[at - 1].end : words[at].start]

    pronoun = next((at for at, word in enumerate(words) if word.lower in {"which", "who"}), 0)
    if not pronoun or not after_comma(pronoun) or not is_finite(words, min(pronoun + 1, len(words) - 1)):
        return None
    for at in range(pronoun + 2, len(words)):
        if after_comma(at) and is_finite(words, at):
            subject = find_subject(sentence, [*words[:pronoun], *words[at:]])
            return (pronoun, at) if subject is not None and subject.verb == pronoun else None
    return None


def _predicates(sentence: str, part: _Part) -> list[Clause]:
    """Cuts before each further predicate of one subject, which is put in front of it."""
    words = part.words
    start, end = part.place
    subject = find_subject(sentence, words)
    if subject is None:
        return [part.clause(sentence, start, end)]
    clauses, lead, verb = [], "", subject.verb
    for at in range(subject.verb + 1, len(words) - 1):
        lower = words[at].lower
        if lower in RELATIVES or lower in {"between", "both"}:
            break
        if lower not in {"and", "but"} or (shared := _shared_auxiliary(words, verb, at + 1)) is None:
            continue
        clauses.append(part.clause(sentence, start, words[at].start, lead))
        start = words[at + 1].start
        lead = f"{subject.text} {shared}".strip()
        verb = verb if shared else at + 1
    clauses.append(part.clause(sentence, start, end, lead))
    return clauses


def _shared_auxiliary(words: Sequence[Word], verb: int, at: int) -> str | None:
    """What a predicate at `at` takes over from the one at `verb`: "" if nothing, None if unsure."""
    first = words[verb].lower
    negated = any(word.lower in NEGATIONS for word in words[verb : at - 1])
    at = _past_adverbs(words, at)
    lower = words[at].lower
    finite = is_finite(words, at)
    after = words[at + 1] if at + 1 < len(words) else None
    if lower in BE | HAVE | DO | MODALS:
        numbers = {is_plural_verb(first), is_plural_verb(lower)} - {None}
        bare = lower in {"have", "do"} and first in MODALS | DO
        return None if bare or len(numbers) == 2 else ""
    if first in BE | HAVE and (main := _participle(words, verb)):
        auxiliaries = " ".join(word.text for word in words[verb:main] if word.lower in _AUXILIARY)
        if first in BE or "been" in auxiliaries:
            if lower in PASSIVE - NEVER_PASSIVE and after and after.lower in PREPOSITIONS:
                return None if negated else auxiliaries
        elif lower.endswith("ed") and after and begins_object(after):
            return None if negated else auxiliaries
    if first in MODALS | DO and lower in PAST:
        return None
    return "" if finite else None


def _past_adverbs(words: Sequence[Word], at: int) -> int:
    while at + 1 < len(words) and (words[at].lower in _SKIPPED or words[at].lower.endswith("ly")):
        at += 1
    return at


def _participle(words: Sequence[Word], verb: int) -> int:
    """Index of the participle that belongs to an auxiliary; 0 if it has none."""
    if verb + 1 == len(words):
        return 0
    at = verb + 1
    while at + 1 < len(words) and (words[at].lower in {"been", "not"} or words[at].lower.endswith("ly")):
        at += 1
    lower = words[at].lower
    return at if lower.endswith("ed") or lower in PASSIVE or lower in PAST else 0
