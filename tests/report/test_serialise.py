import copy
import dataclasses
import datetime
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.report import from_dict, from_json, to_dict, to_json
from franq_guard.schema import (
    Action,
    Coverage,
    Evidence,
    GuardReport,
    Passage,
    ScoredClaim,
    Signals,
    Span,
    Trigger,
    TriggerName,
    Verdict,
    Wording,
)

TEXT = st.text(st.characters(exclude_categories=()), max_size=12)
PROBABILITY = st.none() | st.floats(0, 1)
LOG_PROB = st.none() | st.floats(max_value=0, allow_infinity=False, allow_nan=False)
COUNT = st.integers(0, 10**6)
SPANS = st.builds(Span, COUNT, COUNT, TEXT)
JSON_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
CLAIMS = st.builds(
    ScoredClaim,
    index=COUNT,
    text=TEXT,
    spans=st.lists(SPANS, min_size=1, max_size=3).map(tuple),
    sentence=SPANS,
    checkworthy=st.booleans(),
    reason=TEXT,
    extractor=st.sampled_from(["rules", "llm"]),
    p_true=PROBABILITY,
    p_faithful=PROBABILITY,
    p_true_if_faithful=PROBABILITY,
    p_true_if_unfaithful=PROBABILITY,
    verdict=st.sampled_from(Verdict),
    action=st.sampled_from(Action),
    review=st.booleans(),
    evidence=st.lists(
        st.builds(
            Evidence,
            passage=COUNT,
            start=COUNT,
            end=COUNT,
            text=TEXT,
            aligned=st.floats(0, 1),
            neutral=st.floats(0, 1),
            contradicted=st.floats(0, 1),
            differs=TEXT,
        ),
        max_size=2,
    ).map(tuple),
    signals=st.builds(
        Signals,
        alignment=PROBABILITY,
        max_claim_log_prob=LOG_PROB,
        parametric_log_prob=LOG_PROB,
        tokens=COUNT,
    ),
    triggers=st.lists(
        st.builds(
            Trigger,
            name=st.sampled_from(TriggerName),
            strength=st.floats(0, 1),
            detail=TEXT,
            advice=TEXT,
            passages=st.lists(COUNT, max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    stated_confidence=PROBABILITY,
    wording=st.none() | st.sampled_from(Wording),
    unchecked_reason=TEXT,
)
REPORTS = st.builds(
    GuardReport,
    question=TEXT,
    passages=st.lists(
        st.builds(
            Passage,
            text=TEXT,
            id=st.none() | TEXT,
            title=st.none() | TEXT,
            source=st.none() | TEXT,
            metadata=st.dictionaries(TEXT, JSON_DATA, max_size=2),
        ),
        max_size=2,
    ).map(tuple),
    answer=TEXT,
    text=TEXT,
    claims=st.lists(CLAIMS, max_size=2).map(tuple),
    blocked=st.booleans(),
    error=st.none() | TEXT,
    form=st.sampled_from(["long", "short"]),
    calibration=TEXT,
    calibrator=st.none() | TEXT,
    models=st.dictionaries(TEXT, TEXT, max_size=2),
    coverage=st.builds(Coverage, total=COUNT, scored=COUNT, not_checkworthy=COUNT),
    timings=st.dictionaries(TEXT, st.floats(0, 1e6), max_size=2),
    notes=st.lists(TEXT, max_size=2).map(tuple),
)


@given(REPORTS)
def test_round_trips_are_exact(report: GuardReport) -> None:
    assert from_dict(to_dict(report)) == report
    text = to_json(report)
    assert text.isascii()
    back = from_json(text)
    assert back == report
    assert to_json(back) == text
    assert all(type(claim.verdict) is Verdict and type(claim.action) is Action for claim in back.claims)
    assert all(type(claim.spans) is tuple for claim in back.claims)


def test_plain_data_are_plain(report: GuardReport) -> None:
    def walk(value: Any) -> None:
        assert type(value) in (dict, list, str, int, float, bool, type(None)), value
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(item)

    data = to_dict(report)
    walk(data)
    assert data["schema"] == 1
    assert data["claims"][1]["verdict"] == "contradicted"


def test_methods_of_the_report_do_the_same(report: GuardReport) -> None:
    assert GuardReport.from_dict(report.to_dict()) == report
    assert GuardReport.from_json(report.to_json(indent=2)) == report


def test_metadata_that_json_does_not_know_become_text(report: GuardReport) -> None:
    loop: list[Any] = []
    loop.append(loop)
    metadata = {
        "when": datetime.date(2024, 2, 29),
        "score": math.nan,
        "array": np.float32(0.5),
        "exact": np.float64(0.25),
        "pair": (1, "a"),
        3: {"nested": {1}},
        "loop": loop,
    }
    passage = Passage("text", metadata=metadata)  # type: ignore[arg-type]
    back = from_json(to_json(dataclasses.replace(report, passages=(passage,)))).passages[0].metadata
    assert back["when"] == "2024-02-29"
    assert back["score"] == "nan"
    assert back["array"] == "0.5"
    assert back["exact"] == 0.25
    assert back["pair"] == [1, "a"]
    assert back["3"] == {"nested": "{1}"}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("claims",), None, r"expected a list, got None @ report.claims"),
        (("claims", 0, "p_true"), "0.5", r"expected a finite number, got '0.5' @ report.claims\[0\].p_true"),
        (("claims", 0, "p_true"), math.nan, r"expected a finite number, got nan @ report.claims\[0\].p_true"),
        (("claims", 0, "p_true"), True, r"expected a finite number"),
        (("claims", 0, "index"), 1.0, r"expected an integer"),
        (("claims", 0, "review"), 1, r"expected true or false"),
        (("claims", 0, "text"), 5, r"expected a text"),
        (("claims", 0, "verdict"), "perhaps", r"expected one of supported, .* @ report.claims\[0\].verdict"),
        (("claims", 0, "spans"), "abc", r"expected a list"),
        (("claims", 0, "spans", 0), None, r"expected a mapping, got None @ report.claims\[0\].spans\[0\]"),
        (("claims", 0, "mood"), "good", r"mood @ report.claims\[0\]"),
        (("mood",), "good", r"mood @ report"),
        (("notes",), "abc", r"expected a list, got 'abc' @ report.notes"),
        (("models",), [], r"expected a mapping"),
        (("passages", 0, "metadata"), None, r"expected a mapping"),
        (("schema",), 2, r'"schema" is 2'),
        (("schema",), True, r'"schema" is True'),
    ],
)
def test_bad_data_are_refused_by_name(
    report: GuardReport, path: tuple[Any, ...], value: Any, message: str
) -> None:
    data = copy.deepcopy(to_dict(report))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InputError, match=message):
        from_dict(data)


