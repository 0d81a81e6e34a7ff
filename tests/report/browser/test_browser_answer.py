"""A page of one answer, used with mouse, keyboard, finger, printer and eyes."""

import dataclasses

import pytest
from contrast import LOW_CONTRAST
from html_reports import ANSWER, HOSTILE, crowded, hostile, large, usual

from franq_guard.report.html import Limits, to_html
from franq_guard.report.html.visible import visible
from franq_guard.rewriting.wording import printable

PHONE = {"width": 360, "height": 740}


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.className")


# Mouse.


def test_pointing_at_a_claim_shows_how_its_probability_comes_about(show):
    page = show(usual().to_html())
    tip = page.locator(".tip")
    assert not tip.is_visible()
    page.locator(".answer .claim", has_text="is 450 m tall").hover()
    text = tip.inner_text()
    assert "The tower is 450 m tall" in text
    assert "P(true) 18%" in text
    assert "0.10 × 0.90 + 0.90 × 0.10 = 0.18 (calibrated)" in text
    assert page.locator(".answer .claim.hot").all_inner_texts() == ["The tower", "is 450 m tall"]
    page.locator(".question").hover()
    tip.wait_for(state="hidden")


def test_the_pointer_may_move_onto_what_it_brought_up(show):
    page = show(usual().to_html())
    page.locator(".answer .claim", has_text="Nobody lives").hover()
    page.locator(".tip").hover()
    page.wait_for_timeout(400)
    assert page.locator(".tip").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator(".tip").is_visible()


def test_a_click_leads_to_the_claim_and_lights_up_its_evidence(show):
    page = show(usual().to_html())
    page.locator(".answer .claim", has_text="is 450 m tall").click()
    assert focused(page) == "c3"
    assert page.locator("mark.current").all_inner_texts() == ["It is 330 metres tall.", "It has restaurants."]
    page.locator("#c3 .evidence a").first.click()
    assert focused(page) == "p1"
    page.locator("#c2 .back a").click()
    assert focused(page) == "m2"


def test_before_after_and_changes(show):
    page = show(usual().to_html())
    shown = [page.locator(f".panel.{name}") for name in ("before", "after", "changes")]
    for place, name in enumerate(("Before", "After", "Changes")):
        page.locator(".views label", has_text=name).click()
        assert [panel.is_visible() for panel in shown] == [place == number for number in range(3)]
    assert page.locator("ins").first.is_visible()


def test_claims_can_be_ordered_and_filtered(show):
    page = show(usual().to_html())
    visible_cards = page.locator(".claim-card:visible")
    ids = "cards => cards.map((card) => card.id)"
    assert visible_cards.evaluate_all(ids) == ["c1", "c2", "c3", "c4"]
    page.locator("[data-order]").select_option("doubt")
    assert visible_cards.evaluate_all(ids) == ["c3", "c2", "c4", "c1"]
    page.locator("[data-show]").select_option("review")
    assert visible_cards.evaluate_all(ids) == ["c3", "c4"]
    assert page.locator("[data-say]").inner_text() == "2 of 4 claims shown"
    page.locator("#m2").click()
    assert page.locator("#c2").is_visible()


@pytest.mark.parametrize("number", range(1, 8))
def test_every_claim_of_a_tangle_can_be_reached(show, number):
    page = show(crowded().to_html())
    page.locator(f"#m{number}").click()
    assert focused(page) == f"c{number}"
    words = page.locator(".answer .claim.current").all_inner_texts()
    answer = crowded().answer
    assert "".join(words) == "".join(
        answer[max(span.start, 0) : span.end] for span in crowded().claims[number - 1].spans
    )


# Keyboard.


def test_a_walk_with_the_keyboard(show):
    page = show(usual().to_html())
    walked = []
    for _ in range(8):
        page.keyboard.press("Tab")
        walked.append(focused(page))
    assert walked[:2] == ["skip", "view-before"]
    assert walked[2:5] == ["m2", "m3", "m4"]
    page.keyboard.press("Shift+Tab")
    page.locator("#m3").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert "P(true) 18%" in page.locator(".tip").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator(".tip").is_visible()
    assert focused(page) == "m3"
    page.keyboard.press("Enter")
    assert focused(page) == "c3"
    page.keyboard.press("Escape")
    assert focused(page) == "m3"


def test_the_view_changes_with_arrow_keys(show):
    page = show(usual().to_html())
    page.locator("#view-before").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".panel.after").is_visible()
    assert focused(page) == "view-after"


def test_what_has_the_focus_shows_it(show):
    page = show(usual().to_html())
    for _ in range(12):
        page.keyboard.press("Tab")
        style = """() => {
          const node = document.activeElement.matches("input.sr")
            ? document.activeElement.nextElementSibling : document.activeElement;
          return getComputedStyle(node).outlineStyle;
        }"""
        assert page.evaluate(style) == "solid"


