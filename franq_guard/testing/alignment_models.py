"""Does an alignment model do what the guard relies on?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from franq_guard.errors import InputError, ModelError
from franq_guard.models.base import AlignmentModel, FloatArray
from franq_guard.models.outputs import checked_probabilities
from franq_guard.testing.findings import Findings, shown
from franq_guard.testing.texts import ODD, PLAIN

Pair = tuple[str, str]

ENTAILED: Pair = (PLAIN, "The tower is 330 metres tall.")
UNRELATED: Pair = (PLAIN, "Bananas grow in warm countries.")
_LONG = " ".join([PLAIN, *["Nothing else is known about this tower at all."] * 600])


def check_alignment_model(
    model: AlignmentModel,
    *,
    entailed: Pair = ENTAILED,
    unrelated: Pair = UNRELATED,
    texts: Sequence[str] = ODD,
    tolerance: float = 1e-3,
) -> None:
    """Checks an alignment model against the `AlignmentModel` protocol; calls it a few dozen times.

    Looked at are its name and languages, that its numbers are probabilities in the right order (aligned,
    neutral, contradicted), that they do not depend on what is scored together, that contexts of any length
    are taken, and that a claim is never cut off.

    Args:
        model: the model, loaded.
        entailed: a context and a claim that it entails.
        unrelated: a context and a claim that it says nothing about.
        texts: must be taken as contexts and as claims.
        tolerance: how far probabilities may differ through rounding.

    Raises:
        ConformanceError: if it does anything else; names all that was found.
    """
    findings = Findings(model)
    if findings.members(model, ("id", "languages", "score")):
        _check_names(findings, model)
        _check_numbers(findings, model, entailed, unrelated)
        if not findings:
            _check_independence(findings, model, [entailed, unrelated, entailed[::-1]], tolerance)
            _check_lengths(findings, model)
            _check_texts(findings, model, texts)
    findings.conclude()


def _check_names(findings: Findings, model: AlignmentModel) -> None:
    findings.expect(
        isinstance(model.id, str) and model.id.strip(), "id must be a text that names the weights"
    )
    languages = model.languages
    findings.expect(
        languages is None
        or (isinstance(languages, frozenset) and all(isinstance(code, str) for code in languages)),
        "languages must be a frozenset of language codes, or None",
    )


def _rows(findings: Findings, model: AlignmentModel, pairs: Sequence[Pair], what: str) -> FloatArray | None:
    try:
        return checked_probabilities(model.score(pairs), len(pairs), model.id)
    except ModelError as error:
        findings.add(f"{what}: {error}")
    except Exception as error:
        findings.add(f"score() of {what} raises {type(error).__name__}: {error}")
    return None


def _check_numbers(findings: Findings, model: AlignmentModel, entailed: Pair, unrelated: Pair) -> None:
    _rows(findings, model, [], "no pairs")
    rows = _rows(findings, model, [entailed, unrelated], "two pairs")
    if rows is None:
        return
    findings.expect(
        rows[0, 0] > rows[1, 0],
        f"P(aligned), the first column, is {rows[0, 0]:.3f} for a claim that the context entails and "
        f"{rows[1, 0]:.3f} for one that it does not mention: are columns, or context and claim, mixed up?",
    )
    findings.expect(
        rows[0, 0] > rows[0, 2],
        "P(contradicted), the third column, is above P(aligned) for an entailed claim",
    )


def _check_independence(
    findings: Findings, model: AlignmentModel, pairs: Sequence[Pair], tolerance: float
) -> None:
    together = _rows(findings, model, pairs, "three pairs")
    backwards = _rows(findings, model, pairs[::-1], "three pairs")
    alone = [_rows(findings, model, [pair], "one pair") for pair in pairs]
    if together is None or backwards is None:
        return
    findings.expect(
        np.allclose(together, backwards[::-1], atol=tolerance), "score() must keep the order of the pairs"
    )
    findings.expect(
        all(row is None or np.allclose(row[0], together[at], atol=tolerance) for at, row in enumerate(alone)),
        "score() gives a pair other numbers alone than together with others",
    )


def _check_lengths(findings: Findings, model: AlignmentModel) -> None:
    rows = _rows(findings, model, [(_LONG, ENTAILED[1]), (_LONG, UNRELATED[1])], "a context of 5,000 words")
    findings.expect(
        rows is None or not np.array_equal(rows[0], rows[1]),
        "a long context hides the claim: the context must be cut, never the claim",
    )
    try:
        checked_probabilities(model.score([(PLAIN, _LONG)]), 1, model.id)
    except InputError:
        pass  # refusing is right: half a claim is another claim
    except Exception as error:
        findings.add(f"a claim of 5,000 words must be scored, or refused with InputError: {error}")


def _check_texts(findings: Findings, model: AlignmentModel, texts: Sequence[str]) -> None:
    for text in texts:
        _rows(findings, model, [(text, PLAIN)], f"the context {shown(text)}")
        try:
            checked_probabilities(model.score([(PLAIN, text)]), 1, model.id)
        except InputError:
            pass
        except Exception as error:
            findings.add(f"the claim {shown(text)}: {type(error).__name__}: {error}")
