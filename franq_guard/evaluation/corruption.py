"""Spoils retrieval on purpose: a share of the passages is replaced, by unrelated ones or by false ones.

The robustness studies of FRANQ (arXiv 2505.21072): with bad passages, a guard that only checks faithfulness
blesses what follows from them. Everything is drawn from a seed and the id of the question, so the order of
the questions changes nothing but which other passages are at hand.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.answers import holds_answer, normalise
from franq_guard.evaluation.datasets import Example
from franq_guard.evaluation.false_facts import Replacements, falsify
from franq_guard.schema import Passage

Kind = Literal["irrelevant", "factual"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corruption:
    """What is done to how many passages.

    Attributes:
        kind: "irrelevant" replaces a passage by one of another question; "factual" keeps it, but changes
            the accepted answers, entities and numbers in it; one that has none stays as it is, and the
            record says that nothing was swapped.
        share: of all passages, in [0, 1].
    """

    kind: Kind
    share: float

    @classmethod
    def parse(cls, text: str) -> Corruption:
        """Reads "irrelevant:0.5" or "factual:0.5".

        Raises:
            ConfigError: if it is something else.
        """
        kind, _, number = text.partition(":")
        try:
            share = float(number)
        except ValueError:
            share = math.nan
        if kind not in ("irrelevant", "factual") or not 0 <= share <= 1:
            raise ConfigError(
                f"{text!r} is no corruption: write irrelevant:SHARE or factual:SHARE, SHARE from 0 to 1"
            )
        return cls(kind=cast(Kind, kind), share=share)

    def __str__(self) -> str:
        return f"{self.kind}:{self.share:g}"


def corrupt(examples: Sequence[Example], corruption: Corruption, seed: int) -> list[Example]:
    """Replaces passages and records in `Example.changed` what was done to which.

    The share holds for all passages together to the nearest whole one, and for each question as closely as
    whole passages allow. Labels of faithfulness are dropped where passages changed, because they spoke of
    the old ones.

    Args:
        examples: the data set, of at least two questions.
        corruption: what to do.
        seed: of all choices.

    Raises:
        InputError: if there are no passages of other questions to take.
    """
    counts = spread([len(example.passages) for example in examples], corruption.share, seed)
    replacements = Replacements.of(examples) if corruption.kind == "factual" else None
    spoilt = []
    for example, count in zip(examples, counts, strict=True):
        chance = random_of(seed, example.id, corruption.kind)
        places = sorted(chance.sample(range(len(example.passages)), count))
        if replacements is None:
            others = other_passages(example, examples, count, chance)
            changes = [_replaced(old, new) for old, new in zip(_at(example, places), others, strict=True)]
        else:
            found = [falsify(old, example, replacements, chance) for old in _at(example, places)]
            others = [passage for passage, _ in found]
            changes = [{"kind": "factual", "swaps": swaps} for _, swaps in found]
        spoilt.append(_with(example, dict(zip(places, others, strict=True)), changes))
    return spoilt


def spread(sizes: Sequence[int], share: float, seed: int) -> list[int]:
    """How many passages of each question are replaced.

    Args:
        sizes: passages of each question.
        share: in [0, 1].
        seed: decides who gets the odd ones.

    Returns:
        Counts that sum to the share of all passages, rounded; each is its own share rounded up or down.
    """
    exact = [size * share for size in sizes]
    counts = [math.floor(value + 1e-9) for value in exact]
    odd = [index for index, value in enumerate(exact) if value - counts[index] > 1e-9]
    wanted = math.floor(sum(sizes) * share + 0.5 + 1e-9) - sum(counts)
    for index in random_of(seed, "spread").sample(odd, max(0, min(wanted, len(odd)))):
        counts[index] += 1
    return counts


def other_passages(
    example: Example, examples: Sequence[Example], count: int, chance: random.Random
) -> list[Passage]:
    """Passages of other questions that neither share a title with the example's nor say its answer.

    Raises:
        InputError: if there are too few.
    """
    titles = {passage.title for passage in example.passages if passage.title}
    known = {passage.text for passage in example.passages}
    found: list[Passage] = []
    order = chance.sample(range(len(examples)), len(examples))
    for index in order:
        if len(found) == count:
            break
        other = examples[index]
        if other.id == example.id:
            continue
        usable = [
            passage
            for passage in other.passages
            if passage.text not in known
            and passage.title not in titles
            and not holds_answer(passage.text, example.answers)
        ]
        if usable:
            found.append(chance.choice(usable))
            known.add(found[-1].text)
    if len(found) < count:
        raise InputError(
            f"question {example.id!r} needs {count} passages of other questions, and there are {len(found)}:"
            " use a larger data set"
        )
    return found


def random_of(seed: int, *names: str) -> random.Random:
    """A random state of its own for each purpose; the same on every machine."""
    digest = hashlib.sha256("\x1f".join([str(seed), *names]).encode()).digest()
    return random.Random(digest)  # noqa: S311


def _at(example: Example, places: Sequence[int]) -> list[Passage]:
    return [example.passages[place] for place in places]


def _replaced(old: Passage, new: Passage) -> dict[str, Any]:
    return {"kind": "irrelevant", "was": old.title or normalise(old.text)[:60]}


def _with(example: Example, passages: Mapping[int, Passage], changes: Sequence[Mapping[str, Any]]) -> Example:
    if not passages:
        return example
    changed: Callable[[int, Passage], Passage] = lambda at, old: passages.get(at, old)  # noqa: E731
    return replace(
        example,
        passages=tuple(changed(at, old) for at, old in enumerate(example.passages)),
        claims=tuple(replace(claim, faithful=None) for claim in example.claims),
        changed=tuple({"passage": at} | dict(change) for at, change in zip(passages, changes, strict=True)),
    )
