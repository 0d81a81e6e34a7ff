import pytest

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import read_labels
from franq_guard.labelling.first_pass import FirstPass
from franq_guard.labelling.session import Session
from franq_guard.labelling.store import LabelStore

YES = {"true": "yes", "faithful": "yes"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.jsonl"


@pytest.fixture
def store(path):
    with LabelStore(path, "ada") as store:
        yield store


@pytest.fixture
def session(rows, store):
    return Session(rows, store)


def test_labels_are_kept_with_all_of_the_row(session, path, rows):
    shown = session.save(0, {"true": "no", "faithful": "cannot tell"}, "why not")
    assert shown["item"]["index"] == 1
    assert shown["progress"]["done"] == 1
    [row] = read_labels([path])
    assert (row.id, row.true, row.faithful, row.annotator) == ("0", False, None, "ada")
    assert row.signals == rows[0].signals
    assert row.extra["note"] == "why not"
    assert row.extra["passages"] == rows[0].extra["passages"]
    assert row.extra["labelled_at"].endswith("+00:00")


def test_the_next_claim_without_a_label_comes_until_none_is_left(session):
    assert session.show()["item"]["index"] == 0
    assert session.save(1, YES, "")["item"]["index"] == 2
    assert session.save(2, YES, "")["item"]["index"] == 0  # skipped before
    assert session.save(0, YES, "")["item"] is None
    assert session.done == session.total == 3
    assert session.show()["item"] is None
    assert session.show(1)["item"]["answers"] == YES


def test_a_new_session_resumes(rows, path):
    with LabelStore(path, "ada") as store:
        Session(rows, store).save(0, YES, "")
    with LabelStore(path, "ada") as store:
        assert Session(rows, store).show()["item"]["index"] == 1
    with LabelStore(path, "ben") as store:
        assert Session(rows, store).show()["item"]["index"] == 0


def test_undo_takes_labels_back_in_turn(session, path):
    session.save(0, YES, "first")
    session.save(1, YES, "")
    session.save(0, {"true": "no", "faithful": "no"}, "second")
    assert session.undo()["item"]["note"] == "first"
    assert session.undo()["item"]["index"] == 1
    shown = session.undo()
    assert (shown["item"]["index"], shown["item"]["answers"], shown["progress"]["undoable"]) == (0, None, 0)
    assert path.read_bytes() == b""
    assert session.undo() == session.show()


@pytest.mark.parametrize(
    "answers", [{}, {"true": "yes"}, {"true": "yes", "faithful": "maybe"}, {"true": True, "faithful": []}]
)
def test_both_answers_are_needed(session, path, answers):
    with pytest.raises(InputError, match="answer yes, no, cannot tell"):
        session.save(0, answers, "")
    assert not path.exists()


def test_claims_that_are_not_there_and_notes_that_are_too_long(session):
    for index in (-1, 3):
        with pytest.raises(InputError, match="no claim"):
            session.show(index)
        with pytest.raises(InputError, match="no claim"):
            session.save(index, YES, "")
    with pytest.raises(InputError, match="5000"):
        session.save(0, YES, "x" * 5001)


def test_machine_marks_are_shown_and_never_count(rows, store, path):
    mark = FirstPass(
        probabilities={
            "true": {"yes": 0.9, "no": 0.1, "cannot tell": 0.0},
            "faithful": {"yes": 0.4, "no": 0.6, "cannot tell": 0.0},
        },
        language_model="small",
    )
    session = Session(rows, store, marks={"0": mark}, margin=0.5)
    item = session.show(0)["item"]
    assert (item["marks"], item["marked_by"], item["answers"]) == ({"true": "yes"}, "small", None)
    assert session.done == 0
    assert not path.exists()
    session.save(0, {"true": "no", "faithful": "no"}, "")
    [row] = read_labels([path])
    assert (row.true, row.annotator) == (False, "ada")
    assert row.extra["first_pass"] == mark.to_dict()
