"""The ids under which the scores of a run are filed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from franq_guard.tracing import Correlation


def ids_of(run_id: UUID, root_run_id: UUID | None, session: str | None) -> Correlation:
    """The spans that are current, with the ids of a LangChain run."""
    found = replace(Correlation.current(), run_id=str(run_id))
    if root_run_id is not None:
        found = replace(found, root_run_id=str(root_run_id))
    return found if session is None else replace(found, session_id=session)


def session_of(*named: Mapping[str, Any] | None) -> str | None:
    """The conversation: what metadata or configurable values call the session or the thread."""
    for values in named:
        for key in ("session_id", "thread_id"):
            if values and values.get(key):
                return str(values[key])
    return None
