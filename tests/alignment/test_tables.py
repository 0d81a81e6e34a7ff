"""Tables are read row by row, with spans into the passage."""

import pytest
from fakes import WordAligner

from franq_guard.alignment import Aligner, AlignmentJob, MismatchPenalty
from franq_guard.alignment.splitters import rules_splitter
from franq_guard.alignment.tables import find_tables
from franq_guard.alignment.windows import sentence_windows

TABLE = (
    "| City | Population | Area (km²) |\n| --- | --- | --- |\n"
    "| Oslo | 709,037 | 454 |\n| Bergen | 291,940 | 465 |"
)
PASSAGE = f"Two cities of Norway.\n\n{TABLE}\n\nFigures are of 2023."
TABS = "City\tPopulation\nOslo\t709,037\nBergen\t291,940"


def windows(*passages):
    return sentence_windows(passages, rules_splitter().split)


def test_each_row_is_written_out_with_its_place():
    rows = [window for window in windows(PASSAGE) if window.table_row]
    assert [row.text for row in rows] == [
        "Oslo, Population: 709,037. Oslo, Area (km²): 454.",
        "Bergen, Population: 291,940. Bergen, Area (km²): 465.",
    ]
    for row, name in zip(rows, ("Oslo", "Bergen"), strict=True):
        [piece] = row.pieces
        assert PASSAGE[piece.start : piece.end].startswith(name)


def test_prose_around_a_table_is_kept_in_order():
    found = windows(PASSAGE)
    assert found[0].text == "Two cities of Norway."
    assert found[-1].text == "Figures are of 2023."
    starts = [window.pieces[0].start for window in found]
    assert starts == sorted(starts)
    assert all(
        window.text == PASSAGE[window.pieces[0].start : window.pieces[0].end]
        for window in found
        if not window.table_row
    )


def test_lines_of_tabs_are_a_table():
    assert [w.text for w in windows(TABS)] == ["Oslo, Population: 709,037.", "Bergen, Population: 291,940."]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a | b",
        "No table here.",
        "one\ttab only",
        "| | |\n| --- | --- |",
        "| a |\n| --- |\n| b |",
        "\t\t\n\t",
    ],
)
def test_what_is_no_table_stays_as_it_is(text):
    assert find_tables(text) == []
    assert not any(window.table_row for window in windows(text))


def test_a_long_row_is_cut_and_nothing_is_lost():
    header = " | ".join(f"Column {n}" for n in range(80))
    row = " | ".join(f"value{n}" for n in range(80))
    text = f"| {header} |\n|{' --- |' * 80}\n| {row} |"
    found = windows(text)
    assert len(found) > 1
    assert all(any(f"value{n}." in window.text for window in found) for n in range(1, 80))


def test_a_figure_of_another_row_is_caught():
    aligner = Aligner(WordAligner(), mismatch=MismatchPenalty((-3.0, -1.0, -3.0)))
    claims = ["Oslo has a population of 709,037.", "Oslo has a population of 291,940."]
    true, false = aligner.align([AlignmentJob(claims, [PASSAGE])])[0]
    assert true.evidence()[0].text.startswith("Oslo")
    assert not true.evidence()[0].differs
    assert true.p_faithful > false.p_faithful
    assert "291,940" in next(e.differs for e in false.evidence() if e.text.startswith("Oslo"))
