"""Which sentences state something that can be true or false."""

from __future__ import annotations

import re

from franq_guard.claims.blocks import BlockKind
from franq_guard.claims.plain import plain_text
from franq_guard.claims.verbs import has_finite_verb

_BY_KIND = {
    BlockKind.CODE: "code",
    BlockKind.TABLE_HEADER: "table header",
    BlockKind.MARKUP: "no words",
}
_DOCUMENTS = (
    r"(?:the |these |those |your |my |any |none of the |this )?"
    r"(?:(?:(?:provided|given|retrieved|supplied|available|attached|search|source|context|reference) )+"
    r"(?:documents?|passages?|texts?|information|sources?|excerpts?|contexts?|articles?|materials?|results?)"
    r"|documents?|passages?|excerpts?|context)(?: (?:provided|given|above|you provided))?"
)
_OPENER = re.compile(
    r"(?P<greeting>hello|hi there|hi|hey|greetings|good (?:morning|afternoon|evening|day)|welcome"
    r"|dear \w+(?: \w+)?(?=,))"
    r"|(?P<thanks>(?:thank you(?: (?:so|very) much)?|thanks(?: a lot)?)"
    r"(?: for (?:asking|your question|the question|your patience))?"
    r"|you're welcome|you are welcome|my pleasure|no problem)"
    r"|(?P<offer>(?:i )?hope (?:this|that|it) (?:helps|is helpful|was helpful|answers your question)(?: you)?"
    r"|(?:i'm |i am |i'd be |i would be )?(?:happy|glad) to help)"
    r"|(?P<refusal>(?:i'm |i am )?(?:very |so |really )?sorry|i apologi[sz]e|my apologies|apologies"
    r"|unfortunately)"
    r"|(?P<meta>sure(?: thing)?|certainly|of course|absolutely|definitely|okay|ok|well|alright|got it"
    r"|understood|let me think|let's see"
    r"|(?:(?:that's |that is |this is )?an? )?(?:great|good|excellent|interesting) question)"
)
_AFTER_OPENER = re.compile(r"[\s,.!:;…—–-]+(?:but |and )?|$")
_SOURCE_PHRASE = re.compile(rf"(?:based on|according to|from|in|given) {_DOCUMENTS}, ")

_CANNOT = (
    r"(?:can(?:not| not|'t)|could(?: not|n't)|(?:am|was) (?:unable|not able) to|won't) (?:\w+ly )?"
    r"(?:answer|provide|find|determine|tell|help|assist|give|confirm|verify|access|offer|locate|comply|fulfill"
    r"|say)\b"
)
_HAVE_NOT = (
    r"(?:do(?: not|n't) (?:currently )?have|have no|lack) (?:any |enough |sufficient |the |specific )*"
    r"(?:access|information|info|data|details|knowledge|idea|ability|capability|context|answer)\b"
)
_SAY_NOTHING = (
    r"(?:(?:do|does|did)(?: not|n't) (?:\w+ly )?(?:mention|contain|provide|specify|say|state|include|discuss"
    r"|give|answer|address|cover|indicate|describe|tell|have|offer)\b|(?:is|are) silent\b"
    r"|(?:contains?|provides?|gives?|have|has) (?:no|insufficient)\b)"
)
_REFUSAL = re.compile(
    rf"i (?:really |also |currently )?(?:do(?: not|n't) (?:actually |really )?know\b|{_HAVE_NOT}|{_CANNOT}"
    r"|am not (?:sure|certain|aware)\b)"
    r"|i'm (?:not (?:sure|certain|aware|able)|unable)\b"
    rf"|it is (?:unclear|unknown|not clear|not known) (?:from|in) {_DOCUMENTS}"
    r"|there (?:is|was|are) (?:no|not enough|insufficient) (?:\w+ )?(?:information|mention|data)\b"
    r"|(?:no|not enough|insufficient) (?:\w+ )?information (?:is |was )?"
    r"(?:available|provided|given|found|mentioned|about|on|regarding)\b"
    rf"|{_DOCUMENTS} {_SAY_NOTHING}"
    rf"|(?:this|that|it|the answer) is not (?:mentioned|specified|stated|provided|given) in {_DOCUMENTS}"
)
_OFFER = re.compile(
    r"(?:please )?(?:let me know|feel free|do(?: not|n't) hesitate|reach out)\b"
    r"|(?:if|should) you (?:have|need|want|would like|'d like|require)\b[^,]{0,120}, "
    r"(?:please|feel free|let me|just|i |do(?: not|n't) hesitate)"
    r"|(?:i'm |i am |i'd be |i would be )?(?:always |more than )?(?:happy|glad|here) to "
    r"(?:help|assist|answer|provide)\b"
    r"|i can (?:also )?(?:help|assist)\b|(?:i )?hope (?:this|that|it)\b"
    r"|please (?:contact|see|visit|consult|refer|check|call|e-?mail|read|ask|try)\b"
    r"|(?:see|visit|contact|consult|refer to|check out)\b[^.;]{0,120}\bfor "
    r"(?:more|further|details|help|assistance|information|an?|the)\b"
    r"|for (?:more|further) (?:information|details), (?:please |see |visit |contact |consult )"
)
_META = re.compile(
    r"(?:as an?|i'm an?|i am an?) "
    r"(?:ai|artificial intelligence|large language model|language model|virtual assistant)\b"
    r"|(?:here (?:is|are)|here's|below (?:is|are)) [^:]{0,150}(?::|$)"
    r"|(?:let me|i will|i'll|i'd like to|i would like to|i'm going to|let's) (?:now |try to |briefly )?"
    r"(?:explain|break|summari[sz]e|clarify|walk|give|provide|show|list|describe|outline|answer|take a look"
    r"|look at|start|go through|dive|explore|elaborate|help|do my best)\b"
    r"|(?:to answer your question|in summary|in conclusion|in short|summary|note|answer|response|conclusion"
    r"|overview)\W*$"
)
_YES_NO = re.compile(r"(?:yes|no|yep|nope|true|false|correct|incorrect|right|indeed)\W*$")
_LINKS_ONLY = re.compile(
    r"(?:\W*+(?:https?://\S++|www\.\S++|(?:sources?|references?|links?|see|also|read|more|at|and|url)\b))++"
    r"[\W\d]*$"
)
_REFERENCE = re.compile(r"\s*(?:\[\d{1,3}\]:?\s|(?:sources?|references?|citations?)\s*:)", re.IGNORECASE)
_TAG_QUESTION = re.compile(
    r",\s+(?:is|are|was|were|do|does|did|has|have|can|will|would)(?:n't| not)? \w+\s*[?]$|, right[?]$"
)
_TELLING_QUESTION = re.compile(
    r"(?:did|do) you know (?:that )?(?!who|what|when|where|why|how|which|whether|if|any)"
)
_SEGMENT = re.compile(r"[,;:—–]|\. | (?=but |however |although |though |because |and )")
_NO_FACT = re.compile(
    r"\s*(?:(?:and|or|so|but) )?"
    r"(?:i (?!(?:can|could|would|must|will) (?:say|tell|confirm|note|state|report)\b)|i'|you\b|your\b|we\b"
    r"|let\b|please\b|feel\b|if\b|or\b|when\b|where\b|what\b|how\b|why\b|whether\b|should\b|don't\b|do not\b"
    r"|it is (?:not )?(?:possible|clear|mentioned)\b)"
)


