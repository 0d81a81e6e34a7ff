"""Does a language model do what the guard relies on?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from franq_guard.errors import ModelError
from franq_guard.models.base import LanguageModel, Prompt, Tokens, TokenScores
from franq_guard.models.outputs import checked_generations, checked_scores
from franq_guard.testing.findings import Findings, shown
from franq_guard.testing.texts import BLANK, ODD, PLAIN

_MEMBERS = ("id", "max_context", "tokenize", "score", "generate", "sample")
_KNOWING = Prompt(f"Repeat this sentence word by word: {PLAIN}")
_UNKNOWING = Prompt("Name a vegetable.", system="You answer in one word.")
_NEW_TOKENS = 8

Request = tuple[Prompt, Tokens]


def check_language_model(
    model: LanguageModel, *, texts: Sequence[str] = ODD, tolerance: float = 1e-3, seeded: bool = True
) -> None:
    """Checks a language model against the `LanguageModel` protocol; calls it a few dozen times.

    Looked at are its name and context, where tokens lie in their text, that log-probabilities are such, keep
    their order, do not depend on what is scored together and do depend on the prompt, that greedy decoding
    gives the same twice and stops in time, that samples are reproducible, and, where the model has them,
    `distributions` and `score_growing`.

    Args:
        model: the model, loaded.
        texts: must be tokenised and scored; by default also ones that are hard to take.
        tolerance: how far log-probabilities may differ through rounding.
        seeded: whether `sample` with the same seed must give the same; not every server can.

    Raises:
        ConformanceError: if it does anything else; names all that was found.
    """
    findings = Findings(model)
    if findings.members(model, _MEMBERS):
        _check_names(findings, model)
        requests = _tokenized(findings, model, texts)
        if not findings:
            _check_scores(findings, model, requests, tolerance)
            _check_generate(findings, model)
            _check_sample(findings, model, seeded)
            _check_extras(findings, model, requests[:2], tolerance)
    findings.conclude()


def _check_names(findings: Findings, model: LanguageModel) -> None:
    findings.expect(
        isinstance(model.id, str) and model.id.strip(), "id must be a text that names the weights"
    )
    findings.expect(model.id == model.id, "id must stay the same")
    findings.expect(
        isinstance(model.max_context, int) and model.max_context > 0,
        "max_context must be an int above 0",
    )


def _tokenized(findings: Findings, model: LanguageModel, texts: Sequence[str]) -> list[Request]:
    requests = []
    for text in (*texts, *BLANK):
        tokens = findings.attempt(f"tokenize({shown(text)})", lambda text=text: model.tokenize(text))  # type: ignore[misc]
        if tokens is not None and _check_tokens(findings, text, tokens) and text in texts:
            requests.append((_KNOWING, tokens))
    return requests


def _check_tokens(findings: Findings, text: str, tokens: Tokens) -> bool:
    call = f"tokenize({shown(text)})"
    if not findings.expect(isinstance(tokens, Tokens), f"{call} gives no Tokens"):
        return False
    offsets = np.asarray(tokens.offsets)
    fits = findings.expect(tokens.text == text, f"{call} must keep the text as it is") and findings.expect(
        offsets.shape == (len(tokens.ids), 2),
        f"{call} gives offsets of shape {offsets.shape}, not (T, 2)",
    )
    if not fits or not len(tokens.ids):
        return fits and findings.expect(not text.strip(), f"{call} gives no token for a text that has words")
    starts, ends = offsets[:, 0], offsets[:, 1]
    inside = findings.expect(
        (starts >= 0).all() and (starts <= ends).all() and (ends <= len(text)).all(),
        f"{call} gives offsets outside the text",
    )
    findings.expect((np.diff(starts) >= 0).all(), f"{call} gives offsets that are not in order")
    covered = np.zeros(len(text) + 1, dtype=bool)
    for start, end in offsets if inside else ():
        covered[start:end] = True
    missed = [at for at, character in enumerate(text) if not (character.isspace() or covered[at])]
    findings.expect(not missed, f"{call}: no token covers the character at {missed[:1]}")
    return inside


def _check_scores(
    findings: Findings, model: LanguageModel, requests: Sequence[Request], tolerance: float
) -> None:
    findings.expect(
        findings.attempt("score([])", lambda: list(model.score([]))) in ([], None), "score([]) must be empty"
    )
    together = _scored(findings, model, "score", requests)
    backwards = _scored(findings, model, "score", requests[::-1])
    if together is None or backwards is None:
        return
    for request, one, other in zip(requests, together, backwards[::-1], strict=True):
        text = shown(request[1].text)
        if _same(one, other, tolerance):
            alone = _scored(findings, model, "score", [request])
            findings.expect(
                alone is None or _same(one, alone[0], tolerance),
                f"score() gives {text} other numbers alone than together with others",
            )
        else:
            findings.add(f"score() gives {text} other numbers in another order")
    unknowing = _scored(findings, model, "score", [(_UNKNOWING, requests[0][1])])
    findings.expect(
        unknowing is None or not _same(together[0], unknowing[0], tolerance),
        "score() does not depend on the prompt",
    )


def _scored(
    findings: Findings, model: Any, method: str, requests: Sequence[Request]
) -> list[TokenScores] | None:
    try:
        return checked_scores(getattr(model, method)(requests), requests, model.id)
    except ModelError as error:
        findings.add(f"{method}(): {error}")
    except Exception as error:
        findings.add(f"{method}() raises {type(error).__name__}: {error}")
    return None


def _same(one: TokenScores, other: TokenScores, tolerance: float) -> bool:
    return bool(np.allclose(one.log_probs, other.log_probs, rtol=tolerance, atol=tolerance))


def _check_generate(findings: Findings, model: LanguageModel) -> None:
    prompts = [_KNOWING, _UNKNOWING]
    findings.expect(
        findings.attempt("generate([])", lambda: list(model.generate([]))) in ([], None),
        "generate([]) must be empty",
    )

    def written() -> list[tuple[str, int]]:
        found = checked_generations(model.generate(prompts, max_new_tokens=_NEW_TOKENS), model.id)
        return [(one.text, len(one.scores.tokens.ids)) for one in found]

    first, second = findings.attempt("generate()", written), findings.attempt("generate()", written)
    if first is None or second is None:
        return
    findings.expect(len(first) == len(prompts), f"generate() gave {len(first)} texts for 2 prompts")
    findings.expect(first == second, "generate() must give the same twice: it decodes greedily")
    longest = max((count for _, count in first), default=0)
    findings.expect(longest <= _NEW_TOKENS, f"generate() wrote {longest} tokens, not {_NEW_TOKENS}")


def _check_sample(findings: Findings, model: LanguageModel, seeded: bool) -> None:
    def drawn() -> list[str]:
        found = model.sample(_UNKNOWING, n=3, max_new_tokens=_NEW_TOKENS, seed=7)
        return [one.text for one in checked_generations(found, model.id)]

    first = findings.attempt("sample()", drawn)
    if first is None:
        return
    findings.expect(len(first) == 3, f"sample(n=3) gave {len(first)} texts")
    if seeded:
        findings.expect(
            drawn() == first, "sample() with one seed must give the same twice, or pass seeded=False"
        )


def _check_extras(findings: Findings, model: Any, requests: Sequence[Request], tolerance: float) -> None:
    plain = _scored(findings, model, "score", requests)
    if plain is None:
        return
    if hasattr(model, "score_growing"):
        growing = _scored(findings, model, "score_growing", requests)
        findings.expect(
            growing is None or all(_same(a, b, tolerance) for a, b in zip(plain, growing, strict=True)),
            "score_growing() must give what score() gives",
        )
    if not hasattr(model, "distributions"):
        return
    found = findings.attempt("distributions()", lambda: list(model.distributions(requests, top=3)))
    for one, scores in zip(found or (), plain, strict=False):
        count = len(scores.tokens.ids)
        shapes = (
            np.shape(one.entropies),
            np.shape(one.top_ids),
            np.shape(one.top_log_probs),
            len(one.top_texts),
        )
        findings.expect(
            shapes == ((count,), (count, 3), (count, 3), count), f"distributions() has wrong shapes: {shapes}"
        )
        findings.expect(
            (np.diff(one.top_log_probs, axis=-1) <= tolerance).all(),
            "distributions() must put the likeliest tokens first",
        )
        findings.expect(
            (np.asarray(one.entropies) >= -tolerance).all(), "distributions() has entropies below 0"
        )
        findings.expect(
            _same(one.scores, scores, tolerance), "distributions() must give the log-probabilities of score()"
        )
