"""Reports as JSON, as tables for the terminal, as Markdown, and as HTML pages (in `html`)."""

from franq_guard.report.console import render, to_text
from franq_guard.report.markdown import to_markdown
from franq_guard.report.serialise import from_dict, from_json, to_dict, to_json

__all__ = ["from_dict", "from_json", "render", "to_dict", "to_json", "to_markdown", "to_text"]
