"""Our own parts keep what the protocols promise, and parts that do not are told so."""

import dataclasses
import sqlite3

import numpy as np
import pytest
from fakes import ChangedAligner, ChangedLM, WordAligner, WordLM, log_probs

from franq_guard.claims import Extraction, LLMExtractor, RuleExtractor
from franq_guard.models.shared import shared_alignment_model, shared_language_model
from franq_guard.schema import Claim, Span
from franq_guard.testing import (
    ConformanceError,
    check_alignment_model,
    check_claim_extractor,
    check_language_model,
    check_sink,
)
from franq_guard.tracing import BaseSink, Correlation, JsonlSink, UncorrelatedError


def findings(check, subject, **options):
    with pytest.raises(ConformanceError) as caught:
        check(subject, **options)
    assert str(caught.value).startswith(f"{type(subject).__name__} does not conform:\n")
    return "\n".join(caught.value.findings)


# What conforms.


def test_models_that_need_no_weights_conform():
    check_language_model(WordLM())
    check_language_model(shared_language_model(WordLM()))
    check_alignment_model(WordAligner())
    check_alignment_model(shared_alignment_model(WordAligner()))


@pytest.mark.parametrize("extractor", [RuleExtractor(), LLMExtractor(WordLM())], ids=["rules", "llm"])
def test_our_extractors_conform(extractor):
    check_claim_extractor(extractor)


@pytest.mark.parametrize("capture_content", [False, True])
def test_the_file_sink_conforms(tmp_path, capture_content):
    check_sink(JsonlSink(path=tmp_path / "trace.jsonl", capture_content=capture_content))


# Language models that do not.


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (log_probs(lambda values: values * np.nan), "NaN for token 0"),
        (log_probs(np.exp), "log-probabilities are at most 0"),
        (log_probs(lambda values: values[:-1]), "log_probs of shape"),
        (log_probs(lambda values: values * 0 - 1), "does not depend on the prompt"),
        (lambda scores: scores[::-1], "other tokens than those that were asked for"),
        (lambda scores: scores[:-1], "results for"),
        (lambda scores: None, "not a list"),
        (lambda scores: [np.zeros(3) for _ in scores], "is no TokenScores"),
        (lambda scores: log_probs(lambda v: v - len(scores))(scores), "other numbers alone than together"),
        (
            lambda scores: [
                dataclasses.replace(one, log_probs=one.log_probs - at) for at, one in enumerate(scores)
            ],
            "other numbers in another order",
        ),
    ],
)
def test_wrong_scores_are_found(change, said):
    assert said in findings(check_language_model, ChangedLM(change))


def without(name):
    class Incomplete(WordLM):
        def __getattribute__(self, wanted):
            if wanted == name:
                raise AttributeError(wanted)
            return super().__getattribute__(wanted)

    return Incomplete()


def test_missing_methods_are_named():
    assert findings(check_language_model, without("sample")) == "has no sample"
    assert findings(check_alignment_model, object()) == "has no id, languages, score"
    assert findings(check_sink, object()) == "has no emit, flush, close"
    assert findings(check_claim_extractor, object()) == "has no extract"


def tokens(**changes):
    class Tokenizing(WordLM):
        def tokenize(self, text):
            found = super().tokenize(text)
            return dataclasses.replace(found, **{name: f(found) for name, f in changes.items()})

    return Tokenizing()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": lambda found: found.text.strip()}, "must keep the text as it is"),
        ({"offsets": lambda found: found.offsets[1:]}, "gives offsets of shape"),
        ({"offsets": lambda found: found.offsets + 1}, "outside the text"),
        ({"offsets": lambda found: found.offsets[::-1]}, "not in order"),
        ({"offsets": lambda found: found.offsets * 0}, "no token covers the character at [0]"),
        ({"ids": lambda found: (), "offsets": lambda found: found.offsets[:0]}, "no token for a text"),
    ],
)
def test_tokens_that_lie_elsewhere_are_found(change, said):
    assert said in findings(check_language_model, tokens(**change))


def test_writing_that_goes_wrong_is_found():
    class Rambling(WordLM):
        count = 0

        def generate(self, prompts, *, max_new_tokens=256):
            self.count += 1
            return [self._written(prompt, "and so on " * 9 + str(self.count)) for prompt in prompts][:1]

        def sample(self, prompt, *, n=10, **options):
            self.count += 1
            return [self._written(prompt, str(self.count))]

    said = findings(check_language_model, Rambling())
    assert "gave 1 texts for 2 prompts" in said
    assert "must give the same twice: it decodes greedily" in said
    assert "generate() wrote 28 tokens" in said
    assert "sample(n=3) gave 1 texts" in said
    assert "with one seed must give the same twice" in said


def test_extras_are_looked_at_where_they_are():
    class Growing(WordLM):
        def score_growing(self, requests):
            return ChangedLM(log_probs(lambda values: values - 1)).score(requests)

    assert "score_growing() must give what score() gives" in findings(check_language_model, Growing())