# Phone.


def test_a_tap_brings_up_a_sheet_that_leads_to_the_details(show):
    page = show(usual().to_html(), **PHONE)
    page.locator(".answer .claim", has_text="is 450 m tall").tap()
    tip = page.locator(".tip")
    box = tip.bounding_box()
    assert box["x"] == 0
    assert box["width"] == 360
    assert box["y"] + box["height"] == pytest.approx(740, abs=1)
    tip.get_by_text("Evidence and details").tap()
    assert focused(page) == "c3"
    assert not tip.is_visible()


@pytest.mark.parametrize("report", [usual(), crowded(), *map(hostile, HOSTILE)])
def test_nothing_is_wider_than_a_phone(show, overflow, report):
    page = show(to_html(report), **PHONE)
    assert overflow(page) <= 0
    page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    for name in ("after", "changes"):
        if page.locator(f"#view-{name}").count():
            page.evaluate(f"document.getElementById('view-{name}').checked = true")
        assert overflow(page) <= 0


# Hostile text.


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_text(show, text):
    page = show(to_html(hostile(text)))
    shown, short = (" ".join(clean(text).split()) for clean in (visible, printable))
    expected = {".question": shown, ".before .text": shown, ".passage .text": shown, ".claim-card h3": shown}
    expected |= {".triggers": short, "blockquote": short, ".about": short, ".alarm": shown}
    for place, words in expected.items():
        assert words in " ".join(page.locator(place).first.text_content().split())
    assert page.locator("img, iframe, object, embed, link[rel=stylesheet]").count() == 0
    assert page.locator("script").count() == 1


def test_right_to_left_text_keeps_its_direction_to_itself(show):
    page = show(to_html(hostile("مرحبا بالعالم")))
    direction = "node => getComputedStyle(node).direction"
    assert page.locator(".question").evaluate(direction) == "rtl"
    assert page.locator(".answer .before .text").evaluate(direction) == "rtl"
    assert page.locator("#m1").evaluate(direction) == "ltr"
    assert page.locator("#claims-head").evaluate(direction) == "ltr"


# Eyes, printers, slow machines.


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(show, scheme):
    page = show(usual().to_html(), scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    for name in ("after", "changes", "before"):
        page.evaluate(f"document.getElementById('view-{name}').checked = true")
        assert page.evaluate(LOW_CONTRAST) == []
    page.locator("#m3").hover()
    assert page.evaluate(LOW_CONTRAST) == []
    failed = show(dataclasses.replace(usual(), error="out of memory").to_html(), scheme=scheme)
    assert failed.evaluate(LOW_CONTRAST) == []


def test_the_contrast_check_finds_what_is_pale(show):
    page = show(usual().to_html())
    page.evaluate("document.querySelector('.question').style.color = '#999999'")
    (found,) = page.evaluate(LOW_CONTRAST)
    assert "When was the tower finished?" in found


def test_in_print_everything_is_on_paper(show):
    page = show(usual().to_html())
    page.emulate_media(media="print")
    for place in (".panel.before", ".panel.after", "#c3", "#p1", "#p2", "#c3 .more blockquote"):
        assert page.locator(place).is_visible()
    for place in (".controls", ".skip", ".views label", ".back"):
        assert not page.locator(place).first.is_visible()
    assert page.pdf().startswith(b"%PDF")


def test_motion_is_for_those_who_want_it(show):
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    assert show(usual().to_html(), motion="reduce").evaluate(behaviour) == "auto"
    assert show(usual().to_html(), motion="no-preference").evaluate(behaviour) == "smooth"


def test_without_javascript_all_is_readable(show):
    page = show(usual().to_html(), java_script_enabled=False)
    page.locator("#m3").click()
    assert page.url.endswith("#c3")
    assert page.locator("#c3 .formula").is_visible()
    page.locator(".views label", has_text="After").click()
    assert page.locator(".panel.after").is_visible()


def test_a_large_answer_opens(show):
    page = show(to_html(large(claims=150, passages=60), limits=Limits(claims=100)))
    assert page.locator(".claim-card").count() == 100
    page.locator("#m100").click()
    assert focused(page) == "c100"


def test_an_answer_in_a_notebook_keeps_to_its_frame(show):
    page = show(f"<!doctype html><title>notebook</title><h1>Mine</h1>{usual()._repr_html_()}")
    frame = page.frame_locator("iframe")
    frame.locator("#m3").click()
    assert frame.locator("#c3.current").is_visible()
    assert page.url.startswith("file:")
    assert page.locator("h1").evaluate("node => getComputedStyle(node).marginTop") != "0px"


def test_a_link_into_the_page_opens_there(show):
    page = show(usual().to_html())
    page.goto(page.url + "#c3")
    page.reload()
    assert focused(page) == "c3"
    assert ANSWER[:5] in page.locator(".answer").inner_text()
