"""A first check that nobody waits for: what is imported, compiled or allocated late is then there."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from franq_guard.inputs import CheckInput
from franq_guard.outcome import guarded_report
from franq_guard.pipeline.deadline import Deadline
from franq_guard.policy import Policy
from franq_guard.schema import Passage

if TYPE_CHECKING:
    from franq_guard.pipeline.pipeline import Pipeline

logger = logging.getLogger(__name__)

# Numbers, units, two sentences and another language, so that everything that loads late is asked for.
_ITEM = CheckInput(
    question="How tall is the tower, and when was it built?",
    passages=(
        Passage("The tower is 330 metres tall. It was built in May 1889 by 300 workers."),
        Passage("Der Turm steht seit vielen Jahren in der Stadt, und viele Menschen haben ihn dort gesehen."),
    ),
    answer="The tower is 1,083 feet tall. It was built in 1887, and 300 workers built it.",
)


def rehearse(pipeline: Pipeline, policy: Policy) -> None:
    """Checks a small answer with a guard's models. A failure is logged: real checks deal with theirs.

    Short form, which writes several answers, is rehearsed only where every answer is scored so.
    """
    form = replace(pipeline, form="short" if pipeline.form == "short" else "long")
    try:
        [scored] = form.run([_ITEM], deadline=Deadline(None), timings={})
        guarded_report(form, _ITEM, scored, policy)
    except Exception as error:
        logger.warning("the rehearsal of a check failed, and so may checks: %s", error)
