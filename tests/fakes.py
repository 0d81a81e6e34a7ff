"""Models that need no weights: their numbers follow from the words alone."""

import re
import time
from dataclasses import replace

import numpy as np

from franq_guard import Guard
from franq_guard.models.base import Generation, Tokens, TokenScores

TOLD, UNTOLD = -0.1, -2.0


class WordLM:
    """Every word is a token; words that the prompt contains are likelier. Remembers what it was asked."""

    def __init__(self, *, id="words", max_context=4096):
        self.id = id
        self.max_context = max_context
        self.requests = []
        self.sampled = []

    def tokenize(self, text):
        found = [match.span() for match in re.finditer(r"\S+", text)]
        return Tokens(text, tuple(range(len(found))), np.asarray(found, dtype=np.int64).reshape(-1, 2))

    def score(self, requests):
        self.requests.extend(requests)
        return [TokenScores(tokens, self._log_probs(prompt.user, tokens)) for prompt, tokens in requests]

    def _log_probs(self, prompt, tokens):
        words = set(re.findall(r"\w+", prompt.lower()))
        told = [
            set(re.findall(r"\w+", tokens.text[start:end].lower())) <= words for start, end in tokens.offsets
        ]
        return np.where(told, TOLD, UNTOLD)

    def generate(self, prompts, *, max_new_tokens=256):
        return [self._written(prompt, "It is tall.") for prompt in prompts]

    def sample(self, prompt, *, n=10, **options):
        self.sampled.append(prompt)
        return [self._written(prompt, ("It is tall.", "It is old.")[at % 2]) for at in range(n)]

    def _written(self, prompt, text):
        tokens = self.tokenize(text)
        return Generation(text, TokenScores(tokens, self._log_probs(prompt.user, tokens)), -0.1)


class WordAligner:
    """P(aligned) is the share of the claim's words that the context has."""

    def __init__(self, *, id="overlap", languages=frozenset({"en"})):
        self.id = id
        self.languages = languages
        self.pairs = []

    def score(self, pairs):
        self.pairs.extend(pairs)
        rows = np.zeros((len(pairs), 3))
        for row, (context, claim) in enumerate(pairs):
            wanted = re.findall(r"\w+", claim.lower())
            there = set(re.findall(r"\w+", context.lower()))
            share = sum(word in there for word in wanted) / max(1, len(wanted))
            rows[row] = share, 1 - share, 0
        return rows


class ChangedLM(WordLM):
    """Gives what `change` makes of the right scores."""

    def __init__(self, change):
        super().__init__()
        self.change = change

    def score(self, requests):
        return self.change(super().score(requests))


class ChangedAligner(WordAligner):
    """Gives what `change` makes of the right probabilities."""

    def __init__(self, change):
        super().__init__()
        self.change = change

    def score(self, pairs):
        return self.change(super().score(pairs))


def log_probs(change):
    """Changes the log-probabilities of scores, for `ChangedLM`."""
    return lambda scores: [replace(one, log_probs=change(one.log_probs)) for one in scores]


class BrokenLM(WordLM):
    """Fails to score."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def score(self, requests):
        raise self.error


class SlowLM(WordLM):
    """Takes its time without holding the interpreter, as a model in C does."""

    def score(self, requests):
        time.sleep(0.3)
        return super().score(requests)


def make_guard(**settings):
    """A guard over these models, in long form."""
    defaults = {"language_model": WordLM(), "alignment_model": WordAligner(), "form": "long"}
    return Guard(**(defaults | settings))
