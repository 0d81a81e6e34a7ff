"""Texts that answers are made of, for property tests."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

FRAGMENTS = [
    "Paris is the capital of France and has 2 million people.",
    "Dr. J. R. Smith lives in the U.S. and weighs 3.5 stone.",
    'He asked "Why? Because." and left.',
    "Marie Curie, who was born in Warsaw, won two Nobel Prizes.",
    "Sure, I can help! ",
    "I don't know",
    "It is big; it is old…",
    "See https://example.org/a.b?c=d for more.[1] ",
    "巴黎是法国的首都。它很大！",
    "باريس عاصمة فرنسا. هل هي كبيرة؟ ",
    "पेरिस राजधानी है। ",
    "😀👍🏽 ",
    "\u200b\u202e\ufeff",
    "\x00",
    "\ud800",
    "\udfff x",
    "𝒳",
    "e\u0301",
    "# Title\n",
    "**Bold**\n",
    "**",
    "- item\n",
    "1. First item\n",
    "  * nested. Two sentences.\n",
    "> quoted text\n",
    ">\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "| | |\n",
    "```python\nx = 1\n```\n",
    "```\n",
    "~~~\nParis is a very nice city.\n~~~\n",
    "    x = {1}\n",
    "---\n",
    "===\n",
    "\n",
    "\r\n",
    "\n\n",
    "\u2028",
    "\x0b",
    " ",
    "\t",
    '"',
    "“",
    "(",
    ")",
    "[",
    "'",
    ",",
    ", and ",
    " and it is ",
    "Yes. ",
    "No, ",
    "Here are some:\n",
    "half a sen",
]

any_text = st.text(max_size=60) | st.text(
    st.characters(categories=["Cs", "Lu", "Po", "Zs", "Cc", "Nd"]), max_size=40
)
texts = st.lists(st.sampled_from(FRAGMENTS) | any_text, max_size=12).map("".join)

patient = settings(deadline=None)
"""The first example may load the language model."""
