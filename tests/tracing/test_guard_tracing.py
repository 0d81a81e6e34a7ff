"""How a guard is told where its scores go, and what it files them under."""

import pytest
from fakes import BrokenLM, make_guard
from opentelemetry.sdk.trace import TracerProvider
from places import ANSWER, PASSAGES, QUESTION, SPAN, TRACE, ListSink

from franq_guard import Guard, GuardConfig
from franq_guard.errors import ConfigError, InputError, ModelError
from franq_guard.tracing import Correlation, JsonlSink, OpenTelemetrySink

ITEM = {"question": QUESTION, "passages": PASSAGES, "answer": ANSWER}
GIVEN = Correlation(trace_id=TRACE, span_id=SPAN)
TRACER = TracerProvider().get_tracer("tests")


@pytest.fixture
def guard(sink):
    return make_guard(tracing=[sink])


def correlations(guard, sink):
    assert guard.tracing.flush()
    return [record.correlation for record in sink.records]


def test_each_answer_is_filed_once_under_what_it_is_given_with(guard, sink):
    guard.check(QUESTION, PASSAGES, ANSWER, correlation=GIVEN)
    guard.check_many([ITEM, ITEM | {"correlation": GIVEN}, ITEM | {"correlation": {"session_id": "s"}}])
    assert correlations(guard, sink) == [GIVEN, Correlation(), GIVEN, Correlation(session_id="s")]


async def test_each_awaited_answer_too(guard, sink):
    await guard.acheck(QUESTION, PASSAGES, ANSWER, correlation=GIVEN)
    await guard.acheck_many([ITEM, ITEM | {"correlation": GIVEN}])
    assert correlations(guard, sink) == [GIVEN, Correlation(), GIVEN]


async def test_the_callers_span_is_found_though_the_work_is_done_elsewhere(guard, sink):
    with TRACER.start_as_current_span("request") as span:
        await guard.acheck(QUESTION, PASSAGES, ANSWER)
        guard.check(QUESTION, PASSAGES, ANSWER)
        await guard.acheck_many([ITEM])
        guard.check_many([ITEM])
        guard.check(QUESTION, PASSAGES, ANSWER, correlation=Correlation())
    span_id = f"{span.get_span_context().span_id:016x}"
    assert [found.span_id for found in correlations(guard, sink)] == [span_id] * 4 + [None]


def test_a_finished_report_can_be_handed_over(guard, sink):
    report = make_guard().check(QUESTION, PASSAGES, ANSWER)
    guard._emit(report, GIVEN)
    assert correlations(guard, sink) == [GIVEN]


@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
def test_a_failed_check_is_traced_whatever_the_failure_policy(on_error, sink):
    guard = make_guard(language_model=BrokenLM(ModelError("boom")), on_error=on_error, tracing=[sink])
    if on_error == "raise":
        with pytest.raises(ModelError):
            guard.check(QUESTION, PASSAGES, ANSWER, correlation=GIVEN)
    else:
        guard.check(QUESTION, PASSAGES, ANSWER, correlation=GIVEN)
    assert correlations(guard, sink) == [GIVEN]
    assert sink.records[0].error_type == "ModelError"


def test_a_wrong_correlation_is_an_input_error(guard):
    with pytest.raises(InputError, match="correlation: expected a Correlation or a mapping, not str"):
        guard.check(QUESTION, PASSAGES, ANSWER, correlation=TRACE)
    with pytest.raises(InputError, match=r"items\[0\]: correlation: no field trace"):
        guard.check_many([ITEM | {"correlation": {"trace": TRACE}}])


def test_an_untraced_guard_has_no_sinks_and_looks_for_nothing(monkeypatch):
    monkeypatch.setattr(Correlation, "current", lambda: pytest.fail("looked"))
    guard = make_guard()
    guard.check(QUESTION, PASSAGES, ANSWER)
    assert not guard.tracing
    assert guard.tracing.flush()


def test_closing_a_guard_sends_what_is_queued(guard, sink):
    guard.check(QUESTION, PASSAGES, ANSWER)
    guard.close()
    assert (len(sink.records), sink.closes) == (1, 0)


# Names, tables and objects.


def test_names_tables_and_objects_together(tmp_path, sink):
    guard = make_guard(tracing=["opentelemetry", {"sink": "jsonl", "path": tmp_path / "a.jsonl"}, sink])
    assert [type(found) for found in guard.tracing.sinks] == [ListSink, OpenTelemetrySink, JsonlSink]
    assert [type(found) for found in make_guard(tracing="opentelemetry").tracing.sinks] == [OpenTelemetrySink]
    assert make_guard(tracing=sink).tracing.sinks == (sink,)


