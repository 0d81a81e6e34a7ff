"""From settings to a pipeline."""

import logging

import numpy as np
import pytest
from fakes import WordAligner, WordLM

from franq_guard.alignment import Aligner
from franq_guard.assembly import assemble
from franq_guard.calibration import Calibrator
from franq_guard.claims import LLMExtractor, RuleExtractor
from franq_guard.config import GuardConfig
from franq_guard.errors import CalibrationError, ConfigError, ModelError
from franq_guard.models import loading
from franq_guard.models.presets import PRESETS


@pytest.fixture
def objects():
    return {"language_model": WordLM(), "alignment_model": WordAligner()}


@pytest.fixture
def loads(monkeypatch):
    """What would be loaded."""
    calls = []

    def load_language_model(source, **options):
        calls.append((source, options))
        return WordLM(id=source)

    def load_alignment_model(source, **options):
        calls.append((source, options))
        return WordAligner(id=source)

    monkeypatch.setattr(loading, "load_language_model", load_language_model)
    monkeypatch.setattr(loading, "load_alignment_model", load_alignment_model)
    return calls


def calibrator(**bound):
    random = np.random.default_rng(0)
    rows = random.random(40), -5 * random.random(40), -20 * random.random(40)
    return Calibrator.fit(*rows, np.arange(40) % 2, **bound)


def test_objects_are_used_behind_one_worker_each(objects):
    pipeline = assemble(GuardConfig.load(), **objects)
    assert pipeline.language_model.model is objects["language_model"]
    assert pipeline.aligner.model.model is objects["alignment_model"]
    again = assemble(GuardConfig.load(), **objects)
    assert again.language_model is pipeline.language_model
    assert again.aligner.model is pipeline.aligner.model


def test_an_aligner_keeps_its_settings(objects):
    aligner = Aligner(objects["alignment_model"], windowing="whole")
    used = assemble(GuardConfig.load(), language_model=WordLM(), alignment_model=aligner).aligner
    assert used.id == aligner.id
    assert used.model.model is aligner.model is objects["alignment_model"]


def test_settings_reach_the_pipeline(objects):
    config = GuardConfig.load(
        faithful_signal="max_nli",
        threshold=0.4,
        form="long",
        max_claims=7,
        max_prompt_tokens=100,
        max_answer_tokens=200,
    )
    pipeline = assemble(config, **objects)
    assert (pipeline.faithful_signal, pipeline.threshold, pipeline.form) == ("max_nli", 0.4, "long")
    limits = pipeline.limits
    assert (limits.max_claims, limits.max_prompt_tokens, limits.max_answer_tokens) == (7, 100, 200)


def test_a_preset_names_models_and_limits(loads):
    pipeline = assemble(GuardConfig.load(preset="3b", device="cpu", dtype="bfloat16"))
    mine = PRESETS["3b"]
    assert [source for source, _ in loads] == [mine.language_model, mine.alignment_model]
    assert {(options["device"], options["dtype"]) for _, options in loads} == {("cpu", "bfloat16")}
    assert pipeline.limits.max_prompt_tokens == mine.max_prompt_tokens
    assert "nli_sp" in pipeline.aligner.id


def test_settings_win_over_a_preset(loads):
    config = GuardConfig.load(
        preset="3b",
        language_model="/my/lm",
        alignment_model="alignscore:/my.ckpt",
        alignment_mode="bin",
        max_prompt_tokens=99,
    )
    pipeline = assemble(config)
    assert [source for source, _ in loads] == ["/my/lm", "alignscore:/my.ckpt"]
    assert loads[1][1]["mode"] == "bin"
    assert "whole" in pipeline.aligner.id
    assert pipeline.limits.max_prompt_tokens == 99


@pytest.mark.parametrize("name", ["language_model", "alignment_model"])
def test_a_missing_model_says_what_to_set(objects, name):
    with pytest.raises(ConfigError, match=rf"no {name.replace('_', ' ')}: set `{name}`"):
        assemble(GuardConfig.load(), **(objects | {name: None}))


