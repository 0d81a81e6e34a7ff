import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from franq_guard import ConfigError, Passage
from franq_guard.run_store import RunStore

TALL, OLD = Passage("It is 330 m tall."), Passage("It was built in 1889.", id="b")


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_the_retriever_and_the_model_meet_at_their_root():
    runs = RunStore[str]()
    runs.start("chain")
    runs.start("parallel", "chain")
    runs.start("retriever", "parallel")
    runs.start("model", "chain")
    runs.add_passages("retriever", [TALL], query="How tall?")
    assert runs.root("model") == runs.root("retriever") == "chain"
    assert runs.passages("model") == (TALL,)
    assert runs.question("model") == "How tall?"


def test_two_requests_do_not_see_each_other():
    runs = RunStore[int]()
    runs.start(1)
    runs.start(2)
    runs.add_passages(1, [TALL])
    runs.put(1, "answer", "tall")
    assert runs.passages(2) == ()
    assert runs.get(2, "answer") is None
    assert runs.get(1, "answer") == "tall"


def test_nothing_is_left_once_the_root_has_ended():
    runs = RunStore[str]()
    runs.start("root")
    runs.start("child", "root")
    runs.add_passages("child", [TALL])
    assert not runs.finish("child")
    assert runs.passages("child") == (TALL,)
    assert runs.finish("root")
    assert len(runs) == 0
    assert runs.root("child") is None
    assert runs.passages("child") == ()
    assert not runs.finish("root")


def test_several_retrievals_add_up_without_repeats_in_order():
    runs = RunStore[str]()
    runs.start("root")
    runs.add_passages("root", [TALL, OLD], query="first")
    same_id = Passage("another wording", id="b")
    runs.add_passages("root", [Passage("New."), Passage(TALL.text), same_id], query="second")
    assert runs.passages("root") == (TALL, OLD, Passage("New."))
    assert runs.question("root") == "first"


def test_a_retrieval_that_found_nothing_is_not_the_same_as_none():
    runs = RunStore[str]()
    runs.start("a")
    runs.start("b")
    runs.add_passages("a", [])
    assert runs.retrieved("a")
    assert not runs.retrieved("b")
    assert not runs.retrieved(None)


def test_the_question_that_was_set_wins():
    runs = RunStore[str]()
    runs.start("root")
    runs.add_passages("root", [], query="eiffel height")
    runs.set_question("root", "How tall is the tower?")
    runs.add_passages("root", [], query="tower")
    assert runs.question("root") == "How tall is the tower?"


def test_a_blank_query_is_no_question():
    runs = RunStore[str]()
    runs.start("root")
    runs.add_passages("root", [], query="  ")
    assert runs.question("root") is None


def test_a_parent_never_seen_makes_a_root():
    runs = RunStore[str]()
    assert runs.start("child", "unknown") == "child"
    assert runs.is_root("child")


def test_starting_again_changes_nothing():
    runs = RunStore[str]()
    runs.start("root")
    runs.start("child", "root")
    assert runs.start("child", None) == "root"
    assert not runs.is_root("child")


def test_unknown_runs_are_empty_and_harmless():
    runs = RunStore[str]()
    runs.add_passages("never", [TALL])
    runs.put("never", "slot", 1)
    runs.set_question("never", "what?")
    assert (runs.passages("never"), runs.question("never"), runs.get("never", "slot", 2)) == ((), None, 2)
    assert runs.root(None) is None
    assert len(runs) == 0


def test_runs_that_never_end_are_dropped_by_age():
    clock = Clock()
    runs = RunStore[str](max_age=10, clock=clock)
    runs.start("lost")
    runs.start("lost child", "lost")
    clock.now = 5
    runs.start("young")
    clock.now = 12
    runs.start("new")
    assert len(runs) == 2
    assert runs.root("lost child") is None
    assert runs.root("young") == "young"


def test_the_oldest_are_dropped_when_there_are_too_many():
    runs = RunStore[int](max_roots=3)
    for run in range(5):
        runs.start(run)
    assert len(runs) == 3
    assert [runs.root(run) for run in range(5)] == [None, None, 2, 3, 4]


@pytest.mark.parametrize(
    "limits", [{"max_age": 0}, {"max_age": float("nan")}, {"max_age": -1}, {"max_roots": 0}]
)
def test_senseless_limits_are_refused(limits):
    with pytest.raises(ConfigError, match="max_"):
        RunStore(**limits)


def test_lone_surrogates_and_other_scripts_are_texts_too():
    runs = RunStore[str]()
    runs.start("root")
    texts = ["\ud800", "埃菲尔铁塔", "🗼", ""]
    runs.add_passages("root", [Passage(text) for text in texts])
    assert [passage.text for passage in runs.passages("root")] == texts


def test_many_threads_keep_their_own_state():
    runs = RunStore[tuple[int, str]]()
    together = threading.Barrier(8)

    def request(number):
        root, child = (number, "root"), (number, "child")
        if number < 8:
            together.wait()
        runs.start(root)
        runs.start(child, root)
        runs.add_passages(child, [Passage(str(number))], query=str(number))
        seen = runs.passages(root), runs.question(child)
        runs.finish(root)
        return seen

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(request, range(400)))
    assert found == [((Passage(str(n)),), str(n)) for n in range(400)]
    assert len(runs) == 0
