"""What holds for every page."""

import base64
import gzip
import hashlib
import re
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img"}
INLINE = {"a", "b", "bdi", "del", "ins", "mark", "q", "span"}
ALLOWED = INLINE | set(
    "html head meta title link style body script main section details summary div p ul li dl dt dd h1 h2 h3 "
    "h4 blockquote svg rect line circle polyline text input label select option button form table caption "
    "thead tbody tr th td figure figcaption dialog noscript br".split()
)


class Page(HTMLParser):
    """A page's elements and texts; asserts that every element is closed where it should be."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.text, self._open = [], [], []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), f"{tag} repeats an attribute"
        self.elements.append((tag, dict(attrs)))
        if tag not in INLINE:
            self.text.append(" ")
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag

    def handle_data(self, data):
        if not self._open or self._open[-1] not in ("script", "style"):
            self.text.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    def with_class(self, name):
        return [attrs for _, attrs in self.elements if name in (attrs.get("class") or "").split()]

    @property
    def tags(self):
        return [tag for tag, _ in self.elements]

    @property
    def words(self):
        return " ".join("".join(self.text).split())


def check(html):
    """Parses a page and checks that it is sound, self-contained and consistent.

    What a page of many answers holds of each is checked too, and given as `details`, by its number.
    """
    html.encode()
    page = Page(html)
    page.details = {number: Page(detail) for number, detail in _details(html).items()}
    (policy,) = [a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert len(page.all("script")) == 1 + len(page.details)
    assert policy.startswith("default-src 'none'; ")
    assert f"style-src '{_hash(style)}'" in policy
    assert f"script-src '{_hash(script)}'" in policy
    assert "url(" not in style
    for part in (page, *page.details.values()):
        _check_elements(part)
        _check_references(part)
    return page


def _hash(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _details(html):
    packed = re.findall(r'<script type="text/plain" id="d(\d+)">(.*?)</script>', html)
    return {int(number): gzip.decompress(base64.b64decode(text)).decode() for number, text in packed}


def _check_elements(page):
    assert set(page.tags) <= ALLOWED
    for tag, attrs in page.elements:
        assert not [name for name in attrs if name.startswith("on") or name in ("src", "style", "action")], (
            tag
        )
        if "href" in attrs:
            assert attrs["href"] == "data:," or attrs["href"].startswith("#")


def _check_references(page):
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(set(ids)) == len(ids)
    for _, attrs in page.elements:
        wanted = [attrs[name] for name in ("aria-labelledby", "aria-describedby", "for") if name in attrs]
        if attrs.get("href", "").startswith("#"):
            wanted.append(attrs["href"][1:])
        assert {one for names in wanted for one in names.split()} <= set(ids)
