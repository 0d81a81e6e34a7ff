"""What comes out when a model, a file or a calibrator fails."""

import logging

import numpy as np
import pytest
from reports import assert_sound

from franq_guard import Calibrator, Guard
from franq_guard.errors import CalibrationError, CheckTimeoutError, ModelError
from franq_guard.models.presets import PRESETS
from franq_guard.models.sources import parse, resolve
from franq_guard.outcome import WITHHELD
from franq_guard.schema import Verdict

QUESTION = "How tall is the Eiffel Tower?"
PASSAGES = ["With its antennas the Eiffel Tower is 330 metres tall."]
ANSWER = "Sure! The Eiffel Tower is 330 metres tall. It was completed in 1889."


class BrokenLM:
    """Tokenises as the real one, and fails to score."""

    def __init__(self, model):
        self.model = model

    def __getattr__(self, name):
        return getattr(self.model, name)

    id = "broken"
    max_context = 8192

    def tokenize(self, text):
        return self.model.tokenize(text)

    def score(self, requests):
        raise RuntimeError("CUDA error: device-side assert")

    def generate(self, prompts, **options):
        raise RuntimeError

    def sample(self, prompt, **options):
        raise RuntimeError


def make(**settings):
    return Guard.from_preset("mini", **({"device": "cpu", "calibration": "none"} | settings))


def assert_unchecked(report, error, *, blocked):
    assert_sound(report)
    assert error in report.error
    assert report.blocked is blocked
    assert report.text == (WITHHELD if blocked else ANSWER)
    assert len(report.claims) == 3
    for claim in report.claims[1:]:
        assert claim.verdict is Verdict.UNCHECKED
        assert claim.unchecked_reason == report.error
        assert claim.review
    assert report.coverage.scored == 0


@pytest.fixture
def failures(lm, tmp_path):
    missing = tmp_path / "nowhere.gguf"
    return {
        "a broken model": ({"language_model": BrokenLM(lm)}, ModelError, "CUDA error"),
        "a deadline": ({"timeout": 1e-6}, CheckTimeoutError, "did not finish within its 1e-06 s"),
        "a missing file": ({"language_model": str(missing)}, ModelError, "no file or folder"),
        "a missing aligner": ({"alignment_model": str(missing)}, ModelError, "no file or folder"),
    }


@pytest.mark.parametrize("what", ["a broken model", "a deadline", "a missing file", "a missing aligner"])
def test_the_failure_policy_decides(failures, what, caplog):
    settings, kind, message = failures[what]
    for on_error in ("pass", "block"):
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="franq_guard"):
            report = make(**settings, on_error=on_error).check(QUESTION, PASSAGES, ANSWER)
        assert_unchecked(report, message, blocked=on_error == "block")
        assert any(message in record.message for record in caplog.records)
    with pytest.raises(kind, match=message):
        make(**settings, on_error="raise").check(QUESTION, PASSAGES, ANSWER)


async def test_a_failure_is_the_same_when_awaited(lm):
    guard = make(language_model=BrokenLM(lm))
    assert_unchecked(await guard.acheck(QUESTION, PASSAGES, ANSWER), "CUDA error", blocked=False)
    guard.close()


@pytest.mark.parametrize("size", [10, 1_000_000, 50_000_000])
def test_a_truncated_model_file_is_refused(lm, tmp_path, monkeypatch, size):
    whole = resolve(parse(PRESETS["mini"].language_model))
    monkeypatch.setenv("FRANQ_GUARD_CACHE", str(tmp_path / "cache"))
    part = tmp_path / whole.name
    with whole.open("rb") as file:
        part.write_bytes(file.read(size))
    with pytest.raises(ModelError, match=r"could not be read as a GGUF model: .*Is the download complete"):
        make(language_model=str(part)).warm_up()
    assert not list((tmp_path / "cache").rglob("*.safetensors"))


# Calibrators.


def calibrator(**bound):
    random = np.random.default_rng(0)
    rows = random.random(60), -5 * random.random(60), -20 * random.random(60)
    return Calibrator.fit(*rows, np.arange(60) % 2, **bound)


@pytest.fixture
def fitting(uncalibrated):
    models = uncalibrated.check(QUESTION, [], "Thank you!").models
    return {name: models[name] for name in ("language_model", "alignment_model")}


def test_a_calibrator_for_these_models_is_used(fitting):
    found = calibrator(**fitting)
    report = make(calibration=found, form="long", on_error="raise").check(QUESTION, PASSAGES, ANSWER)
    assert_sound(report)
    assert (report.calibration, report.calibrator) == ("condition", found.id)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"language_model": "another"}, "language model: fitted for 'another'"),
        ({"alignment_model": "another"}, "alignment model: fitted for 'another'"),
        ({"language_model": None}, "language model: fitted for None"),
        ({"signals": ("parametric_knowledge", "max_claim_probability")}, "signals: fitted for"),
    ],
)
def test_a_calibrator_for_something_else_is_refused(fitting, changed, message, tmp_path):
    path = tmp_path / "calibrator.json"
    calibrator(**(fitting | changed)).save(path)
    with pytest.raises(CalibrationError, match=message):
        make(calibration=path).warm_up()
    assert message in make(calibration=path).check(QUESTION, PASSAGES, ANSWER).error
    make(calibration=path, force_calibration=True).warm_up()


@pytest.mark.parametrize("content", ["", "{}", '{"format": "franq-guard-calibrator", "version": 99}'])
def test_a_damaged_calibrator_is_refused(content, tmp_path):
    path = tmp_path / "calibrator.json"
    path.write_text(content)
    for file in (path, tmp_path / "nowhere.json"):
        with pytest.raises(CalibrationError):
            make(calibration=file).warm_up()
