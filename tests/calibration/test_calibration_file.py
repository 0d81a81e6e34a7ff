import json
import re

import numpy as np
import pytest

from franq_guard.calibration import Calibrator
from franq_guard.errors import CalibrationError


def fitted(count=300, **settings):
    rng = np.random.default_rng(0)
    alignment, faith, unfaith = rng.random(count), -5 * rng.random(count), -20 * rng.random(count)
    labels = rng.random(count) < np.where(alignment > 0.5, np.exp(faith / 5), np.exp(unfaith / 20))
    return Calibrator.fit(alignment, faith, unfaith, labels, **settings)


@pytest.mark.parametrize("mode", ["none", "calibrated", "condition"])
def test_round_trip(tmp_path, mode):
    calibrator = fitted(mode=mode, language_model="lm-ü", alignment_model="align", samples=np.int64(10))
    path = tmp_path / "calibration.json"
    calibrator.save(path)
    loaded = Calibrator.load(str(path))
    assert loaded == calibrator
    assert loaded.id == calibrator.id
    queries = np.array([0.1, 0.6]), np.array([-1.0, -np.inf]), np.array([-3.0, np.nan])
    for first, second in zip(loaded.apply(*queries), calibrator.apply(*queries), strict=True):
        np.testing.assert_array_equal(first, second)
    assert list(tmp_path.iterdir()) == [path]
    calibrator.save(path)


def test_content_is_small_plain_json():
    text = fitted().to_json()
    data = json.loads(text)
    assert (data["format"], data["version"]) == ("franq-guard-calibrator", 2)
    assert text.isascii()
    assert sum(len(json.dumps(data[name])) for name in ("if_faithful", "if_unfaithful")) < 1500


def test_saving_fails_whole(tmp_path):
    with pytest.raises(OSError, match="missing"):
        fitted().save(tmp_path / "missing" / "calibration.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        fitted().save(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("cut", [0, 1, 50, -1])
def test_cut_short(cut):
    with pytest.raises(CalibrationError, match=r"not JSON.*fit the calibrator again"):
        Calibrator.from_json(fitted().to_json()[:cut])


@pytest.mark.parametrize("text", ["[]", "null", "3", '"x"', "{}", '{"format": "model"}'])
def test_another_format(text):
    with pytest.raises(CalibrationError, match="is not a calibrator"):
        Calibrator.from_json(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 10_000, "\ud800"])
def test_hostile_json(text):
    with pytest.raises(CalibrationError):
        Calibrator.from_json(text)


@pytest.mark.parametrize("version", [0, 3, "1", None, True, 1.0])
def test_another_version(version):
    data = json.loads(fitted().to_json()) | {"version": version}
    with pytest.raises(CalibrationError, match=re.escape(f"has version {version!r}")):
        Calibrator.from_json(json.dumps(data))


def test_truncated_version_three_says_upgrade():
    with pytest.raises(CalibrationError, match="upgrade"):
        Calibrator.from_json('{"format": "franq-guard-calibrator", "version": 3}')


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("if_faithful", "y"), [1.0, 0.0], "if_faithful.*as many x as y"),
        (
            ("if_faithful",),
            {"x": [0.0, 1.0], "y": [1.0, 0.5]},
            "if_faithful.*y must not decrease, but knot 1",
        ),
        (("if_faithful",), {"x": [1.0, 0.0], "y": [0.0, 0.5]}, "x must increase, but knot 1"),
        (("if_unfaithful",), {"x": [0.0], "y": [1.5]}, r"if_unfaithful.*y must lie in \[0, 1\]"),
        (("if_unfaithful",), {"x": [], "y": []}, "at least one"),
        (("if_unfaithful",), {"x": ["0"], "y": [0.5]}, r"if_unfaithful\.x\.0"),
        (("if_unfaithful",), {"x": [float("nan")], "y": [0.5]}, r"if_unfaithful\.x\.0.*finite"),
        (("if_unfaithful",), {"x": [0.0], "y": [0.5], "z": [1]}, r"if_unfaithful\.z"),
        (("if_unfaithful",), None, "mode 'condition'"),
        (("mode",), "none", "mode 'none'"),
        (("mode",), "best", "mode: Input should be 'none', 'calibrated' or 'condition'"),
        (("threshold",), 2.0, "threshold"),
        (("signals",), ["max_nli"], "signals"),
        (("card", "n"), -3, "card"),
        (("card", "n"), 7.5, r"card\.n"),
        (("card", "true_rate"), 1.5, "card.*rates"),
        (("surprise",), 1, "surprise"),
        (("language_model",), 3, "language_model"),
        (("language_model",), "\ud800", "changed|language_model|JSON"),
    ],
)
def test_damage_is_named(path, value, message):
    data = json.loads(fitted().to_json())
    target = data
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = value
    with pytest.raises(CalibrationError, match=message) as caught:
        Calibrator.from_json(json.dumps(data))
    assert "franq-guard calibrate" in str(caught.value)


@pytest.mark.parametrize("name", ["mode", "signals", "if_faithful", "card", "threshold"])
def test_missing_part_is_named(name):
    data = json.loads(fitted().to_json())
    del data[name]
    with pytest.raises(CalibrationError, match=name):
        Calibrator.from_json(json.dumps(data))


@pytest.mark.parametrize("change", [{"language_model": "other"}, {"id": "0" * 12}, {"id": None}])
def test_edits_are_noticed(change):
    data = json.loads(fitted().to_json()) | change
    with pytest.raises(CalibrationError, match="was changed after the fit"):
        Calibrator.from_json(json.dumps(data))


def test_unreadable_file(tmp_path):
    with pytest.raises(CalibrationError, match=r"cannot read .*absent\.json"):
        Calibrator.load(tmp_path / "absent.json")
    with pytest.raises(CalibrationError, match="cannot read"):
        Calibrator.load(tmp_path)
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CalibrationError, match="cannot read"):
        Calibrator.load(binary)


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "calibration.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(CalibrationError, match=r"calibration\.json is not JSON"):
        Calibrator.load(path)
