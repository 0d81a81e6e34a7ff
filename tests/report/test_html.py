"""Pages of one answer and of many, as HTML."""

import dataclasses
import html
import math

import pytest
from html_checks import check
from html_reports import ANSWER, HOSTILE, crowded, hostile, large, small, usual
from hypothesis import given, settings
from hypothesis import strategies as st

from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.evaluation.report_rows import rows_from_report
from franq_guard.report.html import Limits, to_html, to_html_many
from franq_guard.report.html.visible import visible
from franq_guard.rewriting.wording import printable
from franq_guard.schema import Action, GuardReport, ScoredClaim, Verdict

ANY_TEXT = st.text(st.characters(exclude_categories=()), min_size=1, max_size=40)


def spread(text):
    return " ".join(visible(text).split())


# One answer.


def test_a_page_shows_every_claim_with_its_decomposition():
    page = check(usual().to_html())
    assert "When was the tower finished?" in page.words
    assert "0.99 × 0.90 + 0.01 × 0.10 = 0.89 (calibrated)" in page.words
    assert "0.10 × 0.90 + 0.90 × 0.10 = 0.18 (calibrated)" in page.words
    assert "P(faithful) 10% P(true | faithful) 90% P(true | not faithful) 10%" in page.words
    assert [card["id"] for card in page.with_class("claim-card")] == ["c1", "c2", "c3", "c4"]
    assert "not checked: the deadline passed" in page.words
    assert "no claim: meta talk" in page.words


def test_claims_differ_by_more_than_colour():
    page = check(usual().to_html())
    chips = [chip["aria-label"] for chip in page.with_class("chip") if chip.get("id", "").startswith("m")]
    assert sorted(chips) == [
        "Claim 2, P(true) 89%, supported, annotate",
        "Claim 3, P(true) 18%, contradicted, hedge, for review",
        "Claim 4, not checked: the deadline passed, annotate, for review",
    ]
    looks = [band["class"].split()[1] for band in page.with_class("claim") if "data-claims" not in band]
    assert looks == ["b-high", "b-fair", "b-low", "b-verylow", "b-unchecked", "b-noclaim"]
    for look in ("thin", "dotted", "dashed", "wavy", "double"):
        assert f"{look} line" in page.words


def test_triggers_come_with_strength_and_advice():
    words = check(usual().to_html()).words
    assert "over specified strength 75%, passage 1" in words
    assert "The claim says 450 m; the passage says 330 metres." in words
    assert "What to change: Retrieve passages with figures." in words
    assert "it sounds surer than P(true) allows" in words


def test_evidence_is_marked_in_its_passage():
    text = usual().to_html()
    assert '<mark class="k-aligned" data-claims="2">Work ended in March 1889.</mark>' in text
    assert '<mark class="k-contradicted" data-claims="3">It is 330 metres tall.</mark>' in text
    assert '<mark class="k-faint" data-claims="3">It has restaurants.</mark>' in text


def test_before_after_and_changes():
    text = usual().to_html()
    assert "[removed] Nobody lives there [not checked].</div>" in text
    assert "<del>" in text
    assert "<ins>" in text
    unchanged = check(dataclasses.replace(usual(), text=ANSWER).to_html())
    assert "Nothing was changed." in unchanged.words
    assert unchanged.all("ins") == []


@pytest.mark.parametrize(
    ("calibration", "words"),
    [
        ("none", "Not calibrated"),
        ("calibrated", "Calibrated: each signal"),
        ("condition", "Calibrated, by one map"),
    ],
)
def test_a_page_says_whether_numbers_are_calibrated(calibration, words):
    page = check(dataclasses.replace(usual(), calibration=calibration).to_html())
    assert words in page.words
    assert ("(not calibrated)" in page.words) is (calibration == "none")


def test_a_failed_check_and_a_blocked_answer_are_said_first():
    failed = dataclasses.replace(usual(), error="out of memory", claims=())
    assert "The check failed: out of memory" in check(failed.to_html()).words
    assert "This report has no claims." in check(failed.to_html()).words
    blocked = dataclasses.replace(usual(), blocked=True, text="I cannot answer that.")
    assert "The whole answer was blocked." in check(blocked.to_html()).words


