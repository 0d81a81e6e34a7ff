"""`Guard.stream` and `Guard.astream`, with models whose numbers follow from the words."""

import asyncio
import logging
from itertools import pairwise

import pytest
from fakes import BrokenLM, SlowLM, WordLM, make_guard

from franq_guard import GuardReport, Policy
from franq_guard.errors import CheckTimeoutError, InputError, ModelError
from franq_guard.outcome import WITHHELD

QUESTION = "How tall is the tower?"
PASSAGES = ["The tower is 330 metres tall.", "The tower was built by Gustave Eiffel."]
SENTENCES = [
    "The tower is 330 metres tall.",
    "The castle burned down yesterday.",
    "Gustave Eiffel built the tower.",
    "Nobody lives in the castle.",
]
ANSWER = " ".join(SENTENCES)
OFF = {"annotate_below": None, "hedge_below": None, "block_below": None}
POLICIES = {
    "keep": Policy(**OFF),
    "annotate": Policy(**OFF | {"annotate_below": 0.4}),
    "footnotes": Policy(**OFF | {"annotate_below": 0.4}, annotation="footnotes"),
    "hedge": Policy(**OFF | {"hedge_below": 0.4}),
    "replace": Policy(**OFF | {"block_below": 0.4}, min_kept=0.0),
    "drop": Policy(**OFF | {"block_below": 0.4}, block_mode="drop", min_kept=0.0),
}


def pieces_of(text, size=4):
    return [text[at : at + size] for at in range(0, len(text), size)]


def run(guard, answer=ANSWER, size=4):
    return list(guard.stream(QUESTION, PASSAGES, pieces_of(answer, size)))


async def arun(guard, answer=ANSWER):
    async def source():
        for piece in pieces_of(answer):
            await asyncio.sleep(0)
            yield piece

    return [piece async for piece in guard.astream(QUESTION, PASSAGES, source())]


def check_whole(pieces):
    assert [piece.report is None for piece in pieces] == [True] * (len(pieces) - 1) + [False]
    report = pieces[-1].report
    assert "".join(piece.text for piece in pieces) == report.text
    assert tuple(claim for piece in pieces for claim in piece.claims) == report.claims
    assert [claim.index for claim in report.claims] == list(range(len(report.claims)))
    for claim in report.claims:
        assert all(report.answer[span.start : span.end] == span.text for span in claim.spans)
    return report


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_is_shown_in_the_end_is_what_a_check_of_the_whole_shows(name, size):
    guard = make_guard(policy=POLICIES[name])
    report = check_whole(run(guard, size=size))
    whole = guard.check(QUESTION, PASSAGES, ANSWER)
    assert report.text == whole.text
    assert [(c.text, c.p_true, c.action, c.spans) for c in report.claims] == [
        (c.text, c.p_true, c.action, c.spans) for c in whole.claims
    ]
    assert (report.answer, report.coverage, report.models) == (ANSWER, whole.coverage, whole.models)
    assert report.form == "long"
    assert "while it was being written" in report.form_reason
    assert name == "keep" or report.acted
    assert GuardReport.from_json(report.to_json()) == report


@pytest.mark.parametrize("name", POLICIES)
async def test_event_loops_see_the_same(name):
    guard = make_guard(policy=POLICIES[name])
    found = await arun(guard)
    assert [(piece.text, piece.claims) for piece in found] == [
        (piece.text, piece.claims) for piece in run(guard)
    ]
    check_whole(found)
    guard.close()


def test_a_sentence_is_shown_before_the_next_one_is_written():
    taken = []

    def source():
        for sentence in SENTENCES:
            for piece in pieces_of(sentence + " "):
                taken.append(piece)
                yield piece

    stream = make_guard(policy=POLICIES["keep"]).stream(QUESTION, PASSAGES, source())
    first = next(stream)
    assert first.text == SENTENCES[0]
    assert len("".join(taken)) < len(SENTENCES[0]) + len(SENTENCES[1])
    assert first.claims[0].p_true is not None


def test_no_token_is_scored_twice_by_a_model_that_remembers():
    class GrowingLM(WordLM):
        def __init__(self):
            super().__init__()
            self.ahead, self.growing = [], []

        def read_ahead(self, prompts):
            self.ahead.extend(prompts)

        def score_growing(self, requests):
            self.growing.append([tokens.text for _, tokens in requests])
            return super().score(requests)

    model = GrowingLM()
    run(make_guard(language_model=model, policy=POLICIES["keep"]))
    seen = [texts[0] for texts in model.growing]
    assert seen[-1] == ANSWER
    assert len(seen) == len(SENTENCES)
    assert all(longer.startswith(shorter) for shorter, longer in pairwise(seen))


def test_one_short_sentence_is_checked_as_a_whole():
    guard = make_guard()
    [piece] = run(guard, "330 metres.")
    whole = guard.check(QUESTION, PASSAGES, "330 metres.")
    assert (piece.text, piece.claims) == (whole.text, whole.claims)
    assert (piece.report.form, piece.report.form_reason) == (whole.form, whole.form_reason)


@pytest.mark.parametrize("answer", ["", " \n "])
def test_an_empty_answer_gives_one_piece_with_a_report(answer):
    [piece] = run(make_guard(), answer)
    assert (piece.text, piece.claims, piece.report.answer) == (answer, (), answer)


