"""Models behind one worker each: safe to ask from any thread, several callers at a time, with deadlines."""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from franq_guard.models.base import (
    AlignmentModel,
    FloatArray,
    Generation,
    LanguageModel,
    Prompt,
    Tokens,
    TokenScores,
)
from franq_guard.models.outputs import checked_probabilities, checked_scores
from franq_guard.models.remembered import Remembered
from franq_guard.runtime.locks import ForkLock
from franq_guard.runtime.memory import run_within_memory
from franq_guard.runtime.worker import ModelWorker

Value = TypeVar("Value")
_Shared = TypeVar("_Shared", bound="SharedLanguageModel | SharedAlignmentModel")

_BATCH_TOKENS = 4096
_CHARACTERS_PER_TOKEN = 4
_PAIRS_REMEMBERED = 8192
_ANSWERS_REMEMBERED = 1024

_shared: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_registering = ForkLock()


def shared_language_model(model: LanguageModel) -> LanguageModel:
    """The model behind its worker, the same for everybody in this process who holds the model."""
    return _once(model, SharedLanguageModel)


def shared_alignment_model(model: AlignmentModel) -> AlignmentModel:
    """The model behind its worker, the same for everybody in this process who holds the model."""
    return _once(model, SharedAlignmentModel)


def _once(model: Any, make: Callable[[Any], _Shared]) -> _Shared:
    # A model on a server gathers what many ask there.
    if isinstance(model, SharedLanguageModel | SharedAlignmentModel) or getattr(model, "serves_many", False):
        return cast(_Shared, model)
    with _registering:
        # As long as the entry is there, so is the model, and nothing else has its id.
        found: _Shared | None = _shared.get(id(model))
        if found is None:
            found = _shared[id(model)] = make(model)
        return found


