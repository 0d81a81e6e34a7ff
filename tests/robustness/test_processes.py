"""Forks, spawned processes, pickles, and the end of the interpreter."""

import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from fakes import make_guard

from franq_guard import GuardConfig, Policy

ROOT = Path(__file__).resolve().parents[2]
START = """
import asyncio, os, sys, threading, time
from fakes import SlowLM, WordLM, make_guard
FACT = "The tower is 330 metres tall."
ITEM = dict(question="How tall?", passages=[FACT], answer=FACT)
"""


def run(code, *, timeout=90):
    """Runs code in a process of its own; gives what it printed. A hang is a failure."""
    path = os.pathsep.join([str(ROOT / "tests"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", START + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=os.environ | {"PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "Fatal" not in done.stderr
    return done.stdout.split()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_goes_on_with_a_used_guard():
    found = run(
        """
        guard = make_guard()
        assert guard.check(**ITEM).error is None
        assert asyncio.run(guard.acheck(**ITEM)).error is None
        child = os.fork()
        if child == 0:
            ok = guard.check(**ITEM).error is None and asyncio.run(guard.acheck(**ITEM)).error is None
            ok = ok and guard.with_policy(guard.config.policy).check(**ITEM).error is None
            guard.close()
            os._exit(0 if ok else 1)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status))
        assert asyncio.run(guard.acheck(**ITEM)).error is None
        guard.close()
        """
    )
    assert found == ["0"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_is_forked_in_the_midst_of_checks_and_of_loading_goes_on():
    found = run(
        """
        import franq_guard.assembly
        real = franq_guard.assembly.assemble
        def slow(*args, **settings):
            time.sleep(0.5)
            return real(*args, **settings)
        franq_guard.assembly.assemble = slow
        busy, loading = make_guard(language_model=SlowLM()).warm_up(), make_guard(timeout=60)
        threads = [threading.Thread(target=lambda g=g: g.check(**ITEM)) for g in (busy, busy, loading)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            ok = busy.check(**ITEM).error is None and loading.check(**ITEM).error is None
            os._exit(0 if ok else 1)
        _, status = os.waitpid(child, 0)
        for thread in threads:
            thread.join()
        print(os.waitstatus_to_exitcode(status))
        """
    )
    assert found == ["0"]


def test_a_spawned_process_makes_a_guard_from_a_pickled_config():
    config = GuardConfig.load(policy=Policy(block_below=0.3), on_error="block", timeout=60)
    found = run(
        f"""
        import pickle
        config = pickle.loads({pickle.dumps(config)!r})
        guard = make_guard(config=config)
        print(guard.config.on_error, guard.config.timeout, guard.config.policy.block_below)
        assert guard.check(**ITEM).error is None
        """
    )
    assert found == ["block", "60.0", "0.3"]


def test_settings_and_reports_can_be_pickled_and_models_cannot():
    guard = make_guard(policy=Policy(annotation="footnotes"))
    for each in (guard.config, guard.config.policy, guard.check("Q?", ["It is tall."], "It is tall.")):
        assert pickle.loads(pickle.dumps(each)) == each  # noqa: S301
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(guard)


@pytest.mark.parametrize(
    "work",
    [
        "threading.Thread(target=lambda: guard.check(**ITEM), daemon=True).start(); time.sleep(0.1)",
        "threading.Thread(target=lambda: guard.check(**ITEM)).start(); time.sleep(0.1)",
        """
        async def main():
            task = asyncio.create_task(guard.acheck(**ITEM))
            await asyncio.sleep(0.1)
        asyncio.run(main())
        """,
        """
        stream = guard.stream("Q?", ["It is tall."], ["It is tall. ", "It is old. ", "It is green."])
        next(stream)
        """,
    ],
    ids=["a daemon thread", "a thread", "an event loop", "half a stream"],
)
def test_the_interpreter_can_end_while_a_check_runs(work):
    code = (
        "guard = make_guard(language_model=SlowLM())\n" + textwrap.dedent(work).strip() + "\nprint('end')\n"
    )
    assert run(code) == ["end"]
