"""Makes a passage say false things plausibly: answers, names and numbers are swapped consistently."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from franq_guard.claims.lexicon import FUNCTION_WORDS
from franq_guard.evaluation.answers import find_answer, holds_answer, normalise
from franq_guard.evaluation.datasets import Example
from franq_guard.schema import Passage

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"[^\W\d_a-z][\w’'-]*(?:[ ](?:of|the|de|von|van|and)?[ ]?[^\W\d_a-z][\w’'-]*){0,4}")
_SENTENCE_END = re.compile(r"[.!?:\n]\s*$")
_TRIES = 20
_UNKNOWN = "another one"
_GAP = "…"  # without a word, so that filling gaps comes to an end


@dataclass(frozen=True, slots=True)
class Replacements:
    """What false facts are made of: by kind, answers and names of the whole data set."""

    answers: Mapping[str, Sequence[str]]
    names: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Replacements:
        """Collects the accepted answers, and the names in the passages."""
        answers = (example.answers[0] for example in examples if example.answers)
        names = (
            passage.text[start:end]
            for example in examples
            for passage in example.passages
            for start, end in find_names(passage.text)
        )
        return cls(_by_kind(answers), _by_kind(names))


def find_names(text: str) -> list[tuple[int, int]]:
    """Where capitalised names are, by a rule of thumb.

    Function words in front are left out ("The", "Since the"). A single word at the beginning of a sentence
    counts only if it is capitalised elsewhere, too.
    """
    found = [_trimmed(text, *match.span()) for match in _NAME.finditer(text)]
    inside = [text[a:b] for a, b in found if not _starts_sentence(text, a)]
    return [
        (a, b)
        for a, b in found
        if a < b and (not _starts_sentence(text, a) or " " in text[a:b] or text[a:b] in inside)
    ]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    for word in text[start:end].split(" "):
        if word.lower() not in FUNCTION_WORDS:
            break
        start += len(word) + 1
    return min(start, end), end


def falsify(
    passage: Passage, example: Example, replacements: Replacements, chance: random.Random
) -> tuple[Passage, list[list[str]]]:
    """Changes accepted answers, names and numbers; what question and title name stays, so that it fits.

    Args:
        passage: what to change.
        example: whose passage it is.
        replacements: what to take instead.
        chance: draws it.

    Returns:
        The passage, in which no accepted answer is left, and pairs of old and new texts.
    """
    swaps: dict[str, str] = {}
    kept = f"{example.question} {passage.title or ''}"
    text = _swap(
        passage.text, _answer_places(passage.text, example.answers), swaps, example, replacements, chance
    )
    fixed = set(map(normalise, swaps.values()))
    places = [
        (a, b)
        for a, b in _entities(text)
        if not find_answer(kept, text[a:b]) and not any(find_answer(new, text[a:b]) for new in fixed)
    ]
    text = _swap(text, places, swaps, example, replacements, chance)
    # Swaps can put an accepted answer together again, from words on both sides.
    while places := _answer_places(text, example.answers):
        for start, end in reversed(places):
            swaps.setdefault(text[start:end], _GAP)
            text = f"{text[:start]}{_GAP}{text[end:]}"
    return replace(passage, text=text), [list(pair) for pair in swaps.items()]


def _swap(
    text: str,
    places: Iterable[tuple[int, int]],
    swaps: dict[str, str],
    example: Example,
    replacements: Replacements,
    chance: random.Random,
) -> str:
    """Replaces stretches of a text; equal ones get equal replacements, which `swaps` remembers."""
    pieces, at = [], 0
    for start, end in places:
        old = text[start:end]
        same = next((known for known in swaps if normalise(known) == normalise(old)), None)
        if same is None:
            said = " \n ".join([text, *swaps.values()])
            swaps[old] = _other(old, said, example, replacements, chance)
        pieces += [text[at:start], swaps[old if same is None else same]]
        at = end
    return "".join([*pieces, text[at:]])


def _other(old: str, said: str, example: Example, replacements: Replacements, chance: random.Random) -> str:
    """Something of the same kind that is not said yet, and no accepted answer."""
    kind = kind_of(old)
    if kind in ("number", "year") and _NUMBER.fullmatch(old):
        pool = [_other_number(old, chance) for _ in range(_TRIES)]
    else:
        both = (replacements.answers, replacements.names)
        pool = [name for names in both for name in names.get(kind, ())]
        alike = [name for name in pool if len(name.split()) == len(old.split())]
        pool = chance.sample(alike or pool, min(_TRIES, len(alike or pool)))
    for new in pool:
        if normalise(new) and not find_answer(said, new) and not holds_answer(new, example.answers):
            return new
    return _UNKNOWN


def kind_of(text: str) -> str:
    """What sort of thing a text names: "year", "number", "name" or "word"."""
    if re.search(r"\d", text):
        return "year" if re.fullmatch(r"[12]\d{3}", text) else "number"
    return "name" if text[:1].isupper() else "word"


def _other_number(old: str, chance: random.Random) -> str:
    """A number of the same shape: years move by up to 40, in others each digit but a leading 0 is drawn."""
    if kind_of(old) == "year":
        return str(int(old) + chance.choice([-1, 1]) * chance.randint(2, 40))
    drawn = [chance.choice("123456789") if c.isdigit() else c for c in old]
    return "".join(drawn)


def _answer_places(text: str, answers: Sequence[str]) -> list[tuple[int, int]]:
    """Where accepted answers are; the longest of overlapping ones."""
    found = sorted(
        {(place.start, place.end) for answer in answers for place in find_answer(text, answer)},
        key=lambda place: (place[0], -place[1]),
    )
    return list(_disjoint(found))


def _entities(text: str) -> list[tuple[int, int]]:
    numbers = [match.span() for match in _NUMBER.finditer(text)]
    return list(_disjoint(sorted([*find_names(text), *numbers], key=lambda place: (place[0], -place[1]))))


def _disjoint(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    reached = 0
    for start, end in places:
        if start >= reached:
            yield start, end
            reached = end


def _starts_sentence(text: str, at: int) -> bool:
    return at == 0 or _SENTENCE_END.search(text, max(0, at - 3), at) is not None


def _by_kind(texts: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        found.setdefault(kind_of(text), {})[text] = None
    return {kind: sorted(names) for kind, names in found.items()}
