import json
import sys

import pytest
from audited import rows, write
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.audit.source import Source, read_part
from franq_guard.errors import ConfigError, InputError


def everything(source):
    return [row for part in source.parts for row in read_part(part)]


@given(count=st.integers(1, 20), size=st.integers(1, 7))
def test_parts_hold_every_line_once(tmp_path_factory, count, size):
    path = write(tmp_path_factory.mktemp("source") / "traces.jsonl", rows(count))
    source = Source([path], part_rows=size)
    assert [row.number for row in everything(source)] == list(range(1, count + 1))
    assert [row.data["id"] for row in everything(source)] == [f"t{n}" for n in range(count)]
    assert max(part.rows for part in source.parts) <= size
    assert source.rows == count


def test_lines_that_are_no_rows(tmp_path):
    path = tmp_path / "traces.jsonl"
    good = json.dumps(rows(1)[0]).encode()
    path.write_bytes(b"\xef\xbb\xbf" + good + b"\r\n\n{\n[1]\n\xff\n" + b"[" * 100_000 + b"\n" + good)
    found = everything(Source([path], part_rows=2))
    assert [(row.number, bool(row.error)) for row in found] == [
        (1, False),
        (3, True),
        (4, True),
        (5, True),
        (6, True),
        (7, False),
    ]
    assert found[1].error.startswith("not JSON") and found[1].data == "{"
    assert "write one object a line" in found[2].error
    assert "not UTF-8" in found[3].error and found[3].data == "\\xff"


def test_further_columns_are_not_kept(tmp_path):
    path = write(tmp_path / "traces.jsonl", [rows(1)[0] | {"secret": "x"}])
    assert "secret" not in everything(Source([path]))[0].data


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    items = rows(11)
    items[3] |= {"passages": None}
    path = tmp_path / "traces.parquet"
    pq.write_table(pa.Table.from_pylist([item | {"secret": 1} for item in items]), path, row_group_size=4)
    source = Source([path], part_rows=3)
    assert [part.rows for part in source.parts] == [3, 1, 3, 1, 3]
    found = everything(source)
    assert [row.number for row in found] == list(range(1, 12))
    assert found[0].data == items[0]
    assert "passages" not in found[3].data


def test_several_files_are_one_source(tmp_path):
    first, second = write(tmp_path / "a.jsonl", rows(3)), write(tmp_path / "b.jsonl", rows(2))
    source = Source([first, second], part_rows=2)
    assert [part.number for part in source.parts] == [0, 1, 2]
    assert [file["name"] for file in source.files] == ["a.jsonl", "b.jsonl"]


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        Source([tmp_path / "absent.jsonl"])
    with pytest.raises(InputError, match=r"audits read \.jsonl"):
        Source([write(tmp_path / "traces.csv", ["a"])])
    with pytest.raises(InputError, match="nothing to audit"):
        Source([write(tmp_path / "empty.jsonl", [])])
    with pytest.raises(ConfigError, match="at least 1 row"):
        Source([write(tmp_path / "traces.jsonl", rows(1))], part_rows=0)


def test_what_is_no_parquet(tmp_path, monkeypatch):
    path = write(tmp_path / "traces.parquet", ["no"])
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="not a Parquet file"):
        Source([path])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"franq-guard\[ray\]"):
        Source([path])


def test_an_array_in_one_file_is_refused_and_lines_are_not(tmp_path):
    path = tmp_path / "answers.json"
    path.write_text(' [\n  {"question": "q", "passages": [], "answer": "a"}\n]\n')
    with pytest.raises(InputError, match="one answer a line"):
        Source([path])
    path.write_text('{"question": "q", "passages": [], "answer": "a"}\n')
    assert Source([path]).rows == 1
