"""Whose turn it is."""

from franq_guard.runtime.jobs import FairQueue, Requests, Task


def named(share, names):
    return [(names[id(job)], index) for job, index in share]


def queue_of(**jobs):
    queue, names = FairQueue(), {}
    for name, job in jobs.items():
        queue.add(job)
        names[id(job)] = name
    return queue, names


def requests(count, size=1):
    return Requests(list(range(count)), [size] * count)


def test_requests_of_all_jobs_run_together_within_the_budget():
    queue, names = queue_of(a=requests(2), b=requests(1))
    assert named(queue.take(10), names) == [("a", 0), ("b", 0), ("a", 1)]
    assert len(queue) == 0


def test_a_small_job_is_served_before_a_large_one_is_done():
    queue, names = queue_of(audit=requests(10_000))
    assert named(queue.take(3), names) == [("audit", 0), ("audit", 1), ("audit", 2)]
    small = requests(2)
    names[id(small)] = "small"
    queue.add(small)
    assert named(queue.take(3), names) == [("audit", 3), ("small", 0), ("audit", 4)]
    assert named(queue.take(3), names) == [("small", 1), ("audit", 5), ("audit", 6)]
    assert named(queue.take(2), names) == [("audit", 7), ("audit", 8)]


def test_what_is_larger_than_the_budget_goes_alone():
    queue, names = queue_of(a=requests(2, size=50), b=requests(1))
    assert named(queue.take(10), names) == [("a", 0)]
    assert named(queue.take(10), names) == [("b", 0)]
    assert named(queue.take(10), names) == [("a", 1)]


def test_a_task_has_its_turn_and_is_alone():
    queue, names = queue_of(a=requests(4), task=Task(lambda: 1), b=requests(1))
    assert named(queue.take(3), names) == [("a", 0), ("b", 0), ("a", 1)]
    assert isinstance(queue.take(3), Task)
    assert named(queue.take(3), names) == [("a", 2), ("a", 3)]


def test_no_job_waits_for_ever():
    queue, names = queue_of(**{f"job{n}": requests(3, size=4) for n in range(5)})
    served = []
    while len(queue):
        served.extend(named(queue.take(8), names))
    assert sorted(served) == sorted((f"job{n}", index) for n in range(5) for index in range(3))
    assert [name for name, _ in served[:5]] == [f"job{n}" for n in range(5)]


def test_jobs_that_nobody_waits_for_are_left_out():
    a, b = requests(2), requests(1)
    queue, names = queue_of(a=a, b=b)
    a.dropped = True
    assert len(queue) == 1
    assert named(queue.take(10), names) == [("b", 0)]
