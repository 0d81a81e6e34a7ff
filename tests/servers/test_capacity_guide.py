"""The modelled table of the guide is what the script computes."""

from pathlib import Path

from benchmarks.capacity import modelled

ROOT = Path(__file__).parents[2]


def test_the_table_in_the_guide_is_the_computed_one():
    assert modelled() in (ROOT / "docs" / "capacity.md").read_text(encoding="utf-8")
