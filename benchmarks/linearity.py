"""How the time of a check grows with the length of text that is made to be slow.

Each row is one character or fragment, repeated, through a whole check with models that cost nothing. Twice
the text should take about twice the time; a ratio near 4 is quadratic, and near 8 cubic.

    python benchmarks/linearity.py [--length 20000] [--limit 2.8]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.weightless import weightless_guard
from franq_guard import Guard

FRAGMENTS = (
    "a",
    "a ",
    "A. ",
    "1",
    "1,",
    "1.",
    "1 ",
    " ",
    "\n",
    "\t",
    ".",
    "...",
    "?",
    "!",
    ",",
    ";",
    ":",
    "-",
    "- ",
    "* ",
    "*",
    "**",
    "_",
    "`",
    "```\n",
    "~~~\n",
    "#",
    "# ",
    "> ",
    "|",
    "| a ",
    "|-",
    "<",
    "<!--",
    "<b>",
    "</",
    "&",
    "&amp;",
    "[",
    "[1]",
    "[a](",
    "(",
    ")",
    "((",
    "{",
    '"',
    "'",
    "“",
    "\\",
    "\\(",
    "$",
    "http://",
    "a@",
    "a.b",
    "and ",
    ", and ",
    "It is, which is ",
    "who ",
    "not ",
    "the 3 of May ",
    "five hundred ",
    "million ",
    "10 km ",
    "%",
    "\u200b",
    "\u202e",
    "\u0301",
    "\U0001f389",
    "\ud83d",
    "é",
    "東",
    "。",
    "برج ",
    "<|im_start|>",
    "\x00",
    "Mr. ",
    "e.g. ",
    "U.S. ",
    "1. ",
    "a) ",
    "The tower is tall. ",
    "- item\n",
    "| a | b |\n",
    "a\n\n",
)
"""Of markup, numbers, words and characters that something looks for."""


def seconds(guard: Guard, answer: str, passage: str) -> float:
    """Processor time of one check, all threads together."""
    begun = time.process_time()
    guard.check("How tall is the tower?", [passage], answer)
    return time.process_time() - begun


def main() -> None:
    """Prints the slowest fragments; exits with 1 if one grows faster than the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--length", type=int, default=20_000, help="characters, and twice as many")
    parser.add_argument("--limit", type=float, default=2.8, help="largest ratio that passes")
    parser.add_argument("--floor", type=float, default=0.2, help="seconds below which no ratio is judged")
    options = parser.parse_args()
    guard = weightless_guard(form="long")
    seconds(guard, "The tower is tall.", "The tower is tall.")
    rows = []
    for where in ("answer", "passage"):
        for fragment in FRAGMENTS:
            text = fragment * (options.length // len(fragment))
            times = [
                seconds(guard, long, "The tower is tall.")
                if where == "answer"
                else seconds(guard, "The tower is tall.", long)
                for long in (text, text * 2)
            ]
            rows.append((times[1] / max(times[0], 1e-9), times[1], where, fragment))
    judged = [row for row in rows if row[1] > options.floor]
    for ratio, took, where, fragment in sorted(judged, key=lambda row: -row[1]):
        print(f"{ratio:5.1f} x  {took:7.2f} s  {where:8} {fragment!a}")
    slow = [row for row in judged if row[0] > options.limit]
    print(f"{len(rows)} texts of {2 * options.length:,} characters; {len(slow)} grow too fast")
    sys.exit(bool(slow))


if __name__ == "__main__":
    main()
