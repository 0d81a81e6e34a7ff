"""Audits in one process, over fakes."""

import json
import sys
from dataclasses import replace

import pytest
from audited import DyingGuard, broken_guard, lines, picky_guard, rows, write
from fakes import WordLM, make_guard
from filelock import FileLock

from franq_guard.audit import audit
from franq_guard.audit.source import Source
from franq_guard.audit.store import Store
from franq_guard.audit.worker import Worker
from franq_guard.errors import ConfigError, InputError
from franq_guard.schema import GuardReport

OUTPUTS = ("reports.jsonl", "index.jsonl", "failed.jsonl")


@pytest.fixture
def traces(tmp_path):
    return write(tmp_path / "traces.jsonl", rows(10))


def contents(folder):
    return [(folder / name).read_bytes() for name in OUTPUTS]


def test_reports_are_those_of_a_check(traces, tmp_path):
    seen = []
    result = audit([traces], tmp_path / "out", make_guard, part_rows=4, progress=lambda *at: seen.append(at))
    assert (result.rows, result.failed, result.resumed, result.already_complete) == (10, 0, 0, False)
    assert seen == [(4, 10), (8, 10), (10, 10)]
    reports = [GuardReport.from_dict(line) for line in lines(tmp_path / "out" / "reports.jsonl")]
    expected = make_guard().check_many(rows(10))
    assert [(r.text, r.p_true, r.claims) for r in reports] == [(r.text, r.p_true, r.claims) for r in expected]
    index = lines(tmp_path / "out" / "index.jsonl")
    assert [(line["row"], line["id"], line["line"]) for line in index] == [
        (n + 1, f"t{n}", n + 1) for n in range(10)
    ]
    assert index[0]["p_true"] == expected[0].p_true and index[0]["claims"] == 1
    assert not (tmp_path / "out" / "parts").exists()


def test_failed_rows_are_kept_aside_with_the_reason(tmp_path):
    bad = [
        "no json",
        {"id": 1, "question": "q", "passages": [3], "answer": "a"},
        rows(1)[0] | {"answer": "It is unscorable."},
    ]
    traces = write(tmp_path / "traces.jsonl", [rows(1)[0], *bad, "", *rows(2)])
    result = audit([traces], tmp_path / "out", picky_guard)
    assert result.failed == 3
    failed = lines(tmp_path / "out" / "failed.jsonl")
    assert [(line["row"], line["data"]) for line in failed] == list(zip([2, 3, 4], bad, strict=True))
    assert [line["id"] for line in failed] == [None, 1, "t0"]
    for line, reason in zip(failed, ("not JSON", "passages[0]", "cannot be scored"), strict=True):
        assert reason in line["reason"]
    assert [line["row"] for line in lines(tmp_path / "out" / "index.jsonl")] == [1, 6, 7]


def test_a_guard_that_never_works_fails_every_row(traces, tmp_path):
    assert audit([traces], tmp_path / "out", broken_guard).failed == 10


def test_stopped_and_gone_on_with_is_as_if_never_stopped(traces, tmp_path):
    audit([traces], tmp_path / "whole", make_guard, part_rows=3)

    def stop(done, total):
        if done >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit([traces], tmp_path / "out", make_guard, part_rows=3, progress=stop)
    assert not (tmp_path / "out" / "reports.jsonl").exists()
    (tmp_path / "out" / "parts" / ".part-00000002.jsonl.1.ab.tmp").write_text('{"half')
    checked = []

    def counting():
        guard = make_guard()
        whole = guard.check_many
        guard.check_many = lambda items: checked.extend(items) or whole(items)
        return guard

    result = audit([traces], tmp_path / "out", counting, part_rows=3)
    assert (result.rows, result.resumed, len(checked)) == (10, 6, 4)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_finished_audit_does_nothing_more(traces, tmp_path):
    audit([traces], tmp_path / "out", broken_guard)
    before = contents(tmp_path / "out")
    again = audit([traces], tmp_path / "out", make_guard)
    assert (again.already_complete, again.failed, again.resumed) == (True, 10, 10)
    assert contents(tmp_path / "out") == before


def test_another_audit_is_not_mixed_in(traces, tmp_path):
    audit([traces], tmp_path / "out", make_guard, about={"preset": "mini"})
    with pytest.raises(InputError, match="other settings: choose another --out"):
        audit([traces], tmp_path / "out", make_guard, about={"preset": "large"})
    write(traces, rows(11))
    with pytest.raises(InputError, match="other files"):
        audit([traces], tmp_path / "out", make_guard, about={"preset": "mini"})
    (tmp_path / "own").mkdir()
    write(tmp_path / "own" / "reports.jsonl", [])
    with pytest.raises(InputError, match="reports of something else"):
        audit([traces], tmp_path / "own", make_guard)


