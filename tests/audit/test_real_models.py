"""The command line on real weights: one process, then two workers on Ray."""

import json
import os
import subprocess
import sys

import pytest
from audited import lines, rows, write

pytestmark = pytest.mark.slow


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "franq_guard.cli", "audit", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1", "FRANQ_GUARD_MAX_PROMPT_TOKENS": "128"},
    )


def test_two_workers_find_what_one_process_finds(tmp_path):
    pytest.importorskip("ray")
    items = [{**row, "answer": f"It is {n + 328} metres tall."} for n, row in enumerate(rows(5))]
    traces = write(tmp_path / "traces.jsonl", [*items, "no json"])
    for workers in (1, 2):
        done = command(traces, "--out", tmp_path / str(workers), "--part-rows", 2, "--workers", workers)
        assert done.returncode == 1, done.stderr
        assert "1 row was kept aside" in done.stdout
    for name in ("reports.jsonl", "index.jsonl", "failed.jsonl"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    found = {line["id"]: line["p_true"] for line in lines(tmp_path / "1" / "index.jsonl")}
    assert len(found) == 5 and None not in found.values()
    assert found["t2"] == max(found.values())  # 330 metres, as the passage says
    assert json.loads((tmp_path / "2" / "audit.json").read_text())["complete"]
