"""Actions become text: annotated, hedged and blocked answers."""

from franq_guard.rewriting.edits import Edit, Rewriting
from franq_guard.rewriting.growing import rewrite_growing
from franq_guard.rewriting.lm import LMRewriter
from franq_guard.rewriting.rewriter import rewrite

__all__ = ["Edit", "LMRewriter", "Rewriting", "rewrite", "rewrite_growing"]