# Alignment models that do not.


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows * np.nan, "gave nan"),
        (lambda rows: rows * 9, "must lie in [0, 1]"),
        (lambda rows: rows[:, :2], "expected (2, 3)"),
        (lambda rows: np.full_like(rows, 0.5), "do not add up to 1"),
        (lambda rows: rows[:, [1, 0, 2]], "are columns, or context and claim, mixed up?"),
        (lambda rows: rows[:, [2, 1, 0]], "P(contradicted), the third column"),
        (lambda rows: [["a"] * 3] * len(rows), "no array of numbers"),
        (lambda rows: np.roll(rows, 1, axis=0) if len(rows) == 3 else rows, "must keep the order"),
        (lambda rows: (rows + 1 / max(1, len(rows))) / (1 + 3 / max(1, len(rows))), "alone than together"),
        (lambda rows: rows[::-1] if len(rows) == 3 else rows, "alone than together"),
    ],
)
def test_wrong_probabilities_are_found(change, said):
    assert said in findings(check_alignment_model, ChangedAligner(change))


def test_a_claim_that_is_cut_off_is_found():
    class Cutting(WordAligner):
        def score(self, pairs):
            room = 2000
            return super().score(
                [(context, claim[: max(0, room - len(context))]) for context, claim in pairs]
            )

    assert "never the claim" in findings(check_alignment_model, Cutting())


def test_languages_must_be_a_set_of_codes():
    assert "languages must be a frozenset" in findings(check_alignment_model, WordAligner(languages=["en"]))
    assert "id must be a text" in findings(check_alignment_model, WordAligner(id=""))


# Extractors that do not.


class Extracting:
    def __init__(self, *changes, **more):
        self.changes = more

    def extract(self, answer, *, question=""):
        found = RuleExtractor().extract(answer).claims
        return Extraction(
            claims=tuple(
                dataclasses.replace(claim, **{name: f(claim) for name, f in self.changes.items()})
                for claim in found
            )
        )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"index": lambda claim: claim.index + 1}, "numbers must count from 0"),
        ({"text": lambda claim: " "}, "has no text"),
        ({"spans": lambda claim: ()}, "has no spans"),
        ({"reason": lambda claim: "", "checkworthy": lambda claim: False}, "does not say why"),
        ({"spans": lambda claim: (*claim.spans, *claim.spans)}, "must not overlap"),
        ({"spans": lambda claim: (Span(0, 3, "abc"),)}, "of the answer is not 'abc'"),
        ({"sentence": lambda claim: Span(0, 1, "T")}, "the first span must lie in the sentence"),
    ],
)
def test_wrong_claims_are_found(changes, said):
    assert said in findings(check_claim_extractor, Extracting(**changes))


def test_what_is_left_out_is_found():
    class Dropping(RuleExtractor):
        def extract(self, answer, *, question=""):
            found = super().extract(answer)
            return dataclasses.replace(found, claims=found.claims[:1])

    class Inventing(RuleExtractor):
        def extract(self, answer, *, question=""):
            whole = Span(0, len(answer), answer)
            return Extraction(claims=(Claim(index=0, text="x", spans=(whole,), sentence=whole),))

    assert "is in no claim; use checkworthy=False" in findings(check_claim_extractor, Dropping())
    assert "is blank, and must have no claims" in findings(check_claim_extractor, Inventing())


# Sinks that do not.


def test_a_sink_bound_to_its_makers_thread_is_found():
    class Database(BaseSink):
        def __init__(self):
            super().__init__()
            self.database = sqlite3.connect(":memory:")

        def emit(self, record):
            self.database.execute("create table if not exists answers (id text)")

        def close(self):
            pass

    sink = Database()
    assert "thread" in findings(check_sink, sink)
    sink.database.close()


def test_a_sink_that_raises_or_refuses_everything_is_found():
    class Raising(BaseSink):
        def emit(self, record):
            return record.models["language_model"]

        def close(self):
            raise OSError("closed before")

    class Refusing(BaseSink):
        def emit(self, record):
            if record.correlation == Correlation():
                raise UncorrelatedError("no run")

    said = findings(check_sink, Raising())
    assert "emit() of a failed check raises KeyError" in said
    assert "close() raises OSError: closed before" in said
    assert "pass correlation=Correlation(...)" in findings(check_sink, Refusing())
    check_sink(Refusing(), correlation=Correlation(trace_id="0af7651916cd43dd8448eb211c80319c"))


def test_a_sink_with_odd_settings_is_found():
    class Odd(BaseSink):
        def emit(self, record):
            pass

    odd = Odd()
    odd.queue_size, odd.capture_content, odd.mask = 0, "no", "star"
    said = findings(check_sink, odd)
    assert "queue_size" in said
    assert "capture_content" in said
    assert "mask" in said


def test_a_finding_is_said_once():
    error = ConformanceError("X", ("a", "b"))
    assert str(error) == "X does not conform:\n  - a\n  - b"
    assert isinstance(error, AssertionError)
