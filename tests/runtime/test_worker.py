"""One worker, many callers: what runs together, who gets what, and what happens when something fails."""

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from franq_guard.errors import CheckTimeoutError, ModelError
from franq_guard.pipeline.deadline import Deadline
from franq_guard.runtime import worker as module
from franq_guard.runtime.time_limit import limited
from franq_guard.runtime.worker import ModelWorker


class Doubler:
    """Gives 2 x; runs only while its gate is open."""

    def __init__(self):
        self.batches = []
        self.gate = threading.Event()
        self.gate.set()
        self.running = threading.Event()

    def run(self, requests):
        self.batches.append(list(requests))
        self.running.set()
        self.gate.wait(10)
        if "bad" in requests:
            raise ValueError("bad request")
        return [2 * request for request in requests]

    def shut(self):
        self.gate.clear()
        self.running.clear()


@pytest.fixture
def model():
    doubler = Doubler()
    yield doubler
    doubler.gate.set()


@pytest.fixture
def worker(model):
    return ModelWorker(model.run, size=lambda request: 1, budget=4)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(16) as pool:
        yield pool


def waiting(worker, count):
    """Waits until so many jobs are in the queue."""
    for _ in range(1000):
        with worker._changed:
            if len(worker._queue) == count:
                return
        time.sleep(0.005)
    raise AssertionError(f"{len(worker._queue)} jobs wait, not {count}")


def occupy(worker, model, pool):
    """Keeps the worker busy with a first request until the gate is opened."""
    model.shut()
    first = pool.submit(worker.score, [0])
    assert model.running.wait(10)
    return first


def test_results_come_in_order(worker):
    assert worker.score(list(range(11))) == list(range(0, 22, 2))
    assert worker.score([]) == []


def test_callers_that_wait_are_served_together(worker, model, pool):
    first = occupy(worker, model, pool)
    others = [pool.submit(worker.score, [n]) for n in (1, 2, 3)]
    waiting(worker, 3)
    model.gate.set()
    assert first.result() == [0]
    assert [other.result() for other in others] == [[2], [4], [6]]
    assert model.batches[0] == [0]
    assert sorted(model.batches[1]) == [1, 2, 3]


def test_a_large_job_gives_way(worker, model, pool):
    model.shut()
    audit = pool.submit(worker.score, list(range(1000)))
    assert model.running.wait(10)
    small = pool.submit(worker.score, [7000, 7001])
    waiting(worker, 2)
    model.gate.set()
    assert small.result() == [14000, 14002]
    place = next(at for at, batch in enumerate(model.batches) if 7001 in batch)
    assert place <= 2
    assert audit.result() == list(range(0, 2000, 2))


def test_a_failing_request_fails_only_its_own_caller(worker, model, pool):
    first = occupy(worker, model, pool)
    jobs = [pool.submit(worker.score, [request]) for request in (1, "bad", 3)]
    waiting(worker, 3)
    model.gate.set()
    assert first.result() == [0]
    assert jobs[0].result() == [2]
    assert jobs[2].result() == [6]
    with pytest.raises(ValueError, match="bad request"):
        jobs[1].result()
    assert worker.score([5]) == [10]


