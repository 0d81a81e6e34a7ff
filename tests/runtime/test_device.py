"""Picking a device and a number format."""

import pytest
import torch

from franq_guard.errors import ConfigError
from franq_guard.runtime.device import resolve_device, resolve_dtype


@pytest.fixture
def hardware(monkeypatch):
    def set_up(*, cuda=False, mps=False, bf16=False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: bf16)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)

    return set_up


@pytest.mark.parametrize("asked", [None, "auto"])
@pytest.mark.parametrize(
    ("cuda", "mps", "expected"),
    [(True, True, "cuda"), (True, False, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_the_best_device_is_picked(hardware, asked, cuda, mps, expected):
    hardware(cuda=cuda, mps=mps)
    assert resolve_device(asked) == expected


def test_a_device_that_is_there_is_taken(hardware):
    hardware(cuda=True, mps=True)
    for device in ("cpu", "cuda", "cuda:1", "mps"):
        assert resolve_device(device) == device


@pytest.mark.parametrize("device", ["cuda", "cuda:0", "mps", "meta", "xpu"])
def test_a_device_that_is_not_there_is_refused(hardware, device):
    hardware()
    with pytest.raises(ConfigError, match="is not available here; leave `device` unset"):
        resolve_device(device)


@pytest.mark.parametrize("device", ["abacus", "", "cuda:x"])
def test_what_is_no_device_is_refused(device):
    with pytest.raises(ConfigError, match="use 'cuda', 'cuda:0', 'mps' or 'cpu'"):
        resolve_device(device)


@pytest.mark.parametrize("asked", [None, "auto"])
@pytest.mark.parametrize(
    ("device", "bf16", "expected"),
    [
        ("cpu", False, torch.float32),
        ("mps", False, torch.float16),
        ("cuda", True, torch.bfloat16),
        ("cuda:1", False, torch.float16),
    ],
)
def test_the_number_format_follows_the_device(hardware, asked, device, bf16, expected):
    hardware(cuda=True, bf16=bf16)
    assert resolve_dtype(asked, device) == expected


def test_a_number_format_can_be_asked_for():
    assert resolve_dtype("bfloat16", "cpu") == torch.bfloat16
    with pytest.raises(ConfigError, match="dtype 'int4' is unknown; use one of float32"):
        resolve_dtype("int4", "cpu")