def test_missing_keys_are_refused_by_name(report: GuardReport) -> None:
    data = to_dict(report)
    del data["answer"]
    with pytest.raises(InputError, match="the key 'answer' is missing"):
        from_dict(data)
    with pytest.raises(InputError, match='"schema" is None'):
        from_dict({})


@pytest.mark.parametrize("bad", ["", "{", "nan", '{"schema": NaN}', "[" * 100_000, "[]", "3", None])
def test_what_is_no_report_is_refused(bad: Any) -> None:
    with pytest.raises(InputError):
        from_json(bad)


@pytest.mark.parametrize("bad", [[], "x", None, 1])
def test_what_is_no_mapping_is_refused(bad: Any) -> None:
    with pytest.raises(InputError, match="must be a mapping"):
        from_dict(bad)


def test_numbers_that_are_none_are_never_written(report: GuardReport) -> None:
    broken = dataclasses.replace(report, timings={"alignment": math.nan})
    with pytest.raises(InputError, match="expected a finite number, got nan"):
        to_json(broken)
    with pytest.raises(InputError):
        to_dict(broken)


def test_integers_are_read_where_numbers_are_expected(report: GuardReport) -> None:
    data = json.loads(to_json(report))
    data["claims"][0]["p_true"] = 1
    p_true = from_dict(data).claims[0].p_true
    assert p_true == 1.0
    assert isinstance(p_true, float)
