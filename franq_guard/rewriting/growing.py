"""Rewriting of an answer that is still being written: what was shown already cannot be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from franq_guard.claims.blocks import split_blocks
from franq_guard.policy import Policy
from franq_guard.rewriting.edits import Rewriting, apply_edits, merge_edits
from franq_guard.rewriting.lm import LMRewriter
from franq_guard.rewriting.rewriter import TOO_LITTLE, plan_edits, rewrite
from franq_guard.schema import Action, Passage, ScoredClaim


def rewrite_growing(
    answer: str,
    claims: Sequence[ScoredClaim],
    policy: Policy,
    *,
    start: int,
    last: bool,
    passages: Sequence[Passage] = (),
    rephraser: LMRewriter | None = None,
) -> Rewriting:
    """Carries out the actions from `start` on.

    The list of footnotes comes with the last part. If too little of the answer is left in the end, the
    policy's message comes behind what was shown.

    Args:
        answer: the answer so far, up to the end of a sentence.
        claims: all its claims so far, decided.
        policy: what the actions look like.
        start: where the part begins that was not shown yet.
        last: True if the answer is finished.
        passages: see `rewrite`.
        rephraser: see `rewrite`.

    Returns:
        Text, edits and notes of the part from `start` on; places of edits are those in `answer`.
    """
    if start == 0 and last:
        return rewrite(answer, claims, policy, passages=passages, rephraser=rephraser)
    blocks = split_blocks(answer)
    if not blocks or all(claim.action is Action.KEEP for claim in claims):
        return Rewriting(answer[start:])
    planned = plan_edits(answer, blocks, claims, policy, passages=passages, rephraser=rephraser, start=start)
    edits = merge_edits([*planned.edits, *(planned.footnotes if last else ())])
    text = apply_edits(answer, edits)[start:]
    notes = planned.notes
    blocked = last and planned.share_kept < policy.min_kept
    if blocked:
        text = f"{text.rstrip()}\n\n{policy.answer_message}"
        notes = (*notes, f"{TOO_LITTLE}: the message came behind what was shown already")
    return Rewriting(text, blocked, edits, notes)
