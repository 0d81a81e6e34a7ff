"""Reports as self-contained HTML pages: no network, no foreign code, usable without a mouse and in print."""

from franq_guard.report.html.limits import Limits
from franq_guard.report.html.page import notebook, to_html, to_html_many

__all__ = ["Limits", "notebook", "to_html", "to_html_many"]
