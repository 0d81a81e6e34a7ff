"""Which sentence splitter cuts passages and claims."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from franq_guard.errors import ConfigError
from franq_guard.schema import Span

SplitFunction = Callable[[str], Sequence[Span]]


@dataclass(frozen=True, slots=True)
class Splitter:
    """A sentence splitter with a name.

    Attributes:
        name: "rules", "punkt", or the name of a user's function.
        split: text -> its sentences, in order, disjoint, without surrounding white space.
    """

    name: str
    split: SplitFunction


def rules_splitter() -> Splitter:
    """The package's own splitter: needs no data, knows many languages."""
    from franq_guard.claims import split_sentences

    return Splitter("rules", split_sentences)


def punkt_splitter() -> Splitter | None:
    """NLTK's English Punkt model, with which AlignScore was published; None without NLTK or its data."""
    try:
        tokenizer = importlib.import_module("nltk.tokenize").PunktTokenizer("english")
    except (ImportError, AttributeError, LookupError):  # no NLTK, an old one, or no data
        return None

    def split(text: str) -> list[Span]:
        return [Span.of(text, start, end) for start, end in tokenizer.span_tokenize(text) if start < end]

    return Splitter("punkt", split)


def resolve_splitter(choice: str | SplitFunction | None, *, prefer_punkt: bool) -> Splitter:
    """Turns a setting into a splitter.

    Args:
        choice: "rules", "punkt", a function, or None to choose.
        prefer_punkt: what None means: Punkt where it is installed, or the rules at once.

    Raises:
        ConfigError: if the name is unknown, or Punkt is asked for and not installed.
    """
    if choice is None:
        return (punkt_splitter() if prefer_punkt else None) or rules_splitter()
    if callable(choice):
        return Splitter(getattr(choice, "__name__", type(choice).__name__), choice)
    if choice == "rules":
        return rules_splitter()
    if choice == "punkt":
        found = punkt_splitter()
        if found is None:
            raise ConfigError(
                "the punkt splitter needs NLTK and its data: pip install nltk, then "
                "python -m nltk.downloader punkt_tab; or leave the splitter unset"
            )
        return found
    raise ConfigError(f"sentence splitter {choice!r} is unknown; use 'rules', 'punkt' or a function")
