"""Stored answers and guards over fakes, for audits; imported by worker processes too."""

import json
import os
import signal
from pathlib import Path

from fakes import BrokenLM, WordLM, make_guard

from franq_guard.errors import ModelError

PASSAGE = "The tower is 330 metres tall."


def rows(count):
    return [
        {
            "id": f"t{n}",
            "question": "How tall?",
            "passages": [PASSAGE],
            "answer": f"The tower is {n} metres tall.",
        }
        for n in range(count)
    ]


def write(path, items):
    lines = (item if isinstance(item, str) else json.dumps(item) for item in items)
    Path(path).write_text("".join(line + "\n" for line in lines))
    return path


def lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


class PickyLM(WordLM):
    """Fails on answers with a certain word."""

    def score(self, requests):
        if any("unscorable" in tokens.text for _, tokens in requests):
            raise ModelError("this answer cannot be scored")
        return super().score(requests)


def picky_guard():
    return make_guard(language_model=PickyLM())


def broken_guard():
    return make_guard(language_model=BrokenLM(ModelError("no memory")))


class DyingLM(WordLM):
    """Kills its process when it meets a certain word, as often as files are left in a folder to say so."""

    def __init__(self, folder):
        super().__init__()
        self.folder = Path(folder)

    def score(self, requests):
        if any("13 metres" in tokens.text for _, tokens in requests):
            for life in sorted(self.folder.glob("life-*")):
                life.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        return super().score(requests)


class DyingGuard:
    """Makes guards that die; picklable."""

    def __init__(self, folder, lives):
        self.folder = str(folder)
        Path(folder).mkdir()
        for number in range(lives):
            (Path(folder) / f"life-{number}").touch()

    def __call__(self):
        return make_guard(language_model=DyingLM(self.folder))
