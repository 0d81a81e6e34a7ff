"""What a conformance check found, gathered so that everything is said at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


class ConformanceError(AssertionError):
    """An object does not do what its protocol promises.

    Attributes:
        findings: what it does instead, one sentence each.
    """

    def __init__(self, subject: str, findings: tuple[str, ...]) -> None:
        self.findings = findings
        super().__init__("\n".join([f"{subject} does not conform:", *(f"  - {each}" for each in findings)]))


class Findings:
    """Collects what is wrong with one object.

    Args:
        subject: the object, as it is named in the error.
    """

    def __init__(self, subject: object) -> None:
        self._subject = type(subject).__name__
        self._found: dict[str, None] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, problem: str) -> None:
        """Notes a problem; the same one is said once."""
        self._found[problem] = None

    def expect(self, condition: object, problem: str) -> bool:
        """Notes the problem unless the condition holds; gives back whether it does."""
        if not condition:
            self.add(problem)
        return bool(condition)

    def attempt(self, what: str, call: Callable[[], Value]) -> Value | None:
        """Makes a call that must not raise; None if it does."""
        try:
            return call()
        except Exception as error:
            self.add(f"{what} raises {type(error).__name__}: {error}")
            return None

    def members(self, subject: object, names: tuple[str, ...]) -> bool:
        """Notes which of these are missing."""
        missing = [name for name in names if not hasattr(subject, name)]
        return self.expect(not missing, f"has no {', '.join(missing)}")

    def conclude(self) -> None:
        """Raises ConformanceError if anything was found."""
        if self._found:
            raise ConformanceError(self._subject, tuple(self._found))


def shown(text: str) -> str:
    """A text as it is named in a finding."""
    quoted = ascii(text)
    return quoted if len(quoted) <= 40 else f"{quoted[:37]}...{quoted[0]}"
