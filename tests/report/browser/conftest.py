"""Pages opened in headless Chromium, which may load nothing but the page itself.

The browser is found by FRANQ_GUARD_CHROMIUM or on the path. Without one the tests are skipped, unless
FRANQ_GUARD_REQUIRE_BROWSER=1 asks for them.
"""

import os
import shutil

import pytest

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")


def _missing(reason):
    if os.environ.get("FRANQ_GUARD_REQUIRE_BROWSER") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


# Not for the session: playwright's event loop keeps running, and other tests need one of their own.
@pytest.fixture(scope="module")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright is not installed: pip install playwright")
    path = os.environ.get("FRANQ_GUARD_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        _missing("no Chromium on the path; name one in FRANQ_GUARD_CHROMIUM")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield found
        found.close()


@pytest.fixture
def show(browser, tmp_path):
    """Opens HTML from a file; at the end nothing may have been logged, asked or fetched."""
    contexts, problems = [], []

    def open_page(html, *, width=1280, height=900, scheme="light", motion="reduce", **options):
        path = tmp_path / f"page-{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion=motion,
            has_touch=width < 600,
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        allowed = (path.as_uri(), "about:", "data:,")
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("popup", lambda popup: problems.append(f"popup: {popup.url}"))
        page.on("request", lambda r: r.url.startswith(allowed) or problems.append(f"request: {r.url}"))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("window.hacked") is None
        context.close()
    assert problems == []


OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def overflow():
    """How many pixels a page is wider than its window."""
    return lambda page: page.evaluate(OVERFLOW)
