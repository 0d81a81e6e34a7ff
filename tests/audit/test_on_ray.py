"""Two worker processes on Ray, one of which is killed; in a process of their own, where sockets are open."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from audited import lines, rows, write
from fakes import make_guard

from franq_guard.audit import audit

TESTS = Path(__file__).parents[1]

SCRIPT = """
import sys
from audited import DyingGuard
from franq_guard.audit import audit
result = audit([sys.argv[1]], sys.argv[2], DyingGuard(sys.argv[3], int(sys.argv[4])), workers=2, part_rows=5)
print(result.rows, result.failed, len(result.memory))
"""


def run(tmp_path, traces, *, lives):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, traces, tmp_path / "two", tmp_path / "lives", str(lives)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": f"{TESTS}:{TESTS / 'audit'}:{TESTS.parent}"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()  # Ray may have said something about dead workers before


def test_a_killed_worker_loses_nothing_and_repeats_nothing(tmp_path):
    pytest.importorskip("ray")
    traces = write(tmp_path / "traces.jsonl", rows(40))
    counts = run(tmp_path, traces, lives=1)
    assert counts[:2] == ["40", "0"]
    assert not list((tmp_path / "lives").iterdir())  # it was killed
    audit([traces], tmp_path / "one", make_guard, part_rows=5)
    for name in ("reports.jsonl", "index.jsonl", "failed.jsonl"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


@pytest.mark.slow
def test_a_row_that_kills_is_kept_aside(tmp_path):
    pytest.importorskip("ray")
    traces = write(tmp_path / "traces.jsonl", rows(40))
    assert run(tmp_path, traces, lives=100)[:2] == ["40", "1"]
    [failed] = lines(tmp_path / "two" / "failed.jsonl")
    assert failed["row"] == 14
    assert "died" in failed["reason"]
    assert len(list((tmp_path / "lives").iterdir())) == 96
    assert [line["row"] for line in lines(tmp_path / "two" / "index.jsonl")] == [
        *range(1, 14),
        *range(15, 41),
    ]
