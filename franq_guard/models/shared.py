"""Models behind one worker each: safe to ask from any thread, several callers at a time, with deadlines."""

from __future__ import annotations

import weakref
from collections import OrderedDict
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
from franq_guard.models.outputs import checked_probabilities
from franq_guard.runtime.locks import ForkLock
from franq_guard.runtime.memory import run_within_memory
from franq_guard.runtime.worker import ModelWorker

Value = TypeVar("Value")
_Shared = TypeVar("_Shared", bound="SharedLanguageModel | SharedAlignmentModel")

_BATCH_TOKENS = 4096
_CHARACTERS_PER_TOKEN = 4
_PAIRS_REMEMBERED = 8192

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
    in force (`runtime.time_limit`) holds in the midst of it.

    Args:
        model: the model. How many tokens it likes at once is read off its `batch_tokens`, if it has that.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
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
        return self._worker.score(requests)

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
        self._remembered = remembered
        self._known: OrderedDict[tuple[str, str], FloatArray] = OrderedDict()
        self._looking = ForkLock()

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
        wanted = dict.fromkeys(pairs)
        with self._looking:
            known = {pair: self._known[pair] for pair in wanted if pair in self._known}
        unknown = [pair for pair in wanted if pair not in known]
        # What is wrong must not be remembered.
        rows = checked_probabilities(self._worker.score(unknown), len(unknown), self.model.id)
        known.update(zip(unknown, rows, strict=True))
        with self._looking:
            for pair in wanted:
                self._known[pair] = known[pair]
                self._known.move_to_end(pair)
            while len(self._known) > self._remembered:
                self._known.popitem(last=False)
        return np.asarray([known[pair] for pair in pairs], dtype=np.float64).reshape(len(pairs), 3)


def _budget(model: Any) -> int:
    return int(getattr(model, "batch_tokens", _BATCH_TOKENS))


def _tokens_of_request(request: tuple[Prompt, Tokens]) -> int:
    prompt, tokens = request
    return (len(prompt.user) + len(prompt.system or "")) // _CHARACTERS_PER_TOKEN + len(tokens.ids) + 1


def _tokens_of_pair(pair: tuple[str, str]) -> int:
    return (len(pair[0]) + len(pair[1])) // _CHARACTERS_PER_TOKEN + 1
