"""`franq-guard audit`: stored answers in, a folder of reports out."""

import json

import pytest

GOOD = {
    "id": "a",
    "question": "How tall?",
    "passages": ["The tower is tall."],
    "answer": "The tower is tall.",
}
BAD = {
    "question": "How tall?",
    "passages": ["The tower is tall."],
    "answer": "Zebras rarely swim northwards.",
}


@pytest.fixture
def traces(tmp_path):
    path = tmp_path / "traces.jsonl"
    path.write_text("\n".join(map(json.dumps, (GOOD, BAD, GOOD))))
    return path


def test_a_folder_and_a_summary(cli, traces, tmp_path):
    out = tmp_path / "out"
    code, printed, err = cli("audit", traces, "--out", out, "--part-rows", 2)
    assert (code, err) == (0, "")
    assert "3: 3 in" in printed and "1, up to" in printed and f"Wrote {out}" in printed.replace("\n", "")
    index = [json.loads(line) for line in (out / "index.jsonl").read_text().splitlines()]
    assert [line["id"] for line in index] == ["a", None, "a"]
    assert len((out / "reports.jsonl").read_text().splitlines()) == 3
    code, printed, _ = cli("audit", traces, "--out", out, "--part-rows", 2)
    assert code == 0
    assert "3 by an earlier run" in printed


def test_failed_rows_change_the_exit_code(cli, traces, tmp_path):
    traces.write_text(traces.read_text() + "\n{}\n")
    code, printed, _ = cli("audit", traces, "--out", tmp_path / "out")
    assert code == 1
    assert "1 row was kept aside" in printed


def test_reports_can_be_labelled(cli, traces, tmp_path):
    from franq_guard.labelling.tasks import load_tasks

    cli("audit", traces, "--out", tmp_path / "out")
    assert len(load_tasks(tmp_path / "out" / "reports.jsonl").rows) == 2  # one answer is there twice


def test_other_settings_need_another_folder(cli, traces, tmp_path, monkeypatch):
    cli("audit", traces, "--out", tmp_path / "out")
    monkeypatch.setenv("FRANQ_GUARD_MAX_CLAIMS", "1")
    code, _, err = cli("audit", traces, "--out", tmp_path / "out")
    assert code == 2
    assert "other settings: choose another --out" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.jsonl", "--out", "x"], "cannot read absent.jsonl"),
        (["traces.jsonl", "--out", "x", "--calibration", "absent.json"], "cannot read the calibrator"),
        (["traces.csv", "--out", "x"], "audits read .jsonl"),
    ],
)
def test_what_goes_wrong_is_one_line(cli, traces, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = cli("audit", *arguments)
    assert code == 2
    assert message in err and err.count("\n") == 1
