"""From a claim to the words, characters and tokens of the answer that express it (FRANQ section 3.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from franq_guard.claims.lexicon import FUNCTION_WORDS, NEGATIONS, PERSONAL_PRONOUNS
from franq_guard.claims.lines import Range
from franq_guard.models.base import IntArray
from franq_guard.schema import Span

MIN_MATCHED = 0.5
"""Share of a claim's content words that its sentence must hold, in order; see `locate_claim`."""

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]"  # scripts without spaces: each character is a word
    r"|\d+(?:[.,]\d+)*"
    r"|(?:(?![\u3040-\u30ff\u3400-\u9fff])[^\W\d_])(?:(?![\u3040-\u30ff\u3400-\u9fff])[^\W_])*"
    r"(?:['’.&-](?:(?![\u3040-\u30ff\u3400-\u9fff])[^\W_])+)*"
)
_MAX_CLAIM_WORDS = 200
_MAX_SENTENCE_WORDS = 1000


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its place.

    Attributes:
        key: what it is compared by: lower case, without possessive, plural and digit separators.
        start: first character.
        end: one past the last character.
        capital: True if it begins with a capital letter.
    """

    key: str
    start: int
    end: int
    capital: bool

    @property
    def is_number(self) -> bool:
        """True if it holds a digit."""
        return any(map(str.isdigit, self.key))

    @property
    def is_content(self) -> bool:
        """False for articles, pronouns, auxiliaries, prepositions and the like."""
        return self.key not in FUNCTION_WORDS


def words_of(text: str) -> list[Word]:
    """Finds the words of a text; numbers such as 3.5 and 1,000 are one word."""
    return [
        Word(_key(match[0]), match.start(), match.end(), match[0][0].isupper())
        for match in _WORD.finditer(text)
    ]


def match_words(text: str, words: Sequence[str], *, strict: bool = False) -> list[Range] | None:
    """Finds words in a text, in order, each as early as possible after the one before.

    The reference rule: a match is case-sensitive, and no letter may stand right before or after it. Digits do
    not count as letters, so "18" matches the beginning of "1849".

    Args:
        text: the sentence, or the whole answer.
        words: the words; empty ones are passed over.
        strict: digits guard a match as letters do.

    Returns:
        Character ranges, sorted and disjoint; None if a word is not found.
    """
    guards = str.isalnum if strict else str.isalpha
    ranges, at = [], 0
    for word in filter(None, words):
        at = text.find(word, at)
        while at >= 0 and not _is_free(text, at, at + len(word), guards):
            at = text.find(word, at + 1)
        if at < 0:
            return None
        ranges.append((at, at + len(word)))
        at += len(word)
    return ranges


def spans_to_tokens(offsets: IntArray, ranges: Sequence[Range]) -> list[int]:
    """Finds the tokens that express a claim: those that share a character with one of the ranges.

    Args:
        offsets: characters `[start, end)` of each token, shape (T, 2); tokens with an empty range are passed
            over.
        ranges: characters `[start, end)` that express the claim.

    Returns:
        Sorted unique token indices in [0, T): S(c) in the paper. May be empty.
    """
    table = np.asarray(offsets, dtype=np.int64).reshape(-1, 2)
    if not len(table) or not ranges:
        return []
    size = int(max(table.max(), max(end for _, end in ranges))) + 1
    edges = np.zeros(size + 1, dtype=np.int64)
    for start, end in ranges:
        if start < end:
            edges[start] += 1
            edges[end] -= 1
    flagged = np.cumsum(edges[:-1]) > 0
    before = np.concatenate(([0], np.cumsum(flagged)))
    return [int(at) for at in np.flatnonzero(before[table[:, 1]] > before[table[:, 0]])]


def locate_claim(sentences: Sequence[Span], claim_text: str, *, start: int = 0) -> tuple[Span, ...] | None:
    """Finds the words of an answer that express a claim which was worded anew.

    The claim's words are aligned with each sentence's by their longest common subsequence. The sentence with
    the most content words in order wins; of equal ones the first at or after `start`. It counts only if

    - the sentence holds every number of the claim;
    - it holds every name, unless it has a pronoun or no other name, and no later sentence brings the name in;
    - it holds at least half (`MIN_MATCHED`) of the claim's content words in order, and at least one; words
      that it lacks but an earlier sentence has (a name behind a pronoun) are left out of the count;
    - neither negates what the other asserts: a negation in the claim is one in the sentence, and the reverse
      between the first and last matched word.

    Args:
        sentences: sentences of one answer, in order.
        claim_text: the claim, self-contained.
        start: where in the answer to prefer, when sentences repeat.

    Returns:
        Spans of the answer in one sentence, sorted and disjoint, neighbouring words merged; None if no
        sentence says enough of the claim.
    """
    return ClaimLocator(sentences).locate(claim_text, start=start)


class ClaimLocator:
    """`locate_claim` for many claims of one answer: words are cut once."""

    def __init__(self, sentences: Sequence[Span]) -> None:
        self._sentences = sentences
        self._words = [words_of(sentence.text)[:_MAX_SENTENCE_WORDS] for sentence in sentences]
        self._keys = [Counter(word.key for word in words) for words in self._words]
        self._first_seen: dict[str, int] = {}
        for at, keys in enumerate(self._keys):
            for key in keys:
                self._first_seen.setdefault(key, at)
        self._lower = {word.key for words in self._words for word in words if not word.capital}

    def locate(self, claim_text: str, *, start: int = 0) -> tuple[Span, ...] | None:
        """See `locate_claim`."""
        claim = words_of(claim_text)
        content = Counter(word.key for word in claim if word.is_content)
        if not content or len(claim) > _MAX_CLAIM_WORDS:
            return None
        numbers = {word.key for word in claim if word.is_number}
        names = {
            word.key
            for at, word in enumerate(claim)
            if self._is_name(word) and (at > 0 or word.key in self._first_seen)
        }
        stated = {word.key for word in claim}
        best: tuple[int, bool, int] = (0, True, 0)
        pairs: list[tuple[int, int]] = []
        for at, keys in enumerate(self._keys):
            early = self._sentences[at].start < start
            possible = sum((content & keys).values())
            if (-possible, early, at) >= best or not numbers <= keys.keys():
                continue
            if not self._holds_names(names - keys.keys(), stated, at):
                continue
            common = _common(claim, self._words[at])
            rank = (-sum(claim[left].key in content for left, _ in common), early, at)
            if rank < best:
                best, pairs = rank, common
        matched, _, at = best
        if not pairs or not self._enough(content, -matched, at):
            return None
        if not _same_polarity(claim, self._words[at], pairs):
            return None
        return _merge(self._sentences[at], self._words[at], [right for _, right in pairs])

    def _is_name(self, word: Word) -> bool:
        return word.capital and word.is_content and word.key not in self._lower

    def _holds_names(self, missing: set[str], claim: set[str], at: int) -> bool:
        """Whether the sentence may speak of names that it lacks: by a pronoun, or as it has no other name."""
        if not missing:
            return True
        if any(self._first_seen.get(name, at) > at for name in missing):
            return False
        others = any(self._is_name(word) and word.key not in claim for word in self._words[at])
        return not others or not PERSONAL_PRONOUNS.isdisjoint(self._keys[at])

    def _enough(self, content: Counter[str], matched: int, at: int) -> bool:
        earlier = sum(
            count
            for key, count in content.items()
            if key not in self._keys[at] and self._first_seen.get(key, at) < at
        )
        return matched >= max(1.0, MIN_MATCHED * (content.total() - earlier))


def _is_free(text: str, start: int, end: int, guards: Callable[[str], bool]) -> bool:
    return not (start > 0 and guards(text[start - 1])) and not (end < len(text) and guards(text[end]))


def _key(word: str) -> str:
    word = word.casefold().replace("’", "'")
    word = word.removesuffix("'s")
    if word[0].isdigit():
        return word.replace(",", "")
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _common(claim: Sequence[Word], sentence: Sequence[Word]) -> list[tuple[int, int]]:
    """Longest common subsequence, as index pairs; the latest in the sentence among equally long ones."""
    rows = [[0] * (len(sentence) + 1)]
    for word in claim:
        above, row = rows[-1], [0]
        for at, other in enumerate(sentence):
            row.append(above[at] + 1 if word.key == other.key else max(above[at + 1], row[at]))
        rows.append(row)
    pairs, left, right = [], len(claim), len(sentence)
    while left and right:
        if (
            claim[left - 1].key == sentence[right - 1].key
            and rows[left][right] == rows[left - 1][right - 1] + 1
        ):
            left, right = left - 1, right - 1
            pairs.append((left, right))
        elif rows[left - 1][right] >= rows[left][right - 1]:
            left -= 1
        else:
            right -= 1
    return pairs[::-1]


def _same_polarity(claim: Sequence[Word], sentence: Sequence[Word], pairs: Sequence[tuple[int, int]]) -> bool:
    used = {right for _, right in pairs}
    first, last = pairs[0][1], pairs[-1][1]
    missed = any(sentence[at].key in NEGATIONS and at not in used for at in range(first, last + 1))
    added = any(word.key in NEGATIONS for word in claim) and not any(
        word.key in NEGATIONS for word in sentence
    )
    return not missed and not added


def _merge(sentence: Span, words: Sequence[Word], used: Sequence[int]) -> tuple[Span, ...]:
    """Joins neighbouring words; lone articles and the like are left out."""
    runs: list[list[int]] = []
    for at in used:
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    telling = [run for run in runs if any(words[at].is_content for at in run)] or runs
    spans = []
    for run in telling:
        start, end = words[run[0]].start, words[run[-1]].end
        spans.append(Span(sentence.start + start, sentence.start + end, sentence.text[start:end]))
    return tuple(spans)
