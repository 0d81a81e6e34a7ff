"""An alignment model that a `franq-guard serve` holds for others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from franq_guard.errors import InputError, ModelError
from franq_guard.models.base import FloatArray
from franq_guard.servers.address import ServerAddress
from franq_guard.servers.answers import MalformedAnswer
from franq_guard.servers.client import ServerClient
from franq_guard.servers.trying import ServerRefusal

_PAIRS_A_REQUEST = 64
_SUM_WITHIN = 1e-3

Reading = Literal["embedded", "sentences", "nli_sp", "whole"]
"""How passages are cut for a model; "embedded" is that of the model in this package."""


class ServedAlignmentModel:
    """An `AlignmentModel` on a server. It has the id of the served model, so calibrators fit both.

    The server is asked when this is made. Safe to share between threads and guards.

    Args:
        address: of the server.

    Raises:
        ModelError: if the server cannot be reached or is none.
        CheckTimeoutError: if the time limit in force passes.
    """

    serves_many = True

    def __init__(self, address: ServerAddress) -> None:
        self._client = ServerClient(address)
        self._url = f"{address.url}/v1/align"
        found = self._client.get(self._url)
        languages = found.get("languages") if isinstance(found, Mapping) else None
        if (
            not isinstance(found, Mapping)
            or not isinstance(found.get("model"), str)
            or found.get("reading") not in get_args(Reading)
            or not (languages is None or isinstance(languages, list))
        ):
            raise MalformedAnswer(f"{self._url} is no alignment model of `franq-guard serve`")
        self._id = str(found["model"])
        self._languages = None if languages is None else frozenset(map(str, languages))
        self.reading: Reading = found["reading"]

    @property
    def id(self) -> str:
        """Names the weights on the server."""
        return self._id

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes it can judge; None if unlimited or unknown."""
        return self._languages

    def score(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Scores (context, claim) pairs; see `AlignmentModel.score`. Parts are asked for side by side.

        Raises:
            InputError: if a claim alone does not fit the model.
            ModelError: if the server fails, serves another model now, or answers with something else.
            CheckTimeoutError: if the time limit in force passes.
        """
        parts = [pairs[start : start + _PAIRS_A_REQUEST] for start in range(0, len(pairs), _PAIRS_A_REQUEST)]
        try:
            answers = self._client.post_all(
                self._url, [{"pairs": [list(pair) for pair in part]} for part in parts]
            )
        except ServerRefusal as error:
            if error.status == 422:
                raise InputError(
                    f"{self._url} does not take a pair: a claim is too long for the model"
                ) from None
            raise
        rows = [self._rows(answer, len(part)) for answer, part in zip(answers, parts, strict=True)]
        return np.concatenate(rows) if rows else np.zeros((0, 3))

    def _rows(self, answer: Any, count: int) -> FloatArray:
        if not isinstance(answer, Mapping) or answer.get("model") != self._id:
            raise ModelError(f"{self._url} does not serve {self._id!r} any more; start the guard anew")
        scores = answer.get("scores")
        if not isinstance(scores, list) or len(scores) != count or not all(map(_is_row, scores)):
            raise MalformedAnswer(
                f"{self._url} sent something that is no row of three probabilities for each pair"
            )
        return np.asarray(scores, dtype=np.float64).reshape(count, 3)


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 3
        and all(
            isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
            for value in row
        )
        and math.isclose(sum(row), 1, abs_tol=_SUM_WITHIN)
    )
