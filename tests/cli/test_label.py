"""`franq-guard label` and `agreement`: from answers to labels to a calibrator's input."""

import json
import re
import signal
import threading
import urllib.request
import webbrowser

import pytest

from franq_guard.evaluation.labels import read_labels

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

ANSWERS = [
    {
        "question": "How tall is the tower?",
        "passages": [{"title": "Tower", "text": "The tower is 330 metres tall."}],
        "answer": "The tower is 330 metres tall. <script>alert(1)</script> is its name.",
    },
    {
        "question": "Who built it?",
        "passages": ["Gustave Eiffel built it."],
        "answer": "Gustave Eiffel built it. The castle burned down yesterday.",
    },
]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def reports(cli, here):
    (here / "answers.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ANSWERS))
    code, _, err = cli("check", "answers.jsonl", "--format", "json", "--out", "reports.jsonl")
    assert code in (0, 1), err
    return "reports.jsonl"


@pytest.fixture
def browser(monkeypatch):
    """Stands in for the browser and the person before it, who stops the server in the end."""
    # Where the tests run in the background, Ctrl-C may be ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def install(person):
        problems = []

        def visit(url):
            page = urllib.request.urlopen(url).read().decode()  # noqa: S310
            [token] = re.findall(r'name="franq-token" content="([^"]+)"', page)

            def call(path, body=None):
                request = urllib.request.Request(  # noqa: S310
                    url + path,
                    None if body is None else json.dumps(body).encode(),
                    {"X-Franq-Token": token, "Content-Type": "application/json"},
                )
                return json.load(urllib.request.urlopen(request))  # noqa: S310

            person(call)

        def work(url):
            try:
                visit(url)
            except BaseException as error:
                problems.append(error)
            finally:
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        monkeypatch.setattr(
            webbrowser, "open", lambda url: threading.Thread(target=work, args=(url,)).start()
        )
        return problems

    yield install
    signal.signal(signal.SIGINT, before)


def label_all(call, answer=lambda item: ("yes", "yes"), limit=100):
    """Labels what is open; gives the claims in the order in which they were shown."""
    shown = []
    item = call("api/items/next")["item"]
    while item is not None and len(shown) < limit:
        shown.append(item["claim"])
        true, faithful = answer(item)
        item = call(f"api/items/{item['index']}", {"true": true, "faithful": faithful, "note": ""})["item"]
    return shown


def test_from_reports_to_labels(cli, reports, browser, here):
    problems = browser(label_all)
    code, _, err = cli("label", reports, "--port", 0, "--annotator", "ada")
    assert problems == []
    assert code == 0
    assert "0 of 4 claims are labelled by ada" in err
    assert "http://127.0.0.1:" in err
    assert "4 of 4 claims are labelled in labels.jsonl" in err
    assert "franq-guard calibrate labels.jsonl" in err
    rows = read_labels([here / "labels.jsonl"])
    assert {row.true for row in rows} == {True}
    assert {row.annotator for row in rows} == {"ada"}
    assert all(row.alignment is not None and "max_claim_probability" in row.signals for row in rows)
    assert {row.language_model for row in rows} == {"words"}


def test_ctrl_c_loses_nothing_and_the_next_run_resumes(cli, reports, browser, here):
    problems = browser(lambda call: label_all(call, limit=3))
    cli("label", reports, "--port", 0, "--annotator", "ada")
    before = (here / "labels.jsonl").read_text()
    assert before.count("\n") == 3
    shown = []
    problems += browser(lambda call: shown.extend(label_all(call)))
    _, _, err = cli("label", reports, "--port", 0, "--annotator", "ada")
    assert problems == []
    assert "3 of 4 claims are labelled by ada" in err
    assert len(shown) == 1
    assert (here / "labels.jsonl").read_text().startswith(before)


def test_most_uncertain_first_or_as_in_the_file(cli, reports, browser):
    orders = {}
    for order in ("file", "uncertain"):
        browser(lambda call, order=order: orders.update({order: label_all(call)}))
        cli("label", reports, "--port", 0, "--order", order, "--out", f"{order}.jsonl", "--annotator", "ada")
    assert orders["file"][0] == "The tower is 330 metres tall."
    assert orders["file"][-1] == "The castle burned down yesterday."
    assert sorted(orders["file"]) == sorted(orders["uncertain"])
    distances = [
        abs(row.extra["p_true"] - 0.5)
        for row in read_labels(["uncertain.jsonl"], require=("id", "true", "faithful"))
    ]
    assert distances == sorted(distances)


def test_two_people_and_their_agreement(cli, reports, browser):
    def castle(item):
        return ("no", "no") if "castle" in item["claim"] else ("yes", "no")

    browser(label_all)
    cli("label", reports, "--port", 0, "--annotator", "ada", "--out", "ada.jsonl")
    browser(lambda call: label_all(call, castle))
    cli("label", reports, "--port", 0, "--annotator", "ben", "--out", "ben.jsonl")
    code, out, err = cli("agreement", "ada.jsonl", "ben.jsonl")
    assert (code, err) == (0, "")
    assert "ada and ben: 4 claims in common" in out
    assert re.search(r"true\?\s+│\s+75\.0%\s+│\s+0\.000", out)
    assert re.search(r"faithful\?\s+│\s+0\.0%\s+│\s+0\.000", out)
    listed = out.split("They differ on: true?")[1].split("They differ on")[0]
    assert "castle" in listed
    assert "330" not in listed
    assert out.split("They differ on: faithful?")[1].count("│ yes │ no") == 4


def test_the_first_pass_sorts_and_marks_but_does_not_label(cli, reports, browser, here, monkeypatch):
    monkeypatch.setattr("fakes.UNTOLD", -50.0)  # so that the model is sure of what its prompt contains
    seen = []

    def person(call):
        for index in range(4):
            seen.append(call(f"api/items/{index}")["item"])

    problems = browser(person)
    code, _, err = cli("label", reports, "--port", 0, "--first-pass", "--annotator", "ada", "--margin", 0.3)
    assert (code, problems) == (0, [])
    assert re.search(r"First pass: true\? \d yes, \d no, \d cannot tell; faithful\? .* of 4 claims", err)
    assert {item["marked_by"] for item in seen} == {"words"}
    assert all(item["answers"] is None for item in seen)
    assert not (here / "labels.jsonl").exists()
    assert (here / "labels.first-pass.jsonl").read_text().count("\n") == 4
    monkeypatch.setattr("fakes.WordLM.score", None)  # the second time nothing is scored again
    problems = browser(person)
    code, _, _ = cli("label", reports, "--port", 0, "--first-pass", "--annotator", "ada", "--margin", 0.3)
    assert (code, problems) == (0, [])


def test_a_model_that_says_the_same_to_everything_is_found_out(cli, browser, here):
    row = {"question_id": 1, "question": "?", "claim": "It is so.", "passages": ["It is."]}
    (here / "rows.jsonl").write_text("".join(json.dumps(row | {"id": id}) + "\n" for id in range(20)))
    browser(lambda call: None)
    _, _, err = cli("label", "rows.jsonl", "--port", 0, "--first-pass", "--annotator", "ada")
    assert "answers true and faithful? alike for every claim" in " ".join(err.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.jsonl"], "cannot read none.jsonl"),
        (["{reports}", "--out", "{reports}"], "another --out"),
        (["{reports}", "--annotator", " "], "--annotator"),
        (["{reports}", "--out", "none/labels.jsonl"], "no folder none"),
        (["answers.jsonl"], "row 1: column id and column question_id"),
    ],
)
def test_bad_input(cli, reports, arguments, message):
    code, _, err = cli("label", *(argument.format(reports=reports) for argument in arguments), "--no-browser")
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_taken_port(cli, reports):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, _, err = cli("label", reports, "--no-browser", "--port", taken.getsockname()[1])
    assert code == 2
    assert "--port" in err


def test_bad_agreement(cli, here):
    row = {"id": 1, "question_id": 1, "claim": "\x1b[31mred [bold]", "true": 1, "faithful": 0}
    (here / "a.jsonl").write_text(json.dumps(row | {"annotator": "ada"}))
    (here / "b.jsonl").write_text(json.dumps(row | {"annotator": "ben", "id": 2}))
    code, _, err = cli("agreement", "a.jsonl", "b.jsonl")
    assert code == 2
    assert "no claim in common" in err
    code, _, err = cli("agreement", "a.jsonl")
    assert code == 2
    assert "between two people" in err
    (here / "b.jsonl").write_text(json.dumps(row | {"annotator": "ben", "true": 0}))
    code, out, _ = cli("agreement", "a.jsonl", "b.jsonl")
    assert code == 0
    assert "red [bold]" in out
    assert "\x1b" not in out
    assert "undefined" in out
