"""How alike the sampled answers are word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from franq_guard.errors import ConfigError, InputError


def lexical_similarity(texts: Sequence[str], *, language: str = "english") -> float:
    """Lexical similarity: a confidence, higher is likelier true.

    The mean ROUGE-L F1 of each two sampled answers, over stemmed lower-case words (Fomicheva et al. 2020).
    Two texts without a word are alike (1); one without a word is unlike any other (0).

    Args:
        texts: n sampled answers, at least 2.
        language: of the Snowball stemmer, for example "english" or "german".

    Returns:
        In [0, 1].

    Raises:
        InputError: if there are fewer than 2 texts, or no stemmer for the language.
        ConfigError: if rapidfuzz or snowballstemmer is not installed.
    """
    try:
        import snowballstemmer  # type: ignore[import-untyped]
        from rapidfuzz.distance import LCSseq
    except ImportError as error:
        raise ConfigError("lexical similarity needs: pip install 'franq-guard[evaluation]'") from error
    if len(texts) < 2:
        raise InputError(f"lexical similarity needs at least 2 sampled answers, got {len(texts)}")
    try:
        stemmer = snowballstemmer.stemmer(language)
    except KeyError as error:
        raise InputError(f"no stemmer for {language!r}: see snowballstemmer.algorithms()") from error
    words = [stemmer.stemWords(re.findall(r"\w+", text.lower())) for text in texts]
    pairs = [(a, b, len(a) + len(b)) for a, b in combinations(words, 2)]
    scores = [2 * LCSseq.similarity(a, b) / total if total else 1.0 for a, b, total in pairs]
    return float(sum(scores) / len(scores))
