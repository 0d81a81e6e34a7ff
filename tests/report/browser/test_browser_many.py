"""A page of many answers, used with mouse, keyboard, finger, printer and eyes."""

import dataclasses

import pytest
from contrast import LOW_CONTRAST
from html_reports import HOSTILE, hostile, small, usual

from franq_guard.evaluation.report_rows import rows_from_report
from franq_guard.report.html import Limits, to_html_many

expect = pytest.importorskip("playwright.sync_api").expect

PHONE = {"width": 360, "height": 740}
NUMBERS = "rows => rows.map((row) => Number(row.dataset.number))"


def reports():
    """Ten answers from unlikely to likely, shuffled, and one of every kind of claim."""
    order = (4, 9, 0, 7, 2, 5, 1, 8, 3, 6)
    return [usual(), *(small(number, number / 10 + 0.04) for number in order)]


def numbers(page):
    return page.locator("#table tbody tr").evaluate_all(NUMBERS)


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.textContent")


@pytest.fixture
def page(show):
    return show(to_html_many(reports()))


def test_the_table_is_sorted_by_its_head(page):
    assert numbers(page) == list(range(1, 12))
    lowest = page.locator("th", has_text="Lowest P(true)")
    lowest.locator("button").click()
    assert lowest.get_attribute("aria-sort") == "ascending"
    assert numbers(page) == [4, 1, 8, 6, 10, 2, 7, 11, 5, 9, 3]
    lowest.locator("button").press("Enter")
    assert lowest.get_attribute("aria-sort") == "descending"
    assert numbers(page) == [3, 9, 5, 11, 7, 2, 10, 6, 8, 1, 4]
    page.locator("th", has_text="Action").locator("button").click()
    assert numbers(page)[0] == 4
    assert page.locator("th[aria-sort]").count() == 1


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("action", "block", [4]),
        ("verdict", "contradicted", [1]),
        ("trigger", "over_specified", [1]),
        ("below", "0.3", [1, 4, 6, 8]),
    ],
)
def test_the_table_is_filtered(page, name, value, expected):
    page.locator(f"select[name={name}]").select_option(value)
    assert numbers(page) == expected
    assert page.locator("#count").inner_text().startswith(f"{len(expected)} of 11 answer")
    page.locator("button[type=reset]").click()
    expect(page.locator("#count")).to_have_text("11 answers")
    assert len(numbers(page)) == 11


def test_words_are_searched_for(page):
    page.locator("input[name=text]").fill("SHORT question 7")
    assert numbers(page) == [5]
    page.locator("input[name=text]").fill("nowhere")
    assert numbers(page) == []
    assert page.locator("#count").inner_text() == "0 of 11 answers"


def test_only_what_a_person_should_see(page):
    page.locator("input[name=review]").check()
    assert numbers(page) == [1, 4]


def test_details_open_in_a_dialog_and_give_the_focus_back(page):
    opener = page.locator("tr[data-number='1'] .open")
    opener.press("Enter")
    dialog = page.locator("dialog")
    expect(dialog).to_be_visible()
    assert page.locator("#detail-title").inner_text() == "Answer 1"
    assert page.locator("dialog .question").inner_text() == "When was the tower finished?"
    page.locator("#m3").click()
    assert focused(page) == "c3"
    page.keyboard.press("Escape")
    assert focused(page) == "m3"
    assert dialog.is_visible()
    page.locator("#close").press("Enter")
    assert not dialog.is_visible()
    assert focused(page) == "When was the tower finished?"


def test_escape_closes_the_tip_first_and_then_the_dialog(page):
    page.locator("tr[data-number='1'] .open").click()
    page.locator("dialog .claim", has_text="is 450 m tall").hover()
    assert page.locator("dialog .tip").is_visible()
    page.locator("#detail-title").focus()
    page.locator("dialog .claim", has_text="is 450 m tall").hover()
    page.keyboard.press("Escape")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()


def test_one_can_leaf_through_what_was_found(page):
    page.locator("select[name=below]").select_option("0.3")
    page.locator("tr[data-number='4'] .open").click()
    page.locator("#next").click()
    expect(page.locator("#detail-title")).to_have_text("Answer 6")
    page.locator("#next").click()
    expect(page.locator("#next")).to_be_disabled()
    page.locator("#previous").click()
    expect(page.locator("dialog .question")).to_have_text("Question 2?")
    assert page.locator("dialog .tip").count() == 1


def test_many_answers_come_in_portions(show):
    reports = [small(number, number / 300) for number in range(300)]
    page = show(to_html_many(reports, limits=Limits(answers=280)))
    assert len(numbers(page)) == 100
    assert page.locator("#count").inner_text() == "280 answers, the first 100 shown"
    assert "Left out of the table: the 20 answers" in page.locator(".left-out").inner_text()
    page.locator("#more").click()
    assert len(numbers(page)) == 200
    assert focused(page) == "Question 100?"
    page.locator("input[name=text]").fill("279")
    assert numbers(page) == [280]
    page.locator(".open").click()
    assert page.locator("dialog .question").inner_text() == "Question 279?"


def test_charts_say_in_words_what_they_draw(show):
    labels = [dataclasses.replace(r, true=True) for report in reports() for r in rows_from_report(report)]
    page = show(to_html_many(reports(), labels=labels))
    assert page.locator("svg[role=img]").count() >= 2
    page.locator("figure summary").first.click()
    assert page.locator("#histogram-table tbody tr").count() == 10
    assert "12 labelled claims" in page.locator("#reliability-title").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(show, scheme):
    labels = [dataclasses.replace(r, true=True) for report in reports() for r in rows_from_report(report)]
    page = show(to_html_many(reports(), labels=labels), scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    assert page.evaluate(LOW_CONTRAST) == []
    page.locator("tr[data-number='1'] .open").click()
    expect(page.locator("dialog")).to_be_visible()
    assert page.evaluate(LOW_CONTRAST) == []


def test_nothing_is_wider_than_a_phone(show, overflow):
    page = show(to_html_many([*reports(), *map(hostile, HOSTILE)], title="W" * 150), **PHONE)
    assert overflow(page) <= 0
    opener = page.locator("tr[data-number='17'] .open")
    opener.tap()
    expect(page.locator("dialog")).to_be_visible()
    box = page.locator("dialog").bounding_box()
    assert (box["x"], box["width"]) == (0, 360)
    assert page.locator("dialog").evaluate("node => node.scrollWidth - node.clientWidth") <= 0


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_text(show, text):
    page = show(to_html_many([hostile(text), small(0, 0.5)], title=text))
    page.locator("tr[data-number='1'] .open").click()
    assert page.locator("dialog .question").inner_text().strip()
    assert page.locator("img, iframe, object, embed").count() == 0
    assert page.locator("script:not([type])").count() == 1
    assert page.locator("dialog script").count() == 0


def test_in_print_all_rows_or_the_open_answer_are_on_paper(show):
    page = show(to_html_many([small(number, number / 150) for number in range(150)]))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(numbers(page)) == 150
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(numbers(page)) == 100
    page.locator(".open").first.click()
    expect(page.locator("dialog")).to_be_visible()
    page.emulate_media(media="print")
    assert not page.locator("#table").is_visible()
    assert page.locator("dialog .panel.before").is_visible()


def test_without_javascript_the_table_is_whole(show):
    page = show(to_html_many(reports()), java_script_enabled=False)
    assert page.locator("#table tbody tr").count() == 11
    assert page.locator("noscript").inner_text()
    assert not page.locator("#filters").is_visible()
