"""Collect claims in a file that `franq-guard label` opens, and that can be calibrated on once labelled."""

import json
import tempfile
from pathlib import Path

from franq_guard import Guard
from franq_guard.tracing import JsonlSink


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.jsonl"
        guard = Guard.from_preset("mini", tracing=[JsonlSink(path, capture_content=True)])
        guard.check(
            "Who discovered penicillin?",
            ["Penicillin was discovered by Alexander Fleming in London in 1928."],
            "Alexander Fleming discovered penicillin in 1928. He was born in Norway.",
        )
        guard.close()
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            print(row["p_true"], row["action"], row["claim"])
        print(f"next: franq-guard label {path} --out labels.jsonl")


if __name__ == "__main__":
    main()
