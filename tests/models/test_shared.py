"""Models behind their workers: the same protocols, the same numbers."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from fakes import WordAligner, WordLM

from franq_guard.errors import CheckTimeoutError, ModelError
from franq_guard.models.base import (
    AlignmentModel,
    GrowingLanguageModel,
    LanguageModel,
    OpenLanguageModel,
    Prompt,
)
from franq_guard.models.shared import (
    SharedAlignmentModel,
    SharedLanguageModel,
    shared_alignment_model,
    shared_language_model,
)
from franq_guard.pipeline.deadline import Deadline
from franq_guard.runtime.time_limit import limited


class GiftedLM(WordLM):
    """Can do all that a language model may."""

    def __init__(self):
        super().__init__()
        self.threads, self.calls = set(), []

    def _noted(self, *call):
        self.threads.add(threading.current_thread().name)
        self.calls.append(call)

    def score(self, requests):
        self._noted("score", len(requests))
        return super().score(requests)

    def score_growing(self, requests):
        self._noted("score_growing", len(requests))
        return super().score(requests)

    def read_ahead(self, prompts):
        self._noted("read_ahead", len(prompts))

    def distributions(self, requests, *, top=10):
        self._noted("distributions", len(requests), top)
        if len(requests) > 2:
            raise MemoryError
        return [top for _ in requests]

    def generate(self, prompts, *, max_new_tokens=256):
        self._noted("generate", len(prompts), max_new_tokens)
        return super().generate(prompts)

    def sample(self, prompt, **options):
        self._noted("sample", options)
        return super().sample(prompt, **options)


def test_a_model_has_one_worker():
    lm, aligner = WordLM(), WordAligner()
    assert shared_language_model(lm) is shared_language_model(lm)
    assert shared_language_model(shared_language_model(lm)) is shared_language_model(lm)
    assert shared_alignment_model(aligner) is shared_alignment_model(shared_alignment_model(aligner))
    assert shared_language_model(WordLM()) is not shared_language_model(lm)


def test_a_model_that_nobody_uses_is_let_go():
    lm = WordLM()
    shared, gone = shared_language_model(lm), weakref.ref(lm)
    del lm, shared
    gc.collect()
    assert gone() is None


def test_a_shared_model_can_do_what_its_model_can():
    plain, gifted = shared_language_model(WordLM()), shared_language_model(GiftedLM())
    assert isinstance(plain, LanguageModel)
    assert not isinstance(plain, OpenLanguageModel | GrowingLanguageModel)
    assert isinstance(gifted, OpenLanguageModel)
    assert isinstance(gifted, GrowingLanguageModel)
    assert isinstance(shared_alignment_model(WordAligner()), AlignmentModel)


def test_everything_is_done_on_one_thread_with_its_options():
    lm = GiftedLM()
    shared = shared_language_model(lm)
    requests = [(Prompt("The tower is tall."), shared.tokenize("It is tall."))] * 3
    expected = WordLM().score(requests)
    for score in (shared.score, shared.score_growing):
        found = score(requests)
        assert [one.log_probs.tolist() for one in found] == [one.log_probs.tolist() for one in expected]
    shared.read_ahead([Prompt("a")])
    assert shared.distributions(requests, top=5) == [5, 5, 5]
    assert [text.text for text in shared.generate([Prompt("a")], max_new_tokens=7)] == ["It is tall."]
    assert len(shared.sample(Prompt("a"), n=4, seed=1)) == 4
    assert lm.threads == {"franq-guard language model"}
    assert ("generate", 1, 7) in lm.calls
    assert ("sample", {"n": 4, "seed": 1}) in lm.calls
    assert [call[1] for call in lm.calls if call[0] == "distributions"] == [3, 1, 2]
    assert (shared.id, shared.max_context) == (lm.id, lm.max_context)
    assert shared.score([]) == shared.generate([]) == shared.distributions([]) == []


def test_sampling_too_is_bound_by_the_time_limit():
    gate = threading.Event()

    class SlowLM(WordLM):
        def sample(self, prompt, **options):
            gate.wait(30)

    with limited(Deadline(0.05)), pytest.raises(CheckTimeoutError):
        shared_language_model(SlowLM()).sample(Prompt("a"))
    gate.set()


def test_pairs_are_judged_once_and_forgotten_in_the_order_of_use():
    aligner = WordAligner()
    shared = SharedAlignmentModel(aligner, remembered=3)
    pairs = [("a b", "a"), ("a b", "c"), ("a b", "a")]
    np.testing.assert_array_equal(shared.score(pairs), WordAligner().score(pairs))
    assert aligner.pairs == pairs[:2]
    shared.score([("x", "y")])
    shared.score([("a b", "a")])
    shared.score([("u", "v")])
    assert len(aligner.pairs) == 4
    shared.score([("a b", "a")])
    assert len(aligner.pairs) == 4
    shared.score([("a b", "c")])
    assert len(aligner.pairs) == 5
    assert shared.score([]).shape == (0, 3)


def test_an_answer_is_read_once_behind_each_prompt():
    lm = GiftedLM()
    shared = SharedLanguageModel(lm)
    tokens = lm.tokenize("It is tall.")
    requests = [(Prompt("a"), tokens), (Prompt("b"), tokens), (Prompt("a"), tokens)]
    first = shared.score(requests)
    again = shared.score([*requests, (Prompt("a", "system"), tokens), (Prompt("a"), lm.tokenize("It is"))])
    expected = WordLM().score(requests)
    for one, other, wanted in zip(first, again, expected, strict=False):
        np.testing.assert_array_equal(one.log_probs, wanted.log_probs)
        np.testing.assert_array_equal(other.log_probs, wanted.log_probs)
        assert other.tokens is tokens
    assert sum(call[1] for call in lm.calls if call[0] == "score") == 4
    first[0].log_probs[:] = -1.0
    np.testing.assert_array_equal(shared.score(requests)[0].log_probs, expected[0].log_probs)


def test_what_cannot_be_used_is_not_remembered():
    class OnceWrongLM(WordLM):
        wrong = True

        def score(self, requests):
            found = super().score(requests)
            if not self.wrong:
                return found
            self.wrong = False
            return [replace(one, log_probs=one.log_probs * np.nan) for one in found]

    shared = SharedLanguageModel(OnceWrongLM())
    request = (Prompt("a"), shared.tokenize("It is tall."))
    with pytest.raises(ModelError, match="NaN"):
        shared.score([request])
    assert np.isfinite(shared.score([request])[0].log_probs).all()


def test_threads_get_the_rows_of_their_own_pairs():
    shared = SharedAlignmentModel(WordAligner(), remembered=50)
    jobs = [[(f"w{n} w{n + 1}", f"w{m}") for m in range(n, n + 7)] for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        for pairs, rows in zip(jobs, pool.map(shared.score, jobs), strict=True):
            np.testing.assert_array_equal(rows, WordAligner().score(pairs))
