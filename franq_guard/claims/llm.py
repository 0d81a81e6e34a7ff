"""Claims by a language model, each traced back to the words of the answer (FRANQ section 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from franq_guard.claims.base import ClaimExtractor, Extraction
from franq_guard.claims.lists import ListError, parse_list
from franq_guard.claims.plain import plain_text
from franq_guard.claims.rules import Draft, RuleExtractor, limit_notes, number_claims
from franq_guard.claims.spans import ClaimLocator, words_of
from franq_guard.errors import ConfigError, ModelError
from franq_guard.models.base import LanguageModel, Prompt
from franq_guard.schema import Claim, Span

_CHUNK = 2000
"""Characters of the answer in one prompt; small models lose the thread in longer ones."""
_MIN_COVERED = 0.5
"""Share of a rule-based claim's content words that the model's claims must take up to replace it."""

_SYSTEM = "You turn text into lists of facts. You reply with a Python list of strings and nothing else."
_TASK = """\
Imagine a function atomic_facts(text) that returns every fact which the text states, as a Python list of
strings.

What it returns:
- Each string is one fact that cannot be divided further.
- Each string can be understood alone: names instead of "it", "he", "they" or "this", and no reference to
  other strings.
- Each string is specific and keeps the text's own words, numbers and negations.
- Nothing that the text does not state, true or not. No greetings, questions or offers.
- [] if the text states nothing.

Splitting joined statements:
"Mira sells and repairs clocks." -> ["Mira sells clocks.", "Mira repairs clocks."]
not ["Mira sells and repairs clocks."]
"The old, wooden bridge burnt down in May." -> ["The bridge was old.", "The bridge was wooden.", \
"The bridge burnt down in May."]
not ["The old, wooden bridge burnt down.", "It was May."]
"Tarn, a village in Odur, has no school." -> ["Tarn is a village.", "Tarn is in Odur.", "Tarn has no school."]
not ["Tarn is a village in Odur and has no school."]

A longer text:
>>> atomic_facts("Lake Ume froze in January. It is 40 metres deep, and fishing there is not allowed.")
["Lake Ume froze in January.", "Lake Ume is 40 metres deep.", "Fishing in Lake Ume is not allowed."]

Now the same for this text{context}:
>>> atomic_facts({text})
"""
_REPAIR = """\
{task}
A first attempt returned this, which is no Python list of strings ({error}):
{reply}

Return the list again, correctly written, and nothing else.
"""


@dataclass(slots=True)
class _Outcome:
    """What the model said about one chunk."""

    claims: list[str] = field(default_factory=list)
    error: str = ""
    reply: str = ""
    cut: bool = False


class LLMExtractor:
    """Asks a language model for the claims of an answer, and trusts none of them that it can't find there.

    The answer goes to the model in chunks of whole sentences, in one batch. A reply that is no list of
    strings is asked for once more. Each claim is located in the answer (`locate_claim`); a claim is dropped,
    with a note, if it can't be located or brings in a number or name that is neither in the answer nor in
    the question. Where the model's claims leave out what a sentence says, the rule-based claim stands in, so
    nothing goes unchecked. If the model fails, or no reply can be read, the result is the fallback's, with
    the reason as a note.

    Args:
        model: writes the claims.
        fallback: used if the model fails; `RuleExtractor(max_claims)` if None.
        max_claims: claims from this index on are returned too, but a note says that they are not to be
            checked.
        max_new_tokens: limit for the reply about one chunk; a reply cut by it is used as far as it goes.

    Raises:
        ConfigError: if a limit is not positive.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        fallback: ClaimExtractor | None = None,
        max_claims: int = 500,
        max_new_tokens: int = 1024,
    ) -> None:
        if max_new_tokens < 1:
            raise ConfigError(f"max_new_tokens must be at least 1, not {max_new_tokens}")
        self._rules = RuleExtractor(max_claims)
        self._model = model
        self._fallback = fallback or self._rules
        self.max_claims = max_claims
        self._max_new_tokens = max_new_tokens

    def extract(self, answer: str, *, question: str = "") -> Extraction:
        """Finds the claims of an answer, in the order of their first characters."""
        rules = self._rules.extract(answer, question=question)
        sentences = _sentences(rules.claims)
        if not any(claim.checkworthy for claim in rules.claims):
            return rules
        chunks = _chunks(answer, sentences)
        try:
            outcomes = self._ask(chunks, question)
        except ModelError as error:
            return self._fall_back(answer, question, str(error))
        if all(outcome.error for outcome in outcomes):
            return self._fall_back(answer, question, outcomes[0].error)
        return self._combine(answer, question, rules, sentences, outcomes)

    def _fall_back(self, answer: str, question: str, reason: str) -> Extraction:
        result = self._fallback.extract(answer, question=question)
        note = f"claim extraction by the language model failed, rules were used instead: {reason}"
        return Extraction(claims=result.claims, notes=(note, *result.notes), method=result.method)

    def _ask(self, chunks: Sequence[str], question: str) -> list[_Outcome]:
        tasks = [_task(chunk, question) for chunk in chunks]
        outcomes = self._generate(tasks)
        failed = [at for at, outcome in enumerate(outcomes) if outcome.error]
        if failed:
            repairs = [
                _REPAIR.format(task=tasks[at], error=outcomes[at].error, reply=_shown(outcomes[at].reply))
                for at in failed
            ]
            for at, outcome in zip(failed, self._generate(repairs), strict=True):
                outcomes[at] = outcome
        return outcomes

    def _generate(self, tasks: Sequence[str]) -> list[_Outcome]:
        prompts = [Prompt(user=task, system=_SYSTEM) for task in tasks]
        replies = self._model.generate(prompts, max_new_tokens=self._max_new_tokens)
        if len(replies) != len(tasks):
            raise ModelError(f"{self._model.id} returned {len(replies)} texts for {len(tasks)} prompts")
        outcomes = []
        for reply in replies:
            try:
                claims, cut = parse_list(reply.text)
                outcomes.append(_Outcome(claims=claims, cut=cut))
            except ListError as error:
                outcomes.append(_Outcome(error=str(error), reply=reply.text))
        return outcomes

    def _combine(
        self,
        answer: str,
        question: str,
        rules: Extraction,
        sentences: Sequence[Span],
        outcomes: Sequence[_Outcome],
    ) -> Extraction:
        texts = [text for outcome in outcomes for text in outcome.claims]
        idle = {claim.sentence for claim in rules.claims if not claim.checkworthy}
        drafts, dropped = _locate(texts, answer, question, [each for each in sentences if each not in idle])
        kept = [claim for claim in rules.claims if not claim.checkworthy or not _is_covered(claim, drafts)]
        filled = sum(claim.checkworthy for claim in kept)
        drafts += [_draft(claim) for claim in kept]
        notes = [
            f"{dropped} of {len(texts)} claims by the language model are not in the answer and were dropped"
        ]
        notes = notes if dropped else []
        if unread := sum(bool(outcome.error) for outcome in outcomes):
            notes.append(f"{unread} of {len(outcomes)} replies of the language model could not be read")
        if any(outcome.cut for outcome in outcomes):
            notes.append("a reply of the language model was cut by its length limit")
        if filled:
            notes.append(f"{filled} claims were made by rules, as the language model left them out")
        notes += limit_notes(len(drafts), self.max_claims)
        method = "llm" if any(draft.extractor == "llm" for draft in drafts) else "rules"
        return Extraction(claims=number_claims(answer, drafts), notes=tuple(notes), method=method)