def test_a_file_names_them(tmp_path):
    path = tmp_path / "guard.toml"
    jsonl = f'sink = "jsonl"\npath = "{tmp_path / "a.jsonl"}"\nlines = "answers"\ncapture_content = true\n'
    for text in (
        f'[[tracing]]\nsink = "opentelemetry"\nspan_kind = "evaluator"\n[[tracing]]\n{jsonl}',
        f"[tracing]\n{jsonl}",
        'tracing = ["opentelemetry"]\n',
        'tracing = "opentelemetry"\n',
    ):
        path.write_text('preset = "mini"\n' + text)
        names = [sink.name for sink in Guard.from_config(path).tracing.sinks]
        assert names == [name for name in ("opentelemetry", "jsonl") if name in text]
    path.write_text(f'preset = "mini"\n[tracing]\n{jsonl}')
    [sink] = Guard.from_config(path).tracing.sinks
    assert (sink.path, sink.capture_content) == (tmp_path / "a.jsonl", True)
    assert not Guard.from_config(path, tracing=[]).tracing
    assert GuardConfig.load(path).tracing == Guard.from_config(path).config.tracing


def test_the_environment_names_them(monkeypatch, tmp_path):
    monkeypatch.setenv("FRANQ_GUARD_TRACING", "opentelemetry")
    assert [sink.name for sink in make_guard().tracing.sinks] == ["opentelemetry"]
    monkeypatch.setenv("FRANQ_GUARD_TRACING", f'[{{"sink": "jsonl", "path": "{tmp_path / "a.jsonl"}"}}]')
    assert [sink.name for sink in make_guard().tracing.sinks] == ["jsonl"]


def test_the_same_settings_give_the_same_sink(tmp_path):
    table = {"sink": "jsonl", "path": tmp_path / "a.jsonl"}
    one, other = (make_guard(tracing=[table]).tracing.sinks[0] for _ in range(2))
    assert one is other
    assert make_guard(tracing=[table | {"backups": 2}]).tracing.sinks[0] is not one


def test_own_sinks_by_name():
    table = {
        "sink": "places:ListSink",
        "kwargs": {"name": "mine"},
        "capture_content": True,
        "mask": "places:star",
    }
    [sink] = make_guard(tracing=[table]).tracing.sinks
    assert (type(sink), sink.name, sink.capture_content, sink.mask("word")) == (
        ListSink,
        "mine",
        True,
        "****",
    )


@pytest.mark.parametrize(
    ("tracing", "message"),
    [
        (["jaeger"], r"no tracing sink 'jaeger'; use one of opentelemetry, .*'module:name'"),
        ([{"path": "a"}], "a table without `sink`"),
        ([{"sink": "jsonl"}], r"tracing\.0\.jsonl\.path: Field required"),
        ([{"sink": "jsonl", "path": "a", "rotate": 1}], r"tracing\.0\.jsonl\.rotate is not an option there"),
        (
            [{"sink": "jsonl", "path": "a", "lines": "words"}],
            r"tracing\.0\.jsonl\.lines: .*'claims' or 'answers'",
        ),
        ([{"sink": "opentelemetry", "queue_size": 0}], "queue_size"),
        ([{"sink": "opentelemetry", "mask": "stars"}], r"tracing\.0\.opentelemetry\.mask"),
        ([{"sink": "opentelemetry", "mask": "no_module:f"}], r"cannot import 'no_module:f'"),
        ([{"sink": "opentelemetry", "mask": "places:WORDS"}], "is not callable"),
        (["places:Missing"], "cannot import 'places:Missing'"),
        (["places:check_nothing"], "is no sink"),
        ([3], "is no sink; give a name, a table, or an object with emit, flush, close"),
        (3, "is no sink"),
        ([ListSink], "is no sink"),
    ],
)
def test_bad_settings_say_what_is_wrong(tracing, message):
    with pytest.raises(ConfigError, match=message):
        make_guard(tracing=tracing)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("opentelemetry", "opentelemetry", "otel"),
        ("langsmith", "langsmith", "langsmith"),
        ("langfuse", "langfuse", "langfuse"),
        ("mlflow", "mlflow", "mlflow"),
        ("phoenix", "phoenix.client", "phoenix"),
    ],
)
def test_a_missing_package_is_named_at_once(name, package, extra, monkeypatch):
    import sys

    for module in [name for name in sys.modules if name.split(".")[0] == package.split(".")[0]]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delitem(sys.modules, "franq_guard.tracing.sinks.otel_metrics", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigError, match=rf"'{name}' needs a package.*pip install 'franq-guard\[{extra}\]'"):
        make_guard(tracing=[{"sink": name, "queue_size": 999}])


def test_a_streamed_answer_is_filed_once(guard, sink):
    pieces = list(guard.stream(QUESTION, PASSAGES, iter(ANSWER.split(" ")), correlation=GIVEN))
    assert len(pieces) > 1
    assert correlations(guard, sink) == [GIVEN]
    assert sink.records[0].p_true == pieces[-1].report.p_true


async def test_an_awaited_stream_is_filed_under_the_callers_span(guard, sink):
    async def write():
        for word in ANSWER.split(" "):
            yield word + " "

    with TRACER.start_as_current_span("request") as span:
        async for _ in guard.astream(QUESTION, PASSAGES, write()):
            pass
    assert [found.span_id for found in correlations(guard, sink)] == [
        f"{span.get_span_context().span_id:016x}"
    ]
