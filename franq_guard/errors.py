"""The few exceptions, each saying what to do next."""

from __future__ import annotations


class FranqGuardError(Exception):
    """Base of everything this package raises on purpose."""


class InputError(FranqGuardError, ValueError):
    """A question, passage, answer or file has the wrong type or shape."""


class ConfigError(FranqGuardError, ValueError):
    """A setting is unknown, out of range, or contradicts another."""


class ModelError(FranqGuardError):
    """A model could not be found, fetched, verified, loaded or run."""


class CalibrationError(FranqGuardError):
    """A calibrator is corrupt, or was fitted for another signal or model."""


class CheckTimeoutError(FranqGuardError, TimeoutError):
    """The deadline of a check passed before it was finished."""