def test_too_little_left_is_said_behind_what_was_shown():
    policy = Policy(**OFF | {"block_below": 0.4}, min_kept=0.9)
    report = check_whole(run(make_guard(policy=policy)))
    assert report.blocked
    assert report.text.startswith(SENTENCES[0])
    assert report.text.endswith("\n\n" + policy.answer_message)
    assert any("behind what was shown" in note for note in report.notes)


def test_a_list_stays_in_order_when_items_are_dropped():
    policy = Policy(**OFF | {"block_below": 0.4}, block_mode="drop", min_kept=0.0)
    items = ["The tower was built by Gustave Eiffel.", "The castle burned.", "The tower is 330 metres tall."]
    answer = "Facts:\n\n" + "".join(f"{n}. {item}\n" for n, item in enumerate(items, 1))
    report = check_whole(run(make_guard(policy=policy), answer))
    assert "2. The tower is" in report.text
    assert "castle" not in report.text


@pytest.mark.parametrize("error", [ModelError("no memory"), RuntimeError("boom")])
def test_errors_follow_the_failure_policy(error, caplog):
    with caplog.at_level(logging.WARNING):
        report = check_whole(run(make_guard(language_model=BrokenLM(error), on_error="pass")))
    assert report.text == ANSWER
    assert report.error is not None
    assert all(claim.unchecked_reason for claim in report.claims)
    assert "check failed" in caplog.text

    pieces = run(make_guard(language_model=BrokenLM(error), on_error="block"))
    assert [piece.text for piece in pieces] == [WITHHELD]
    assert check_whole(pieces).blocked

    with pytest.raises(ModelError):
        run(make_guard(language_model=BrokenLM(error), on_error="raise"))


class BreaksLater(WordLM):
    """Fails at the second sentence, and only there."""

    def score(self, requests):
        if any(tokens.text.endswith("yesterday.") for _, tokens in requests):
            raise ModelError("out of memory")
        return super().score(requests)


def test_a_part_that_fails_is_unchecked_and_the_rest_is_not():
    report = check_whole(
        run(make_guard(language_model=BreaksLater(), on_error="pass", policy=POLICIES["keep"]))
    )
    assert [claim.p_true is None for claim in report.claims] == [False, True, False, False]
    assert report.error == "ModelError: out of memory"
    assert any("could not be checked" in note for note in report.notes)
    assert report.coverage.unchecked == len("".join(SENTENCES[1].split()))


def test_a_part_that_fails_ends_the_answer_under_block():
    taken = []

    def source():
        for piece in pieces_of(ANSWER):
            taken.append(piece)
            yield piece

    guard = make_guard(language_model=BreaksLater(), on_error="block", policy=POLICIES["keep"])
    pieces = list(guard.stream(QUESTION, PASSAGES, source()))
    assert [piece.text for piece in pieces] == [SENTENCES[0], f"\n\n{WITHHELD}"]
    report = check_whole(pieces)
    assert report.blocked
    assert SENTENCES[1] not in report.text
    assert len("".join(taken)) < len(ANSWER)


def test_the_timeout_counts_the_checks_together():
    guard = make_guard(language_model=SlowLM(), timeout=0.45, on_error="pass", policy=POLICIES["keep"])
    report = check_whole(run(guard))
    assert report.claims[0].p_true is not None
    assert report.claims[-1].p_true is None
    assert report.error.startswith("CheckTimeoutError")
    with pytest.raises(CheckTimeoutError):
        run(make_guard(language_model=SlowLM(), timeout=0.45, on_error="raise"))


def test_wrong_types_are_errors_at_once():
    guard = make_guard()
    with pytest.raises(InputError, match="pieces"):
        guard.stream(QUESTION, PASSAGES, 3)
    with pytest.raises(InputError, match="question"):
        guard.stream(None, PASSAGES, ["a"])
    with pytest.raises(InputError, match="async"):
        guard.astream(QUESTION, PASSAGES, ["a"])
    with pytest.raises(InputError, match="str"):
        list(guard.stream(QUESTION, PASSAGES, ["It is ", None]))


def test_the_source_is_closed_when_the_reader_goes_away():
    closed = []

    def source():
        try:
            yield from pieces_of(ANSWER)
        finally:
            closed.append(True)

    stream = make_guard(policy=POLICIES["keep"]).stream(QUESTION, PASSAGES, source())
    next(stream)
    stream.close()
    assert closed == [True]


async def test_many_streams_at_once_are_not_mixed_up():
    guard = make_guard(policy=POLICIES["keep"])
    answers = [f"{ANSWER} The tower has number {n}." for n in range(20)]
    found = await asyncio.gather(*(arun(guard, answer) for answer in answers))
    assert [pieces[-1].report.answer for pieces in found] == answers
    for pieces in found:
        check_whole(pieces)
    guard.close()


def test_places_are_right_behind_a_character_that_came_in_halves():
    pieces = ["It is \ud83d", "\ude00 330 metres tall. ", "It was built in 1889."]
    found = list(make_guard().stream("How tall?", ["It is 330 metres tall."], pieces))
    report = found[-1].report
    assert report.answer == "It is \U0001f600 330 metres tall. It was built in 1889."
    assert "".join(piece.text for piece in found) == report.text
    for claim in report.claims:
        for span in claim.spans:
            assert report.answer[span.start : span.end] == span.text
    assert type(report).from_json(report.to_json()) == report