def test_an_empty_report_is_a_page():
    page = check(GuardReport(question="", passages=(), answer="", text="").to_html())
    assert "(no question)" in page.words
    assert "The answer is empty." in page.words
    assert "No passage was retrieved." in page.words


def test_claims_may_overlap_nest_repeat_and_not_fit():
    report = crowded()
    page = check(report.to_html())
    shown = [e for e in page.with_class("claim") if "data-claims" in e]
    covering = {number for element in shown for number in element["data-claims"].split()}
    assert covering == {"1", "2", "3", "4", "5", "6", "7"}
    assert sorted(chip["id"] for chip in page.with_class("chip")) == [f"m{n}" for n in range(1, 8)]
    # The least likely one gives the colour and comes first.
    assert "1 2 3 4 6" in [element["data-claims"] for element in shown]


@pytest.mark.parametrize("value", [math.nan, -0.5, 1.5])
def test_a_number_that_is_no_probability_breaks_nothing(value):
    first, second, *rest = usual().claims
    odd = dataclasses.replace(second, p_true=value, p_faithful=value)
    report = dataclasses.replace(usual(), claims=(first, odd, *rest))
    check(report.to_html())
    check(to_html_many([report]))


def test_evidence_of_a_passage_that_is_not_there_has_no_link():
    report = dataclasses.replace(usual(), passages=())
    assert "passage 1" in check(report.to_html()).words


# Text from outside.


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text(text):
    plain = check(hostile("plain").to_html())
    page = check(hostile(text).to_html())
    assert [tag for tag in page.tags if tag not in ("ins", "del")] == [
        tag for tag in plain.tags if tag not in ("ins", "del")
    ]
    assert page.words.count(spread(text)[:100]) >= 10
    many = check(to_html_many([hostile(text)] * 2))
    assert " ".join(printable(text).split())[:100] in many.words
    assert spread(text)[:100] in many.details[1].words


@settings(max_examples=40)
@given(ANY_TEXT)
def test_any_text_is_text(text):
    page = check(hostile(text).to_html())
    assert set(page.tags) >= {"mark", "blockquote"}
    assert spread(text) in page.words


@given(ANY_TEXT)
def test_visible_text_holds_no_odd_characters(text):
    shown = visible(text)
    shown.encode()
    assert not any(ord(char) < 32 and char not in "\t\n" for char in shown)
    assert not any("\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069" for char in shown)
    assert visible(shown) == shown


def test_odd_characters_are_shown_by_name():
    assert visible("a\x00b\x1b\x7f\x85\u202e\ud800\r\nc\td") == "a␀b␛␡[U+0085][U+202E]�\nc\td"


# Limits.


def test_a_large_answer_is_cut_and_says_so():
    page = check(large().to_html())
    assert "Left out of this page: 200 more claims and 900 more passages." in page.words
    assert len(page.with_class("claim-card")) == 500
    assert len(page.with_class("passage")) == 100


def test_passages_with_evidence_come_before_others():
    report = large(claims=3, passages=10)
    cited = tuple(
        dataclasses.replace(claim, evidence=(dataclasses.replace(claim.evidence[0], passage=9 - number),))
        for number, claim in enumerate(report.claims)
    )
    report = dataclasses.replace(report, claims=cited)
    page = check(to_html(report, limits=Limits(passages=4)))
    assert [passage["id"] for passage in page.with_class("passage")] == ["p1", "p8", "p9", "p10"]


def test_long_texts_are_cut_around_what_matters():
    report = usual()
    long = dataclasses.replace(report.passages[0], text=report.passages[0].text + " More." * 5000)
    page = check(dataclasses.replace(report, passages=(long, report.passages[1])).to_html())
    assert "characters left out …]" in page.words
    assert "It is 330 metres tall." in page.words
    short = check(to_html(report, limits=Limits(answer_chars=20)))
    assert f"[… {len(ANSWER) - 20} characters left out …]" in short.words
    assert len(short.with_class("claim-card")) == 4


@pytest.mark.parametrize("value", [0, -1, True, 2.5, None])
def test_limits_are_whole_numbers_above_zero(value):
    with pytest.raises(ConfigError, match="claims must be a whole number of at least 1"):
        Limits(claims=value)


