"""Every action in every mode, through real dispatch, on a real local model: what the caller receives."""

import asyncio
import time

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.callbacks import BaseCallbackHandler
from lc_models import OLD, TALL, Shelf, rag

from franq_guard import GuardReport, Policy
from langchain_franq_guard import AnswerBlockedError, FranqCallbackHandler, FranqGuardrail

pytest.importorskip("langchain_huggingface", reason="the local chat model comes from this package")

QUESTION = "How tall is the Eiffel Tower, and when was it completed?"
FIRST, SECOND = "The Eiffel Tower is 330 meters tall.", "It was completed in 1889."
RAW = f"{FIRST} {SECOND}"
REMOVED = "[removed]"

OFF = {"annotate_below": None, "hedge_below": None, "block_below": None}
POLICIES = {
    "keep": Policy(**OFF),
    "annotate": Policy(**OFF | {"annotate_below": 1.0}),
    "hedge": Policy(**OFF | {"hedge_below": 1.0}),
    "block": Policy(**OFF | {"block_below": 1.0}, min_kept=0, sentence_message=REMOVED),
}
MODES = ["invoke", "ainvoke", "batch", "abatch", "stream", "astream"]


@pytest.fixture(scope="module")
def chain(chat):
    """Writes the answer anew for every stream; the other modes may take it from LangChain's cache."""
    remembering = chat.model_copy(update={"cache": InMemoryCache()})
    return rag(remembering, Shelf(documents=[TALL, OLD]))


def received(chain, mode):
    """What reached the caller: pieces of text as they came, and what they add up to."""

    async def streamed():
        return [chunk async for chunk in chain.astream(QUESTION)]

    if mode in ("stream", "astream"):
        chunks = list(chain.stream(QUESTION)) if mode == "stream" else asyncio.run(streamed())
        whole = chunks[0]
        for chunk in chunks[1:]:
            whole = whole + chunk
        return [chunk["answer"].content for chunk in chunks if "answer" in chunk], whole
    whole = {
        "invoke": lambda: chain.invoke(QUESTION),
        "ainvoke": lambda: asyncio.run(chain.ainvoke(QUESTION)),
        "batch": lambda: chain.batch([QUESTION])[0],
        "abatch": lambda: asyncio.run(chain.abatch([QUESTION]))[0],
    }[mode]()
    return [whole["answer"].content], whole


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", POLICIES)
def test_the_caller_receives_the_guarded_answer_only(chain, real_guard, mode, action):
    pieces, whole = received(chain | FranqGuardrail(real_guard, policy=POLICIES[action]), mode)
    text = "".join(pieces)
    report = GuardReport.from_dict(whole["franq_guard"])
    assert text == report.text == whole["answer"].content
    assert (report.question, report.answer) == (QUESTION, RAW)
    assert [passage.id for passage in report.passages] == ["tall", "old"]
    assert [claim.action for claim in report.claims] == [action] * 2
    if action == "keep":
        assert text == RAW
    elif action == "annotate":
        assert text.count("% likely true") == 2
        assert text.startswith(FIRST[:-1])
    elif action == "hedge":
        assert "330 meters tall" in text
        assert FIRST not in text
        assert SECOND not in text
    else:
        assert "330" not in text
        assert "1889" not in text
        assert REMOVED in text
    if mode in ("stream", "astream") and action != "block":  # two blocked neighbours share one message
        assert len([piece for piece in pieces if piece.strip()]) == 2, "sentences come one by one"


@pytest.mark.parametrize("mode", MODES)
def test_a_blocked_answer_raises_and_nothing_of_it_was_received(chain, real_guard, mode):
    guarded = chain | FranqGuardrail(real_guard, policy=POLICIES["block"], on_blocked="raise")
    shown = []

    async def read():
        async for chunk in guarded.astream(QUESTION):
            shown.append(chunk)

    with pytest.raises(AnswerBlockedError, match="330 meters tall"):
        if mode == "stream":
            shown.extend(guarded.stream(QUESTION))
        elif mode == "astream":
            asyncio.run(read())
        else:
            received(guarded, mode)
    assert not [chunk for chunk in shown if "answer" in chunk and chunk["answer"].content]


class Ended(BaseCallbackHandler):
    """Knows whether the model has finished."""

    ended = False

    def on_llm_end(self, response, **kwargs):
        self.ended = True


@pytest.mark.parametrize("mode", ["stream", "astream"])
def test_the_first_sentence_arrives_before_the_model_has_finished(chain, real_guard, mode):
    model = Ended()
    guarded = chain | FranqGuardrail(real_guard, policy=POLICIES["keep"])
    config = {"callbacks": [model]}

    async def read():
        return [(chunk, model.ended) async for chunk in guarded.astream(QUESTION, config)]

    if mode == "stream":
        seen = [(chunk, model.ended) for chunk in guarded.stream(QUESTION, config)]
    else:
        seen = asyncio.run(read())
    texts = [(chunk["answer"].content, ended) for chunk, ended in seen if "answer" in chunk]
    shown = [(text.strip(), ended) for text, ended in texts if text.strip()]
    assert shown == [(FIRST, False), (SECOND, True)]


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
def test_the_handler_watches_the_same_chain(chain, real_guard, mode):
    reports = []
    handler = FranqCallbackHandler(real_guard, on_report=lambda report, ids: reports.append(report))
    _, whole = received(chain.with_config(callbacks=[handler]), mode)
    assert whole["answer"].content == RAW
    assert [claim.verdict for claim in reports[0].claims] == ["supported"] * 2
    assert len(handler.runs) == 0


async def longest_gap(work):
    """The longest time during which the event loop did not get round to a heartbeat."""
    task = asyncio.ensure_future(work)
    gap, last = 0.0, time.perf_counter()
    while not task.done():
        await asyncio.sleep(0.001)
        now = time.perf_counter()
        gap, last = max(gap, now - last), now
    return await task, gap


async def test_the_event_loop_goes_on_as_without_a_guard(chat, real_guard):
    plain = rag(chat, Shelf(documents=[TALL, OLD]))
    guarded = plain | FranqGuardrail(real_guard)
    await plain.ainvoke(QUESTION)
    start = time.perf_counter()
    _, unguarded_gap = await longest_gap(plain.ainvoke(QUESTION))
    duration = time.perf_counter() - start
    found, gap = await longest_gap(guarded.ainvoke(QUESTION))
    assert found["franq_guard"]
    # A check on the loop would hold it for about as long as the model takes to write.
    assert gap < max(5 * unguarded_gap, duration / 3)


async def test_nothing_blocks_the_event_loop(chain, real_guard):
    blockbuster = pytest.importorskip("blockbuster")
    guarded = chain | FranqGuardrail(real_guard)
    await guarded.ainvoke(QUESTION)
    with blockbuster.blockbuster_ctx("langchain_franq_guard"), blockbuster.blockbuster_ctx("franq_guard"):
        [found] = await guarded.abatch([QUESTION])
        assert found["franq_guard"]
        assert (await guarded.ainvoke(QUESTION))["franq_guard"]