def test_damaged_state_is_an_error_with_a_way_out(traces, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "audit.json").write_text("{")
    with pytest.raises(InputError, match="choose another --out"):
        audit([traces], tmp_path / "out", make_guard)
    with pytest.raises(InputError, match="cannot make the folder"):
        audit([traces], traces / "out", make_guard)


def test_two_audits_do_not_write_into_one_folder(traces, tmp_path):
    (tmp_path / "out").mkdir()
    with FileLock(tmp_path / "out" / ".lock"), pytest.raises(InputError, match="another audit is writing"):
        audit([traces], tmp_path / "out", make_guard)


def test_one_worker_needs_no_ray(traces, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert audit([traces], tmp_path / "out", make_guard).failed == 0
    with pytest.raises(ConfigError, match=r"franq-guard\[ray\]"):
        audit([traces], tmp_path / "two", make_guard, workers=2)
    with pytest.raises(ConfigError, match="at least 1 worker"):
        audit([traces], tmp_path / "none", make_guard, workers=0)


# Rows that kill.


@pytest.fixture
def worker(tmp_path):
    """A worker on a part of 4 rows, and its store."""
    source = Source([write(tmp_path / "traces.jsonl", rows(4))])
    store = Store(tmp_path / "out")
    store.begin({})
    return Worker(make_guard, tmp_path / "out"), store, source.parts[0]


def test_a_part_that_processes_died_of_is_done_row_by_row(worker):
    worker, store, part = worker
    store.attempt(0, "part")
    store.attempt(0, "part")
    for _ in range(2):
        store.attempt(0, "begun 2")
    store.attempt(0, "begun 3")
    store.attempt(0, "ended 3")
    done = worker.run(part)
    assert (done.rows, done.failed) == (4, 1)
    outcomes = store.read(0)
    assert [line["row"] for line in outcomes] == [1, 2, 3, 4]
    assert ["reason" in line for line in outcomes] == [False, True, False, False]
    assert "died" in outcomes[1]["reason"]


def test_dying_once_costs_no_row(worker):
    worker, store, part = worker
    store.attempt(0, "part")
    assert worker.run(part).failed == 0


def test_stopping_is_not_dying(worker, monkeypatch):
    worker, store, part = worker
    guard = make_guard().warm_up()
    worker._guard = guard

    def stop(items):
        raise KeyboardInterrupt

    monkeypatch.setattr(guard, "check_many", stop)
    for _ in range(5):
        with pytest.raises(KeyboardInterrupt):
            worker.run(part)
    assert store.attempts(0) == []


def test_a_part_that_is_there_is_not_done_again(worker):
    worker, _, part = worker
    first = worker.run(part)
    again = worker.run(part)
    assert first.process > 0
    assert (again.process, again.rows, again.failed) == (0, 4, 0)


def test_a_missing_model_is_not_held_against_the_rows(tmp_path, worker):
    _, store, part = worker

    def missing():
        raise ConfigError("no model")

    with pytest.raises(ConfigError):
        Worker(missing, store.folder).run(part)
    assert store.attempts(0) == []


def test_dying_guards_are_what_they_claim(tmp_path):
    maker = DyingGuard(tmp_path / "lives", 0)
    assert json.loads(maker().check("q", ["p"], "It is 13 metres.").to_json())["error"] is None


class CompanyLM(WordLM):
    """Last digits depend on what is scored together, as with float32 sums."""

    def score(self, requests):
        found = super().score(requests)
        return [replace(one, log_probs=one.log_probs - 1e-7 * len(requests)) for one in found]


def company_guard():
    return make_guard(language_model=CompanyLM())


def test_a_part_does_not_depend_on_the_parts_before(tmp_path):
    first, second = [rows(4), [*rows(2), rows(6)[5]]]
    both = write(tmp_path / "both.jsonl", [*first, *second])
    alone = write(tmp_path / "alone.jsonl", second)
    for name, traces in (("both", both), ("alone", alone)):
        audit([traces], tmp_path / name, company_guard, part_rows=4)
    found = [lines(tmp_path / name / "reports.jsonl") for name in ("both", "alone")]
    assert found[0][4:] == found[1]
    signals = [report["claims"][0]["signals"]["max_claim_log_prob"] for report in found[0]]
    assert signals[0] != signals[4]  # the same answer in other company