def test_a_thread_that_cannot_be_started_fails_only_that_call(worker, model, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as broken:
        broken.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            worker.score([1])
    with limited(Deadline(10)):
        assert worker.score([2]) == [4]
    assert model.batches == [[2]]


def test_an_interrupt_reaches_its_caller(model):
    def interrupted(requests):
        raise KeyboardInterrupt

    worker = ModelWorker(interrupted, size=lambda request: 1, budget=4)
    with pytest.raises(KeyboardInterrupt):
        worker.score([1])


def test_whose_time_is_up_is_answered_while_the_model_runs(worker, model):
    model.shut()
    with limited(Deadline(0.05)), pytest.raises(CheckTimeoutError, match=r"within its 0\.05 s"):
        worker.score([1])
    assert model.running.is_set()
    assert not model.gate.is_set()


def test_what_was_not_started_in_time_is_dropped(worker, model, pool):
    first = occupy(worker, model, pool)

    def late():
        with limited(Deadline(0.05)):
            return worker.score(list(range(100)))

    with pytest.raises(CheckTimeoutError):
        pool.submit(late).result()
    model.gate.set()
    assert first.result() == [0]
    assert worker.score([1]) == [2]
    assert model.batches == [[0], [1]]


def test_no_work_is_begun_after_the_deadline(worker, model):
    with limited(Deadline(0.001)):
        time.sleep(0.01)
        with pytest.raises(CheckTimeoutError):
            worker.score([1])
        with pytest.raises(CheckTimeoutError):
            worker.exclusively(lambda: 1)
    assert model.batches == []


def test_memory_that_runs_out_makes_batches_smaller_for_a_while():
    sizes = []

    def run(requests):
        sizes.append(len(requests))
        if len(requests) > 16:
            raise MemoryError
        return list(requests)

    worker = ModelWorker(run, size=lambda request: 1, budget=64)
    assert worker.score(list(range(300))) == list(range(300))
    assert sizes[:7] == [64, 32, 16, 16, 32, 16, 16]
    assert max(sizes[7:]) < 32


def test_memory_that_never_suffices_fails_the_caller_alone(pool):
    def run(requests):
        if 13 in requests:
            raise RuntimeError("CUDA out of memory")
        return list(requests)

    worker = ModelWorker(run, size=lambda request: 1, budget=64)
    unlucky, lucky = pool.submit(worker.score, [12, 13]), pool.submit(worker.score, [1, 2])
    with pytest.raises(ModelError, match="single request"):
        unlucky.result()
    assert lucky.result() == [1, 2]
    with pytest.raises(ModelError, match="single request"):
        worker.exclusively(lambda: run([13]))


def test_too_many_callers_are_refused(model, pool):
    worker = ModelWorker(model.run, size=lambda request: 1, budget=4, most_jobs=2)
    first = occupy(worker, model, pool)
    others = [pool.submit(worker.score, [n]) for n in (1, 2)]
    waiting(worker, 2)
    with pytest.raises(ModelError, match="2 callers already wait"):
        worker.score([3])
    model.gate.set()
    assert [job.result() for job in (first, *others)] == [[0], [2], [4]]
    assert worker.score([3]) == [6]


def test_a_task_has_the_model_to_itself(worker, model, pool):
    inside, seen = [], []

    def task():
        inside.append(1)
        seen.append(len(inside))
        time.sleep(0.001)
        inside.pop()
        return threading.current_thread().name

    names = list(pool.map(lambda _: worker.exclusively(task), range(20)))
    assert seen == [1] * 20
    assert set(names) == {"franq-guard model"}
    with pytest.raises(ZeroDivisionError):
        worker.exclusively(lambda: 1 // 0)


def test_what_runs_may_ask_for_more(worker):
    assert worker.exclusively(lambda: worker.score([1, 2])) == [2, 4]
    assert worker.exclusively(lambda: worker.exclusively(lambda: 3)) == 3


def test_many_threads_get_their_own_results(worker, pool):
    jobs = {n: pool.submit(worker.score, [n, n + 1, n + 2]) for n in range(300)}
    assert all(job.result() == [2 * n, 2 * n + 2, 2 * n + 4] for n, job in jobs.items())
    assert len(worker._queue) == 0


def test_the_thread_ends_when_idle_and_starts_again(model, monkeypatch):
    monkeypatch.setattr(module, "_SECONDS_IDLE", 0.01)
    worker = ModelWorker(model.run, size=lambda request: 1, budget=4, name="idler")
    for _ in range(2):
        assert worker.score([1]) == [2]
        thread = worker._thread
        if thread is not None:
            thread.join(10)
        assert worker._thread is None
    gone = weakref.ref(worker)
    del worker, thread
    gc.collect()
    assert gone() is None


def test_results_are_not_held_on_to(model):
    class Big:
        pass

    worker = ModelWorker(lambda requests: [Big() for _ in requests], size=lambda request: 1, budget=4)
    gone = weakref.ref(worker.score([1])[0])
    worker.exclusively(lambda: None)
    gc.collect()
    assert gone() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_a_worker_of_its_own():
    script = """
import os, sys, threading, time
import torch
from franq_guard.runtime.worker import ModelWorker
from franq_guard.runtime.locks import ForkLock

lock = ForkLock()
started = threading.Event()
def run(requests):
    with lock:
        started.set()
        if os.getpid() == parent:
            time.sleep(0.5)
        a = torch.ones(600, 600)
        return [float((a @ a)[0, 0]) + request for request in requests]
parent = os.getpid()
worker = ModelWorker(run, size=lambda request: 1, budget=4)
busy = threading.Thread(target=worker.score, args=([1],))
busy.start()
started.wait()
child = os.fork()
if child == 0:
    os._exit(0 if worker.score([2]) == [602.0] else 1)
assert os.waitpid(child, 0)[1] == 0
busy.join()
assert worker.score([3]) == [603.0]
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_a_process_ends_while_its_worker_runs():
    script = """
import threading, time
from franq_guard.runtime.worker import ModelWorker
started = threading.Event()
def run(requests):
    started.set()
    time.sleep(0.3)
    return requests
worker = ModelWorker(run, size=lambda request: 1, budget=4)
threading.Thread(target=worker.score, args=([1] * 1000,), daemon=True).start()
started.wait()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
