"""Reports that pages must cope with."""

from franq_guard.policy import Policy
from franq_guard.schema import (
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

ANSWER = "Sure! The tower was finished in 1889, and it is 450 m tall. Nobody lives there."
PASSAGES = (
    Passage("Work ended in March 1889. It is 330 metres tall.", title="Eiffel Tower", source="guide.pdf"),
    Passage("It has restaurants.", id="p-2"),
)


def piece(passage, quote, aligned, contradicted, passages=PASSAGES):
    start = passages[passage].text.index(quote)
    return Evidence(
        passage=passage,
        start=start,
        end=start + len(quote),
        text=quote,
        aligned=aligned,
        neutral=round(1 - aligned - contradicted, 4),
        contradicted=contradicted,
    )


def claim(index, quotes, answer=ANSWER, **fields):
    spans = tuple(Span.of(answer, answer.index(quote), answer.index(quote) + len(quote)) for quote in quotes)
    text = fields.pop("text", " ".join(quotes))
    return ScoredClaim(index=index, text=text, spans=spans, sentence=spans[0], **fields)


def scored(p_faithful, p_true_if_faithful=0.9, p_true_if_unfaithful=0.1):
    return {
        "p_faithful": p_faithful,
        "p_true_if_faithful": p_true_if_faithful,
        "p_true_if_unfaithful": p_true_if_unfaithful,
        "p_true": p_faithful * p_true_if_faithful + (1 - p_faithful) * p_true_if_unfaithful,
    }


def usual():
    """One claim of every kind; the second has two pieces."""
    trigger = Trigger(
        name=TriggerName.OVER_SPECIFIED,
        strength=0.75,
        detail="The claim says 450 m; the passage says 330 metres.",
        advice="Retrieve passages with figures.",
        passages=(0,),
    )
    claims = (
        claim(0, ["Sure!"], verdict=Verdict.NOT_CHECKWORTHY, checkworthy=False, reason="meta talk"),
        claim(
            1,
            ["The tower was finished in 1889"],
            verdict=Verdict.SUPPORTED,
            evidence=(piece(0, "Work ended in March 1889.", 0.95, 0.01),),
            signals=Signals(alignment=0.99, max_claim_log_prob=-1.5, tokens=7),
            **scored(0.99),
        ),
        claim(
            2,
            ["The tower", "is 450 m tall"],
            text="The tower is 450 m tall",
            verdict=Verdict.CONTRADICTED,
            evidence=(
                piece(0, "It is 330 metres tall.", 0.05, 0.9),
                piece(1, "It has restaurants.", 0.01, 0.02),
            ),
            triggers=(trigger,),
            wording=Wording.OVERCONFIDENT,
            **scored(0.1),
        ),
        claim(3, ["Nobody lives there."], verdict=Verdict.UNCHECKED, unchecked_reason="the deadline passed"),
    )
    return GuardReport(
        question="When was the tower finished?",
        passages=PASSAGES,
        answer=ANSWER,
        text="Sure! The tower was finished in 1889. [removed] Nobody lives there [not checked].",
        claims=Policy().apply(claims),
        calibration="condition",
        calibrator="c0ffee",
        models={"language_model": "hf:org/model"},
        coverage=Coverage(total=60, scored=45, not_checkworthy=6),
        timings={"claims": 0.0012},
        notes=("the answer was cut",),
    )


HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script></style></template></dialog></title><img src=x onerror=window.hacked=1>",
    "\"' onmouseover='window.hacked=1' x=\"",
    "<!-- --> <![CDATA[ ]]> &lt;b&gt; &amp; {{ 7 * 7 }} {% raw %} ${1}",
    "javascript:window.hacked=1",
    "W" * 400,
    "\u202egnp.exe\u202c \u2067right\u2069",
    "مرحبا بالعالم 123 שלום",
    "nul \x00 escape \x1b[31m bell \x07 delete \x7f line\r\nend\u2028 next",
    "lone \ud83d surrogate \udc00",
    "👩‍👩‍👧‍👦 e\u0301 𝒳 \ufeff",
)


def hostile(text):
    """`text` wherever a report holds text."""
    answer = f"{text} is here. And {text} again."
    passages = (Passage(f"Says {text}.", id=text, title=text, source=text, metadata={text: text}),)
    trigger = Trigger(
        name=TriggerName.SPARSE_RETRIEVAL, strength=0.5, detail=text, advice=text, passages=(0,)
    )
    claims = (
        claim(
            0,
            [f"{text} is here."],
            answer=answer,
            text=text,
            verdict=Verdict.NOT_MENTIONED,
            evidence=(piece(0, text, 0.2, 0.1, passages),),
            triggers=(trigger,),
            **scored(0.5),
        ),
        claim(1, [f"And {text} again."], answer=answer, verdict=Verdict.UNCHECKED, unchecked_reason=text),
        claim(2, [text], answer=answer, verdict=Verdict.NOT_CHECKWORTHY, checkworthy=False, reason=text),
    )
    return GuardReport(
        question=text,
        passages=passages,
        answer=answer,
        text=f"{text} is here.",
        claims=claims,
        error=text,
        form=text,
        form_reason=text,
        samples=(text,),
        calibration=text,
        calibrator=text,
        models={text: text},
        timings={text: 1.0},
        notes=(text,),
    )


def crowded():
    """Claims that overlap, nest, repeat, come in pieces and do not fit."""
    answer = "abcdefghij " * 3
    ranges = [[(0, 10)], [(2, 6)], [(2, 6)], [(4, 14)], [(0, 1), (9, 12)], [(0, len(answer))], [(30, 99)]]
    claims = tuple(
        ScoredClaim(
            index=index,
            text=f"claim {index}",
            spans=tuple(Span(start, end, answer[start:end]) for start, end in spans),
            sentence=Span(0, len(answer), answer),
            verdict=Verdict.SUPPORTED,
            **scored((index + 1) / 8),
        )
        for index, spans in enumerate(ranges)
    )
    return GuardReport(question="?", passages=(), answer=answer, text=answer, claims=claims)


def large(claims=700, passages=1000):
    """One answer with many claims and passages; every claim has evidence in another passage."""
    sentences = [f"Fact number {number} holds." for number in range(claims)]
    answer = " ".join(sentences)
    texts = tuple(Passage(f"Passage {number}. " + "It goes on. " * 60) for number in range(passages))
    found, start = [], 0
    for number, sentence in enumerate(sentences):
        span = Span.of(answer, start, start + len(sentence))
        start = span.end + 1
        found.append(
            ScoredClaim(
                index=number,
                text=sentence,
                spans=(span,),
                sentence=span,
                verdict=Verdict.SUPPORTED,
                evidence=(piece(number % passages, "It goes on.", 0.8, 0.1, texts),),
                **scored(number / claims),
            )
        )
    return GuardReport(question="Many?", passages=texts, answer=answer, text=answer, claims=tuple(found))


def small(number, p_faithful):
    """A short report of its own."""
    answer = f"Answer {number} is short."
    found = claim(0, [answer], answer=answer, verdict=Verdict.SUPPORTED, **scored(p_faithful))
    return GuardReport(
        question=f"Question {number}?",
        passages=(Passage(f"Passage {number}."),),
        answer=answer,
        text=answer,
        claims=Policy().apply([found]),
    )