# Many answers.


def test_a_page_of_many_answers():
    reports = [small(number, number / 10) for number in range(11)]
    page = check(to_html_many(reports, title="All <of> them"))
    assert "All <of> them" in page.words
    assert "11 answers" in page.words
    assert [len(detail.with_class("question")) for detail in page.details.values()] == [1] * 11
    rows = [attrs for attrs in page.all("tr") if "data-number" in attrs]
    assert [row["data-number"] for row in rows] == [str(number) for number in range(1, 12)]
    assert rows[0]["data-action"] == Action.BLOCK.value
    assert rows[10]["data-verdicts"] == Verdict.SUPPORTED.value


def test_only_labels_bring_a_reliability_diagram():
    reports = [small(number, number / 10) for number in range(10)]
    rows = [
        dataclasses.replace(row, true=row.extra["p_true"] > 0.5)
        for r in reports
        for row in rows_from_report(r)
    ]
    assert "Reliability" not in check(to_html_many(reports)).words
    assert "Reliability" not in check(to_html_many(reports, labels=[])).words
    page = check(to_html_many(reports, labels=rows))
    assert "Reliability: is P(true) right? 10 labelled claims" in page.words
    assert "labelled true" in page.details[10].words
    assert "1 labelled false" in page.words


def test_labels_on_which_people_differ_do_not_count():
    (row,) = rows_from_report(small(0, 0.5))
    rows = [dataclasses.replace(row, true=told, annotator=str(told)) for told in (True, False)]
    assert "Reliability" not in check(to_html_many([small(0, 0.5)], labels=rows)).words
    other = LabelledClaim(id="of-another-answer", question_id="x", true=True)
    assert "Reliability" not in check(to_html_many([small(0, 0.5)], labels=[other])).words


def test_the_most_doubtful_answers_stay_if_there_are_too_many():
    reports = [small(number, number / 10) for number in reversed(range(10))]
    page = check(to_html_many(reports, limits=Limits(answers=3)))
    rows = [attrs["data-number"] for attrs in page.all("tr") if "data-number" in attrs]
    assert rows == ["8", "9", "10"]
    assert "Left out of the table: the 7 answers whose claims are likeliest to be true." in page.words


def test_details_are_left_out_before_rows():
    reports = [small(number, number / 10) for number in range(10)]
    size = len(to_html_many(reports[:2])) - len(to_html_many(reports[:1]))
    page = check(to_html_many(reports, limits=Limits(details_chars=4 * size)))
    kept = len(page.details)
    assert 0 < kept < 10
    assert page.words.count("(details left out)") == 10 - kept
    assert f"it holds the details of {kept} answers" in page.words


def test_triggers_are_counted_over_all_answers():
    words = check(to_html_many([usual(), usual(), small(0, 0.9)])).words
    assert "Why claims are doubtful what claims over specified 2" in words


@pytest.mark.parametrize("reports", [[], iter(())])
def test_a_page_of_nothing_is_refused(reports):
    with pytest.raises(InputError, match="at least one report"):
        to_html_many(reports)


@pytest.mark.parametrize("value", [None, {"answer": "x"}, "x"])
def test_only_reports_are_shown(value):
    with pytest.raises(InputError, match="must be a GuardReport"):
        to_html(value)
    with pytest.raises(InputError, match=r"reports\[1\] must be a GuardReport"):
        to_html_many([usual(), value])


# Notebooks.


def test_a_notebook_gets_a_frame_of_its_own():
    frame = usual()._repr_html_()
    assert frame.startswith('<iframe title="franq-guard report" sandbox="allow-scripts"')
    inner = frame.partition('srcdoc="')[2].rpartition('"></iframe>')[0]
    assert '"' not in inner
    assert "<" not in inner
    check(html.unescape(inner))


def test_the_same_report_gives_the_same_page():
    assert usual().to_html() == GuardReport.from_json(usual().to_json()).to_html()


def test_a_new_claim_is_shown_as_not_checked():
    bare = ScoredClaim(index=0, text="x", spans=(), sentence=usual().claims[0].sentence)
    page = check(GuardReport(question="?", passages=(), answer="x", text="x", claims=(bare,)).to_html())
    assert "not checked" in page.words
