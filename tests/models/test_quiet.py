"""Loading weights draws nothing on standard error, and leaves the application's setting alone."""

from transformers.utils import logging as transformers_logging

from franq_guard.models.align_mini import load_align_mini
from franq_guard.models.quiet import without_progress_bars


def test_loading_is_quiet(capfd):
    load_align_mini(device="cpu")
    assert capfd.readouterr().err == ""


def test_the_setting_is_put_back():
    before = transformers_logging.is_progress_bar_enabled()
    with without_progress_bars():
        assert not transformers_logging.is_progress_bar_enabled()
    assert transformers_logging.is_progress_bar_enabled() == before