def checkworthiness(sentence: str, *, kind: str) -> str:
    """Tells whether a sentence needs to be checked.

    Keeps whatever may carry a fact: also behind "Sure," or after "I don't know, but".

    Args:
        sentence: as in the answer, markup included.
        kind: the kind of block it is from, a `BlockKind`.

    Returns:
        "" if it is to be checked; else why not: "code", "table header", "heading", "no words", "question",
        "greeting", "thanks", "offer of help", "meta talk", "refusal", "link", "reference" or "no statement".
    """
    if kind in _BY_KIND:
        return _BY_KIND[BlockKind(kind)]
    text = plain_text(sentence)
    if not any(map(str.isalnum, text)):
        return "no words"
    if kind == BlockKind.TABLE_ROW:
        return ""
    lower = text.replace("’", "'").lower()
    if _is_question(lower):
        return "question"
    if kind == BlockKind.HEADING:
        return "" if has_finite_verb(text) else "heading"
    if reason := _talk(lower):
        return reason
    return "reference" if _REFERENCE.match(sentence) and not has_finite_verb(text) else ""


def _is_question(lower: str) -> bool:
    if not lower.rstrip("\"'”’»)*_ ").endswith(("?", "？", "؟", "?!")):
        return False
    quoted = lower.endswith(('"', "”", "»", "'")) and lower[0] not in "\"“«'"
    return not quoted and not _TAG_QUESTION.search(lower) and not _TELLING_QUESTION.match(lower)


def _talk(lower: str) -> str:
    """Judges what is said around the facts; `lower` is plain, in lower case, with straight apostrophes."""
    rest, reason = _without_openers(lower)
    if not any(map(str.isalnum, rest)):
        return reason
    if source := _SOURCE_PHRASE.match(rest):
        rest = rest[source.end() :]
    if _YES_NO.match(rest):
        return "no statement"
    if _LINKS_ONLY.match(rest):
        return "link"
    for pattern, name in ((_REFUSAL, "refusal"), (_OFFER, "offer of help"), (_META, "meta talk")):
        if (found := pattern.match(rest)) and not _adds_fact(rest, found.end()):
            return name
    return ""


def _without_openers(lower: str) -> tuple[str, str]:
    names = {"offer": "offer of help", "meta": "meta talk"}
    reason, at = "", 0
    while (opener := _OPENER.match(lower, at)) and (gap := _AFTER_OPENER.match(lower, opener.end())):
        group = opener.lastgroup or ""
        reason = reason or names.get(group, group)
        at = gap.end()
        if gap.end() == len(lower):
            break
    return lower[at:], reason


def _adds_fact(text: str, end: int) -> bool:
    """Whether a statement follows in another clause than the one that ends at or after `end`."""
    segments = _SEGMENT.split(text[end:])
    if text[end - 1] == ":":
        return any(map(str.isalnum, text[end:]))
    return any(has_finite_verb(segment) and not _NO_FACT.match(segment) for segment in segments[1:])