def _task(chunk: str, question: str) -> str:
    context = f", which answers the question {_literal(question)}" if question.strip() else ""
    return _TASK.format(context=context, text=_literal(chunk))


def _literal(text: str) -> str:
    """Writes a text as a string literal; half surrogates, which no tokeniser takes, become question marks."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _shown(reply: str) -> str:
    return plain_text(reply[:500])


def _sentences(claims: Sequence[Claim]) -> list[Span]:
    return sorted({claim.sentence for claim in claims}, key=lambda sentence: sentence.start)


def _chunks(answer: str, sentences: Sequence[Span]) -> list[str]:
    """Cuts the answer between sentences into pieces of at most `_CHUNK` characters, or one sentence."""
    chunks, start = [], sentences[0].start
    for before, sentence in pairwise(sentences):
        if sentence.end - start > _CHUNK:
            chunks.append(answer[start : before.end])
            start = sentence.start
    chunks.append(answer[start : sentences[-1].end])
    return chunks


def _locate(
    texts: Sequence[str], answer: str, question: str, sentences: Sequence[Span]
) -> tuple[list[Draft], int]:
    locator = ClaimLocator(sentences)
    known = {word.key for word in words_of(f"{answer} {question}")}
    drafts: list[Draft] = []
    seen: dict[str, int] = {}
    at = dropped = 0
    for text in map(plain_text, texts):
        spans = locator.locate(text, start=max(at, seen.get(text, 0)))
        if spans is None or not _is_known(text, known):
            dropped += 1
            continue
        sentence = next(each for each in sentences if each.start <= spans[0].start < each.end)
        if seen.get(text) == sentence.end:
            continue
        seen[text] = sentence.end
        at = sentence.start
        ranges = [(span.start, span.end) for span in spans]
        drafts.append(Draft(text, ranges, (sentence.start, sentence.end), extractor="llm"))
    return drafts, dropped


def _is_known(text: str, known: set[str]) -> bool:
    """Whether every number and every name of a claim is known; its first word may be capitalised anyway."""
    return all(
        word.key in known
        for at, word in enumerate(words_of(text))
        if word.is_number or (word.is_content and text[word.start].isupper() and at > 0)
    )


def _is_covered(claim: Claim, drafts: Sequence[Draft]) -> bool:
    """Whether located claims take up a rule-based claim: all its numbers and half of its content words."""
    inside = [
        cut
        for draft in drafts
        if draft.sentence == (claim.sentence.start, claim.sentence.end)
        for cut in draft.ranges
    ]
    total = found = 0
    for span in claim.spans:
        for word in words_of(span.text):
            taken = any(start <= span.start + word.start < end for start, end in inside)
            if word.is_number and not taken:
                return False
            if word.is_content:
                total, found = total + 1, found + taken
    return bool(inside) and found >= _MIN_COVERED * total


def _draft(claim: Claim) -> Draft:
    ranges = [(span.start, span.end) for span in claim.spans]
    return Draft(claim.text, ranges, (claim.sentence.start, claim.sentence.end), claim.reason)
