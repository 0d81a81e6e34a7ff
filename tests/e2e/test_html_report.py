"""Pages of what the real models found."""

from html.parser import HTMLParser

import pytest

from franq_guard.report.html import to_html_many

QUESTION = "How tall is the Eiffel Tower, and when was it completed?"
PASSAGES = [
    "With its antennas the Eiffel Tower is 330 metres tall.",
    "The tower was completed in March 1889 and stands on the Champ de Mars in Paris.",
]
ANSWER = "Sure! The Eiffel Tower is 330 metres tall & <old>. It was designed by Leonardo da Vinci."


class Texts(HTMLParser):
    """The text inside the first element with a class, without that of links."""

    def __init__(self, html, name):
        super().__init__()
        self.name, self.depth, self.links, self.found = name, 0, 0, []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        inside = self.depth > 0
        if inside or (not self.found and self.name == dict(attrs).get("class")):
            self.depth += 1
        self.links += inside and tag == "a"

    def handle_endtag(self, tag):
        self.depth -= self.depth > 0
        self.links -= self.depth > 0 and tag == "a"

    def handle_data(self, data):
        if self.depth and not self.links:
            self.found.append(data)


@pytest.fixture(scope="module")
def report(uncalibrated):
    return uncalibrated.check(QUESTION, PASSAGES, ANSWER)


def test_the_page_shows_the_answer_and_every_claim(report):
    page = report.to_html()
    assert "".join(Texts(page, "text").found) == ANSWER
    for number, claim in enumerate(report.claims, start=1):
        assert f'id="c{number}"' in page
        if claim.p_true is not None:
            assert f'id="m{number}"' in page
            assert f"= {claim.p_true:.2f} " in page
            assert claim.evidence[0].text in page
    assert "(not calibrated)" in page


def test_several_answers_are_one_table(report, uncalibrated):
    other = uncalibrated.check("Where is it?", PASSAGES, "It stands on the Champ de Mars in Paris.")
    page = to_html_many([report, other])
    assert page.count("<tr data-number=") == 2
    assert "It stands on the Champ de Mars in Paris." in page
