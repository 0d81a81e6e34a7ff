"""Settings from keywords, environment and TOML."""

import pytest

from franq_guard.config import GuardConfig
from franq_guard.errors import ConfigError
from franq_guard.policy import Policy
from franq_guard.schema import Action


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    import os

    for name in os.environ:
        if name.startswith("FRANQ_GUARD_"):
            monkeypatch.delenv(name)


@pytest.fixture
def toml(tmp_path):
    def write(text):
        path = tmp_path / "guard.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_nothing_set_gives_the_defaults():
    config = GuardConfig.load()
    assert config.on_error == "pass"
    assert config.policy == Policy()
    assert config.preset is config.timeout is config.language_model is None


def test_a_file_is_read(toml):
    path = toml('preset = "mini"\ntimeout = 2\n[policy]\nhedge_below = 0.4\nunchecked = "keep"\n')
    config = GuardConfig.load(path)
    assert (config.preset, config.timeout) == ("mini", 2.0)
    assert config.policy == Policy(hedge_below=0.4, unchecked=Action.KEEP)


def test_keywords_win_over_environment_and_environment_over_file(toml, monkeypatch):
    path = toml("timeout = 1\nmax_claims = 1\nmax_prompt_tokens = 1000\n")
    monkeypatch.setenv("FRANQ_GUARD_TIMEOUT", "2")
    monkeypatch.setenv("FRANQ_GUARD_MAX_CLAIMS", "2")
    config = GuardConfig.load(path, timeout=3.0)
    assert (config.timeout, config.max_claims, config.max_prompt_tokens) == (3.0, 2, 1000)


def test_the_policy_is_merged_field_by_field(toml, monkeypatch):
    path = toml("[policy]\nannotate_below = 0.8\nhedge_below = 0.7\nblock_below = 0.1\n")
    monkeypatch.setenv("FRANQ_GUARD_POLICY__HEDGE_BELOW", "0.5")
    policy = GuardConfig.load(path, policy={"block_below": 0.2}).policy
    assert (policy.annotate_below, policy.hedge_below, policy.block_below) == (0.8, 0.5, 0.2)


def test_a_whole_policy_replaces_all_others(toml, monkeypatch):
    monkeypatch.setenv("FRANQ_GUARD_POLICY__HEDGE_BELOW", "0.5")
    policy = Policy(hedge_below=0.3)
    assert GuardConfig.load(toml("[policy]\nblock_below = 0.1\n"), policy=policy).policy == policy


def test_none_means_not_set(monkeypatch):
    monkeypatch.setenv("FRANQ_GUARD_TIMEOUT", "2")
    assert GuardConfig.load(timeout=None).timeout == 2.0


def test_other_variables_of_the_package_are_no_settings(monkeypatch):
    monkeypatch.setenv("FRANQ_GUARD_CACHE", "/somewhere")
    assert GuardConfig.load() == GuardConfig()


def test_no_dotenv_file_is_read(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("FRANQ_GUARD_TIMEOUT=7\n")
    monkeypatch.chdir(tmp_path)
    assert GuardConfig.load().timeout is None


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"max_claims": 0}, "max_claims"),
        ({"max_prompt_tokens": 63}, "max_prompt_tokens"),
        ({"max_answer_tokens": 63}, "max_answer_tokens"),
        ({"max_windows_per_claim": 0}, "max_windows_per_claim"),
        ({"on_error": "ignore"}, "on_error"),
        ({"claims": "magic"}, "claims"),
        ({"dtype": "int4"}, "dtype"),
        ({"faithful_signal": "entropy"}, "faithful_signal"),
        ({"preset": 3}, "preset"),
        ({"policy": 3}, "policy"),
        ({"policy": {"hedge_below": 60}}, "policy"),
        ({"policy": {"hedge_belw": 0.6}}, "hedge_belw"),
        ({"policy": {"block_below": 0.9, "hedge_below": 0.5}}, "block_below=0.9 is above hedge_below=0.5"),
        ({"treshold": 0.5}, "treshold is not a setting; settings are .*threshold"),
    ],
)
def test_a_bad_setting_is_named(settings, name):
    with pytest.raises(ConfigError, match=name):
        GuardConfig.load(**settings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("treshold = 0.5\n", "treshold is not a setting"),
        ("[policy]\nhedge_belw = 0.5\n", "hedge_belw"),
        ("timeout = 'soon'\n", "timeout"),
        ("timeout = \n", "guard.toml is not valid TOML"),
        ('{"timeout": 3}', "guard.toml is not valid TOML"),
        (b"\xff\xfe", "guard.toml is not valid TOML: it is not UTF-8"),
    ],
)
def test_a_bad_file_says_what_is_wrong(toml, text, message):
    with pytest.raises(ConfigError, match=message):
        GuardConfig.load(toml(text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read the configuration .*nowhere\.toml: No such file"):
        GuardConfig.load(tmp_path / "nowhere.toml")
    with pytest.raises(ConfigError, match="cannot read the configuration"):
        GuardConfig.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FRANQ_GUARD_TIMEOUT", "soon"),
        ("FRANQ_GUARD_ON_ERROR", "explode"),
        ("FRANQ_GUARD_POLICY__HEDGE_BELOW", "60"),
        ("FRANQ_GUARD_POLICY__HEDGE_BELW", "0.6"),
        ("FRANQ_GUARD_POLICY", "{not json"),
    ],
)
def test_a_bad_variable_is_a_config_error(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError):
        GuardConfig.load()


def test_a_config_does_not_change():
    with pytest.raises(ValueError, match="frozen"):
        GuardConfig.load().timeout = 3