class SharedLanguageModel:
    """A `LanguageModel` whose work is done on one thread. What it can do beyond the protocol, this can too.

    Scoring requests of several callers run together; everything else has the model to itself. The time limit
    in force (`runtime.time_limit`) holds in the midst of it. The log-probabilities of the answers that were
    scored last are kept: an answer that is checked again is not read again.

    Args:
        model: the model. How many tokens it likes at once is read off its `batch_tokens`, if it has that.
        remembered: answers behind prompts whose log-probabilities are kept, those that were asked for last.
    """

    def __init__(self, model: LanguageModel, *, remembered: int = _ANSWERS_REMEMBERED) -> None:
        self.model = model
        self._known: Remembered[bytes, tuple[FloatArray, int]] = Remembered(remembered)
        self._worker: ModelWorker[tuple[Prompt, Tokens], TokenScores] = ModelWorker(
            model.score, size=_tokens_of_request, budget=_budget(model), name="language model"
        )
        # Attributes of the object, since protocols are checked for those that are there.
        for name in ("distributions", "score_growing"):
            if hasattr(model, name):
                setattr(self, name, self._many(getattr(model, name)))
        if hasattr(model, "read_ahead"):
            self.read_ahead = self._alone(model.read_ahead)

    @property
    def id(self) -> str:
        """Names the weights."""
        return self.model.id

    @property
    def max_context(self) -> int:
        """Most tokens the model can attend to, prompt and answer together."""
        return self.model.max_context

    def tokenize(self, text: str) -> Tokens:
        """Tokenises an answer, on the calling thread."""
        return self.model.tokenize(text)

    def score(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        """See `LanguageModel.score`.

        Raises:
            CheckTimeoutError: if the time limit in force passes.
            ModelError: if too many callers wait, or the memory does not suffice for a single request.
        """

        def compute(places: list[int]) -> list[tuple[FloatArray, int]]:
            asked = [requests[place] for place in places]
            # What is wrong must not be remembered.
            found = checked_scores(self._worker.score(asked), asked, self.model.id)
            return [(scores.log_probs, scores.stretches) for scores in found]

        known = self._known.look_up([_digest(request) for request in requests], compute)
        return [
            TokenScores(tokens, log_probs.copy(), stretches)
            for (_, tokens), (log_probs, stretches) in zip(requests, known, strict=True)
        ]

    def generate(self, prompts: Sequence[Prompt], *, max_new_tokens: int = 256) -> list[Generation]:
        """See `LanguageModel.generate`.

        Raises:
            CheckTimeoutError: as `score`.
            ModelError: as `score`.
        """
        found: list[Generation] = self._many(self.model.generate)(prompts, max_new_tokens=max_new_tokens)
        return found

    def sample(self, prompt: Prompt, **options: Any) -> list[Generation]:
        """See `LanguageModel.sample`.

        Raises:
            CheckTimeoutError: as `score`.
            ModelError: as `score`.
        """
        return self._alone(self.model.sample)(prompt, **options)

    def forget(self) -> None:
        """Drops what is remembered of answers, and what the model itself remembers of prompts."""
        self._known.forget()
        if hasattr(self.model, "forget"):
            self._alone(self.model.forget)()

    def _alone(self, call: Callable[..., Value]) -> Callable[..., Value]:
        return lambda *args, **options: self._worker.exclusively(lambda: call(*args, **options))

    def _many(self, call: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        """A call that has the model to itself, and is made in parts where the memory does not suffice."""

        def within_memory(requests: Sequence[Any], **options: Any) -> list[Any]:
            return run_within_memory(lambda part: call(part, **options), requests)

        alone = self._alone(within_memory)
        return lambda requests, **options: alone(requests, **options) if requests else []


class SharedAlignmentModel:
    """An `AlignmentModel` whose work is done on one thread; what it judged last is not judged again.

    Args:
        model: the model. How many tokens it likes at once is read off its `batch_tokens`, if it has that.
        remembered: pairs whose probabilities are kept, those that were asked for last.
    """

    def __init__(self, model: AlignmentModel, *, remembered: int = _PAIRS_REMEMBERED) -> None:
        self.model = model
        self._worker: ModelWorker[tuple[str, str], FloatArray] = ModelWorker(
            lambda pairs: list(model.score(pairs)),
            size=_tokens_of_pair,
            budget=_budget(model),
            name="alignment model",
        )
        self._known: Remembered[tuple[str, str], FloatArray] = Remembered(remembered)

    @property
    def id(self) -> str:
        """Names the weights and the scoring mode."""
        return self.model.id

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes it can judge; None if unlimited or unknown."""
        return self.model.languages

    def score(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """See `AlignmentModel.score`.

        Raises:
            CheckTimeoutError: if the time limit in force passes.
            ModelError: if too many callers wait, the memory does not suffice for a single pair, or the model
                gives something else than probabilities.
        """
        rows = self._known.look_up(
            pairs,
            # What is wrong must not be remembered.
            lambda places: checked_probabilities(
                self._worker.score([pairs[place] for place in places]), len(places), self.model.id
            ),
        )
        return np.asarray(rows, dtype=np.float64).reshape(len(pairs), 3)

    def forget(self) -> None:
        """Drops what is remembered of pairs."""
        self._known.forget()


def _budget(model: Any) -> int:
    return int(getattr(model, "batch_tokens", _BATCH_TOKENS))


def _digest(request: tuple[Prompt, Tokens]) -> bytes:
    """Stands for a request, so that no text is kept."""
    prompt, tokens = request
    spelled = repr((prompt.system, prompt.user, tokens.text, tokens.ids))
    return hashlib.sha256(spelled.encode("utf-8", "surrogatepass")).digest()


def _tokens_of_request(request: tuple[Prompt, Tokens]) -> int:
    prompt, tokens = request
    return (len(prompt.user) + len(prompt.system or "")) // _CHARACTERS_PER_TOKEN + len(tokens.ids) + 1


def _tokens_of_pair(pair: tuple[str, str]) -> int:
    return (len(pair[0]) + len(pair[1])) // _CHARACTERS_PER_TOKEN + 1
