"""Audits real answers in one process and in several, and compares time, memory and results.

The answers are sentences of `data/long_form_claims.jsonl` on questions of `data/short_qa.jsonl`, with the
gold passage: those that the preset's own model wrote first. If there must be more, each comes several times
in a row; within a part of an audit, what is repeated is not read again. With `--kill`, a worker is killed
midway.

    python -m benchmarks.audit --rows 400 --workers 2          (no two alike)
    python -m benchmarks.audit --rows 10000 --workers 2 --kill
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from franq_guard.audit import audit
from franq_guard.audit.store import FAILED, INDEX, REPORTS
from franq_guard.cli.audit import make_guard
from franq_guard.config import GuardConfig

DATA = Path(__file__).parent / "data"
MiB = 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--distinct", type=int, help="so many answers, repeated; all 713 otherwise")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--part-rows", type=int, default=16)
    parser.add_argument("--preset", default="mini")
    parser.add_argument("--dtype", default="float32", help="bfloat16 is faster where the processor has it")
    parser.add_argument("--threads", type=int, default=1, help="of the one process")
    parser.add_argument("--kill", action="store_true", help="kill one of the workers in the middle")
    parser.add_argument("--folder", type=Path, help="keep the outputs there; a temporary folder otherwise")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        _audit_here(options, *options.one)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        _compare(options, folder)


def _compare(options: argparse.Namespace, folder: Path) -> None:
    traces = folder / "traces.jsonl"
    traces.write_text(
        "".join(json.dumps(row) + "\n" for row in _answers(options.rows, options.distinct)), encoding="utf-8"
    )
    alone = _run(options, folder, 1, threads=options.threads)
    several = _run(options, folder, options.workers, kill=options.kill)
    for name, found in (("one process", alone), (f"{options.workers} workers", several)):
        print(
            f"{name}: {found['seconds']:.0f} s, {options.rows / found['seconds']:.2f} answers a second,"
            f" {found['failed']} rows failed, memory a process {found['memory']} MiB"
        )
    ratio = alone["seconds"] / several["seconds"]
    print(f"speed-up: {ratio:.2f}; processes that did parts: {several['processes']}")
    outputs = (REPORTS, INDEX, FAILED)
    equal = all(
        (folder / "out-1" / name).read_bytes() == (folder / f"out-{options.workers}" / name).read_bytes()
        for name in outputs
    )
    print("results: identical, byte for byte" if equal else "results: DIFFERENT")
    raise SystemExit(int(not equal))


def _answers(count: int, distinct: int | None) -> list[dict[str, Any]]:
    claims = sorted(_read(DATA / "long_form_claims.jsonl"), key=lambda row: row["kind"] != "own")
    passages = {row["id"]: row["context"] for row in _read(DATA / "short_qa.jsonl")}
    found = [(row["question"], passages[row["question_id"]], row["claim"]) for row in claims]
    answers = [
        {"question": question, "passages": [passage], "answer": answer}
        for question, passage, answer in islice(dict.fromkeys(found), distinct)
    ]
    return [
        {"id": number} | answers[number * len(answers) // max(count, len(answers))] for number in range(count)
    ]


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _run(
    options: argparse.Namespace, folder: Path, workers: int, *, threads: int = 1, kill: bool = False
) -> dict[str, Any]:
    """An audit in a process of its own, so that nothing is loaded before."""
    passed = ["--part-rows", options.part_rows, "--preset", options.preset, "--dtype", options.dtype]
    out = folder / f"out-{workers}"
    command = [sys.executable, "-m", "benchmarks.audit", *passed, "--one", workers, folder]
    process = subprocess.Popen(  # noqa: S603
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=(folder / f"errors-{workers}.txt").open("w"),
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": str(threads)},
    )
    if kill:
        threading.Thread(target=_kill_one, args=(process.pid, out / "parts"), daemon=True).start()
    text, _ = process.communicate()
    if process.returncode:
        raise SystemExit((folder / f"errors-{workers}.txt").read_text())
    found: dict[str, Any] = json.loads(text.splitlines()[-1])
    return found


def _audit_here(options: argparse.Namespace, workers: str, folder: str) -> None:
    config = GuardConfig(preset=options.preset, dtype=options.dtype)
    result = audit(
        [Path(folder) / "traces.jsonl"],
        Path(folder) / f"out-{workers}",
        partial(make_guard, config),
        workers=int(workers),
        part_rows=options.part_rows,
    )
    memory = sorted(used // MiB for used in result.memory.values())
    summary = {
        "seconds": result.seconds,
        "failed": result.failed,
        "memory": memory,
        "processes": len(memory),
    }
    print(json.dumps(summary))


def _kill_one(driver: int, parts: Path) -> None:
    """Kills a worker of a driver once some parts are done."""
    import psutil  # type: ignore[import-untyped]

    while len(list(parts.glob("part-*.jsonl"))) < 3:
        time.sleep(0.2)
    for child in psutil.Process(driver).children(recursive=True):
        if "MapWorker" in " ".join(child.cmdline()):
            child.kill()
            print(f"killed worker {child.pid}")
            return
    print("no worker was found to kill")


if __name__ == "__main__":
    main()
