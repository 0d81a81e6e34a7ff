"""Every way in which a check can fail, as settings of a guard."""

import dataclasses
import threading

import numpy as np
from fakes import BrokenLM, ChangedAligner, ChangedLM, WordAligner, WordLM, log_probs

from franq_guard.models.shared import shared_alignment_model, shared_language_model

QUESTION = "How tall is the tower?"
PASSAGES = ["The tower is 330 metres tall.", "The tower was built by Gustave Eiffel."]
ANSWER = "The tower is 330 metres tall. The castle burned down yesterday. I hope this helps!"


class StuckLM(WordLM):
    """Is in the midst of a batch until it is let go."""

    def __init__(self):
        super().__init__()
        self.begun, self.go = threading.Event(), threading.Event()

    def score(self, requests):
        self.begun.set()
        self.go.wait(20)
        return super().score(requests)


class StuckAligner(WordAligner):
    def score(self, pairs):
        threading.Event().wait(1)
        return super().score(pairs)


def full(role):
    """A model whose queue has no room."""
    model = WordLM() if role == "language_model" else WordAligner()
    share = shared_language_model if role == "language_model" else shared_alignment_model
    shared = share(model)
    shared._worker._most_jobs = 0
    return {role: shared}


def _lm(change):
    return lambda _: {"language_model": ChangedLM(change)}


def _aligner(change):
    return lambda _: {"alignment_model": ChangedAligner(change)}


def _broken(error):
    return lambda _: {"language_model": BrokenLM(error)}


FAULTS = {
    "no such model file": (
        lambda tmp: {"language_model": str(tmp / "no.gguf")},
        "ModelError",
        "no file or folder",
    ),
    "no such alignment model": (
        lambda tmp: {"alignment_model": str(tmp / "nowhere")},
        "ModelError",
        "no file or folder",
    ),
    "a hub that is out of reach": (
        lambda _: {"language_model": "hf:nobody/nothing"},
        "ModelError",
        "could not be fetched",
    ),
    "out of memory": (_broken(MemoryError()), "ModelError", "memory does not suffice"),
    "out of device memory": (
        _broken(RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")),
        "ModelError",
        "memory does not suffice",
    ),
    "a model that raises": (_broken(KeyError("layer 3")), "KeyError", "layer 3"),
    "a timeout in the language model": (
        lambda _: {"language_model": StuckLM(), "timeout": 0.05},
        "CheckTimeoutError",
        "0.05 s",
    ),
    "a timeout in the alignment model": (
        lambda _: {"alignment_model": StuckAligner(), "timeout": 0.05},
        "CheckTimeoutError",
        "0.05 s",
    ),
    "a server that is gone": (
        lambda _: {"alignment_model": "franq:http://127.0.0.1:9", "timeout": 0.1},
        "ModelError|CheckTimeoutError|SocketBlockedError",
        "",
    ),
    "NaN in a log-probability": (
        _lm(log_probs(lambda v: np.where(np.arange(len(v)) == 2, np.nan, v))),
        "ModelError",
        "NaN for token 2",
    ),
    "probabilities for log-probabilities": (_lm(log_probs(np.exp)), "ModelError", "at most 0"),
    "too few tokens": (_lm(log_probs(lambda v: v[:-1])), "ModelError", "log_probs of shape"),
    "too many tokens": (_lm(log_probs(lambda v: np.r_[v, v])), "ModelError", "log_probs of shape"),
    "something else than scores": (
        _lm(lambda scores: [object()] * len(scores)),
        "ModelError",
        "no TokenScores",
    ),
    "scores of another text": (
        _lm(lambda scores: [_renamed(one) for one in scores]),
        "ModelError",
        "other tokens than those that were asked for",
    ),
    "too few results": (_lm(lambda scores: scores[1:]), "ModelError", "results for"),
    "no results": (_lm(lambda scores: None), "TypeError", "NoneType"),
    "NaN in a probability": (_aligner(lambda rows: rows * np.nan), "ModelError", "gave nan"),
    "logits for probabilities": (_aligner(lambda rows: rows * 9 - 4), "ModelError", "must lie in [0, 1]"),
    "all three at once": (_aligner(lambda rows: rows * 0 + 0.9), "ModelError", "do not add up to 1"),
    "two columns": (_aligner(lambda rows: rows[:, :2]), "ModelError", "gave shape"),
    "a full queue at the language model": (
        lambda _: full("language_model"),
        "ModelError",
        "already wait for the language model",
    ),
    "a full queue at the alignment model": (
        lambda _: full("alignment_model"),
        "ModelError",
        "already wait for the alignment model",
    ),
    "a damaged calibrator": (lambda tmp: {"calibration": _damaged(tmp)}, "CalibrationError", ""),
}
"""By name: settings of a guard, given a folder; the class of the error; what its message says."""


def _renamed(scores):
    return dataclasses.replace(scores, tokens=dataclasses.replace(scores.tokens, text="Another."))


def _damaged(folder):
    path = folder / "calibrator.json"
    path.write_text('{"format": "franq-guard-calibrator", "version": 99}')
    return path
