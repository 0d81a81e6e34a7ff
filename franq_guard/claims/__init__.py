"""From an answer to its claims."""

from __future__ import annotations

from franq_guard.claims.base import ClaimExtractor, Extraction
from franq_guard.claims.blocks import Block, BlockKind, markup_ranges, split_blocks
from franq_guard.claims.checkworthiness import checkworthiness
from franq_guard.claims.clauses import Clause, split_clauses
from franq_guard.claims.language import detect_language
from franq_guard.claims.llm import LLMExtractor
from franq_guard.claims.plain import stated_ranges
from franq_guard.claims.rules import RuleExtractor
from franq_guard.claims.sentences import split_sentences
from franq_guard.claims.spans import locate_claim, match_words, spans_to_tokens

__all__ = [
    "Block",
    "BlockKind",
    "ClaimExtractor",
    "Clause",
    "Extraction",
    "LLMExtractor",
    "RuleExtractor",
    "checkworthiness",
    "detect_language",
    "locate_claim",
    "markup_ranges",
    "match_words",
    "spans_to_tokens",
    "split_blocks",
    "split_clauses",
    "split_sentences",
    "stated_ranges",
]