def test_a_model_that_is_not_there_is_an_error(objects, tmp_path):
    config = GuardConfig.load(language_model=str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match="no file or folder"):
        assemble(config, alignment_model=objects["alignment_model"])


def test_the_language_model_can_split_the_claims(objects):
    assert isinstance(assemble(GuardConfig.load(), **objects).extractor, RuleExtractor)
    assert isinstance(assemble(GuardConfig.load(claims="llm"), **objects).extractor, LLMExtractor)


def test_the_language_model_can_word_the_hedges(objects):
    assert assemble(GuardConfig.load(), **objects).rephraser is None
    assert assemble(GuardConfig.load(rewriting="llm"), **objects).rephraser is not None


# Calibrators.


def test_a_calibrator_is_taken_as_an_object_or_from_a_file(objects, tmp_path):
    aligner = Aligner(WordAligner())
    models = {"language_model": WordLM(), "alignment_model": aligner}
    found = calibrator(language_model="words", alignment_model=aligner.id)
    path = tmp_path / "calibrator.json"
    found.save(path)
    assert assemble(GuardConfig.load(), **models, calibration=found).calibrator is found
    assert assemble(GuardConfig.load(calibration=str(path)), **models).calibrator == found
    assert assemble(GuardConfig.load(), **models).calibrator is None


@pytest.mark.parametrize(
    "bound",
    [
        {"language_model": "another", "alignment_model": "overlap/sentences-3"},
        {"language_model": "words", "alignment_model": "another"},
        {},
    ],
)
def test_a_calibrator_of_other_models_is_refused_unless_forced(objects, bound):
    found = calibrator(**bound)
    with pytest.raises(CalibrationError, match="does not fit here"):
        assemble(GuardConfig.load(), **objects, calibration=found)
    forced = assemble(GuardConfig.load(force_calibration=True), **objects, calibration=found)
    assert forced.calibrator is found


def test_a_calibrator_of_another_signal_is_refused():
    aligner = Aligner(WordAligner())
    found = calibrator(language_model="words", alignment_model=aligner.id)
    with pytest.raises(CalibrationError, match="signals: fitted for"):
        assemble(
            GuardConfig.load(faithful_signal="max_nli"),
            language_model=WordLM(),
            alignment_model=aligner,
            calibration=found,
        )


def test_a_calibrator_that_is_not_there_is_an_error(objects, tmp_path):
    config = GuardConfig.load(calibration=str(tmp_path / "nowhere.json"))
    with pytest.raises(CalibrationError, match="cannot read the calibrator"):
        assemble(config, **objects)


def test_a_presets_calibrator_is_left_out_for_other_models(objects, monkeypatch, tmp_path, caplog):
    monkeypatch.setattr("franq_guard.assembly.resources.files", lambda package: tmp_path)
    folder = tmp_path / "models" / "calibrators"
    folder.mkdir(parents=True)
    for name in (PRESETS["mini"].calibration, PRESETS["mini"].short_calibration):
        calibrator(language_model="of the preset").save(folder / name)
    with caplog.at_level(logging.WARNING):
        pipeline = assemble(GuardConfig.load(preset="mini"), **objects)
    assert pipeline.calibrator is pipeline.short_calibrator is None
    assert "does not fit other models or settings; nothing is calibrated" in caplog.text


def test_no_calibration_holds_for_both_forms(objects):
    pipeline = assemble(GuardConfig.load(preset="mini", calibration="none"), **objects)
    assert pipeline.calibrator is pipeline.short_calibrator is None


def test_the_form_is_the_presets_unless_one_is_set(monkeypatch):
    from franq_guard.assembly import _form
    from franq_guard.config import GuardConfig

    assert _form(GuardConfig()) == "auto"
    assert _form(GuardConfig(preset="mini")) == "long"
    assert _form(GuardConfig(preset="mini", form="auto")) == "auto"
    monkeypatch.setenv("FRANQ_GUARD_FORM", "short")
    assert _form(GuardConfig.load(preset="mini")) == "short"
