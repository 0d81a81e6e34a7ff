import json
from dataclasses import replace

import pytest

from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.labels import LabelledClaim, read_labels
from franq_guard.labelling.store import LabelStore

ROW = LabelledClaim(
    id="1", question_id="q", true=True, faithful=None, annotator="ada", extra={"note": "\ud83d <b>"}
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.jsonl"


def stored(path):
    return read_labels([path], require=("id", "true", "faithful"))


def test_a_label_is_on_the_disk_when_put_returns(path):
    with LabelStore(path, "ada") as store:
        store.put(ROW)
        assert stored(path) == [ROW]
        store.put(replace(ROW, id="2"))
        assert [row.id for row in stored(path)] == ["1", "2"]
    assert path.read_bytes().endswith(b"\n")


def test_a_second_session_goes_on_where_the_first_stopped(path):
    with LabelStore(path, "ada") as store:
        store.put(ROW)
    with LabelStore(path, "ada") as store:
        assert store.get("1") == ROW
        assert store.get("2") is None
    with LabelStore(path, "ben") as store:
        assert store.get("1") is None
        store.put(replace(ROW, annotator="ben", true=False))
    assert [(row.annotator, row.true) for row in stored(path)] == [("ada", True), ("ben", False)]


def test_changes_and_withdrawals_keep_what_others_wrote(path):
    other = json.dumps(ROW.to_dict() | {"annotator": "ben"}, indent=None, separators=(" , ", ":"))
    path.write_text(other + "\n")
    with LabelStore(path, "ada") as store:
        store.put(ROW)
        store.put(replace(ROW, true=False))
        assert [row.true for row in stored(path)] == [True, False]
        store.remove("1")
        store.remove("1")
        assert store.get("1") is None
    assert path.read_text() == other + "\n"


def test_a_line_that_a_crash_cut_short_is_dropped(path):
    with LabelStore(path, "ada") as store:
        store.put(ROW)
        store.put(replace(ROW, id="2"))
    path.write_bytes(path.read_bytes()[:-20])
    with LabelStore(path, "ada") as store:
        assert store.dropped.startswith('{"id": "2"')
        assert store.get("2") is None
        store.put(replace(ROW, id="3"))
    assert [row.id for row in stored(path)] == ["1", "3"]


def test_a_last_line_without_a_line_end_is_kept(path):
    path.write_text("\ufeff" + json.dumps(ROW.to_dict()), encoding="utf-8")
    with LabelStore(path, "ada") as store:
        assert store.dropped == ""
        store.put(replace(ROW, id="2"))
    assert [row.id for row in stored(path)] == ["1", "2"]


def test_a_full_disk_leaves_whole_lines(path, monkeypatch):
    with LabelStore(path, "ada") as store:
        store.put(ROW)
        before = path.read_bytes()

        def full(descriptor):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", full)
        for change in (lambda: store.put(replace(ROW, id="2")), lambda: store.put(replace(ROW, true=False))):
            with pytest.raises(InputError, match="No space left"):
                change()
            assert path.read_bytes() == before
        assert store.get("2") is None
        assert store.get("1") == ROW
        monkeypatch.undo()
        store.put(replace(ROW, id="2"))
    assert [row.id for row in stored(path)] == ["1", "2"]
    assert [p.name for p in path.parent.iterdir() if p.name.endswith(".tmp")] == []


def test_two_sessions_cannot_write_into_one_file(path):
    with LabelStore(path, "ada"), pytest.raises(ConfigError, match="already"):
        LabelStore(path, "ben")
    with LabelStore(path, "ben"):
        pass


def test_the_mode_of_the_file_stays(path):
    path.write_text(json.dumps(ROW.to_dict()) + "\n")
    path.chmod(0o600)
    with LabelStore(path, "ada") as store:
        store.put(replace(ROW, true=False))
    assert path.stat().st_mode & 0o777 == 0o600


def test_damaged_files_are_refused_and_left_alone(path):
    for text, message in [
        ("{\n", "row 1: not JSON"),
        ('{"id": 1}\n', "column true and column faithful missing"),
        ((json.dumps(ROW.to_dict()) + "\n") * 2, "row 2, column id: '1' is also in"),
    ]:
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            LabelStore(path, "ada")
        assert path.read_text() == text
    path.write_bytes(b"\xff\n")
    with pytest.raises(InputError, match="cannot read"):
        LabelStore(path, "ada")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="no folder"):
        LabelStore(tmp_path / "none" / "labels.jsonl", "ada")
    assert not (tmp_path / "none").exists()


def test_rows_of_another_annotator_are_a_mistake(path):
    with LabelStore(path, "ada") as store, pytest.raises(ValueError, match="'ada', not 'ben'"):
        store.put(replace(ROW, annotator="ben"))
