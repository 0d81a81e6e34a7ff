"""Puts pages together: one file with its own style and script, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from franq_guard.errors import InputError
from franq_guard.report.html.answer_view import answer_view
from franq_guard.report.html.limits import Limits
from franq_guard.report.html.many_view import Labels, many_view, most_doubtful_first
from franq_guard.report.html.visible import visible
from franq_guard.rewriting.wording import one_line
from franq_guard.schema import GuardReport

if TYPE_CHECKING:
    from franq_guard.evaluation.labels import LabelledClaim

_TITLE_CHARS = 80
_NOTEBOOK = Limits(claims=100, passages=20, answer_chars=20_000)


def to_html(report: GuardReport, *, limits: Limits | None = None) -> str:
    """One answer as a self-contained page: it loads nothing, and shows all text as text.

    Args:
        report: what to show.
        limits: how much; the page says what it leaves out.

    Raises:
        InputError: if `report` is no `GuardReport`.
    """
    _require_report(report, "report")
    title = one_line(report.question, _TITLE_CHARS) or "Answer"
    view = answer_view(report, limits or Limits())
    return _page("answer.html", title=f"{title} · franq-guard", scripts=("page.js",), view=view)


def to_html_many(
    reports: Iterable[GuardReport],
    *,
    labels: Iterable[LabelledClaim] | None = None,
    title: str = "Checked answers",
    limits: Limits | None = None,
) -> str:
    """Many answers as a self-contained page: a table that can be sorted and filtered, charts, and details.

    Args:
        reports: what to show, in this order.
        labels: what people said about the claims; rows of `franq-guard label`. Claims on which they differ
            count as unlabelled, and rows of other answers are ignored.
        title: of the page.
        limits: how much; the page says what it leaves out.

    Raises:
        InputError: if there is no report, an item is none, or labels contradict each other.
    """
    found, limits = list(reports), limits or Limits()
    if not found:
        raise InputError("nothing to show: give at least one report")
    for place, report in enumerate(found):
        _require_report(report, f"reports[{place}]")
    told = _labels(found, labels)
    order = most_doubtful_first(found)
    shown = order[: limits.answers]
    details = _details(found, told, shown, limits)
    return _page(
        "many.html",
        title=one_line(title, 200) or "Checked answers",
        scripts=("page.js", "many.js"),
        view=many_view(found, told, shown),
        details=details,
    )


def notebook(report: GuardReport) -> str:
    """The page of one answer in a frame of its own, for notebooks: no style or script gets in or out."""
    page = to_html(report, limits=_NOTEBOOK)
    return str(
        Markup(
            '<iframe title="franq-guard report" sandbox="allow-scripts" width="100%" height="640" '
            'style="border:1px solid #8c959f" srcdoc="{}"></iframe>'
        ).format(page)
    )


def _details(
    reports: Sequence[GuardReport], labels: Sequence[Labels], order: Sequence[int], limits: Limits
) -> dict[int, str]:
    """Packed details by the number of the answer, in that order; the first of `order` that fit."""
    template = _environment().get_template("detail.html")
    found: dict[int, str] = {}
    budget = limits.details_chars
    for place in order:
        packed = _pack(template.render(view=answer_view(reports[place], limits, labels=labels[place])))
        if len(packed) <= budget:
            found[place + 1] = packed
            budget -= len(packed)
        elif budget < limits.details_chars // 20:
            break
    return dict(sorted(found.items()))


def _pack(html: str) -> str:
    """Compressed, in base64: details repeat themselves, and a browser need not parse them before it must."""
    return base64.b64encode(gzip.compress(html.encode(), mtime=0)).decode()


def _labels(reports: Sequence[GuardReport], rows: Iterable[LabelledClaim] | None) -> list[dict[int, bool]]:
    if rows is None:
        return [{} for _ in reports]
    from franq_guard.evaluation.claim_sets import merge_annotators
    from franq_guard.evaluation.report_rows import rows_from_report

    merged, _ = merge_annotators(list(rows))
    true = {row.id: row.true for row in merged if row.true is not None}
    return [
        {int(row.id.rpartition("-")[2]): true[row.id] for row in rows_from_report(report) if row.id in true}
        for report in reports
    ]


def _page(template: str, *, title: str, scripts: Sequence[str], **context: Any) -> str:
    style = _asset("page.css")
    script = "\n".join(_asset(name) for name in scripts)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    fixed: Mapping[str, Any] = {
        "title": title,
        "policy": policy,
        "style": Markup(style),  # noqa: S704 - a file of this package
        "script": Markup(script),  # noqa: S704 - a file of this package
    }
    return _environment().get_template(template).render(**fixed, **context)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text(encoding="utf-8").strip()


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _finalize(value: Any) -> Any:
    """Every text that a template writes passes here before it is escaped."""
    return value if not isinstance(value, str) or isinstance(value, Markup) else visible(value)


def _require_report(value: Any, name: str) -> None:
    if not isinstance(value, GuardReport):
        raise InputError(f"{name} must be a GuardReport, got {type(value).__name__}; Guard.check returns one")
