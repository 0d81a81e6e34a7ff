"""The little English grammar it takes to put words before, into and behind a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from franq_guard.claims.lexicon import BE, FINITE, HAVE, NEGATIONS, PASSIVE, PAST

_VERBS = FINITE | frozenset(
    "accounts appears applies argues believes borders bore brings broke buys causes claims connects costs "
    "covers creates dates describes drew drives earns ends equals exceeds exists features fills flew "
    "flows follows forms found gives governs grows happens hates helps holds hosts houses increases knows "
    "lacks lasted lasts lay leads lets lies likes lists lives loses loves makes marks means measures "
    "moves needs offers opens orbits passes pays plays protects publishes ranges reaches reduces releases "
    "reports rises rose rules runs saw says seeks sells shows speaks spread stands starts states stops "
    "stretches supports takes tells thinks treats turns uses wants wins works".split()
)
_IMPERATIVES = frozenset(
    "add always apply ask avoid be bring build call change check choose click close combine compare "
    "consider contact copy create delete do don't don’t download drag drink eat enable ensure enter fill "
    "find follow get give go import include insert install keep let log look make mix move never note "
    "open pay place please press provide put read remember remove replace report run save see select send "
    "set sign specify start stop store submit take tell try turn type update upload use verify visit wait "
    "wash write".split()
)
_FUNCTION_WORDS = frozenset(
    "a about above according across after all almost along also although among an and another any around "
    "as at because before behind below beneath beside besides between beyond both but by despite during "
    "each eight either every everyone everything few fewer fifth first five for four fourth from given he "
    "her here his how however if in inside into it its just last less like many more moreover most much "
    "my near neither next nine no nobody none not nothing of off on once one only or other others our out "
    "outside over people per quite rather second seven several she since six so some such ten than that "
    "the their then there these they third this those though three through throughout thus to together "
    "too toward towards two under unless unlike until up upon very via we what when where whereas whether "
    "which while who whose with within without you your".split()
)
_DOUBT = frozenset(
    "according allegedly apparently maybe perhaps possibly probably reportedly supposedly".split()
)
_ALWAYS_CAPITAL = frozenset("I I'm I’m I've I’ve I'd I’d I'll I’ll".split())
_NAMES_WITH_ARTICLE = frozenset({"Hague", "Gambia", "Bahamas"})
_OPEN_CLAUSE = frozenset("if unless when whenever although though while because since as".split())
_SUBJECT_PRONOUNS = frozenset("i you he she it we they this that these those".split())
_CORRELATIVES = frozenset({"either", "neither", "both", "whether"})
_ANAPHORS = frozenset(
    "it he she they this that these those its his her their him them such both another however therefore "
    "thus moreover furthermore consequently hence otherwise instead nevertheless nonetheless similarly "
    "additionally".split()
)

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LEAD = re.compile(
    r"""
      (?:\*\*[^*\n]{1,60}(?::\*\*|\*\*:)|__[^_\n]{1,60}(?::__|__:))\s+   # **Label:** text
    | [^\W\d_][\w/()'’-]{0,24}(?:\ [\w/()'’-]{1,24}){0,7}:\s+   # Label: text
    """,
    re.VERBOSE,
)
_CONNECTIVE = re.compile(
    r"(?:(?:however|moreover|furthermore|therefore|thus|hence|consequently|nevertheless|nonetheless|also|"
    r"finally|first|firstly|second|secondly|third|thirdly|next|then|lastly|similarly|likewise|meanwhile|"
    r"instead|yes|no|in addition|in fact|in contrast|in short|as a result|for example|for instance|"
    r"on the other hand|by contrast|of course|overall|in summary|in conclusion|to summari[sz]e|"
    r"additionally|accordingly|otherwise|besides|indeed|"
    r"conversely|specifically|notably|again|still|so|unfortunately|fortunately),\s+|(?:and|but|so|or|yet)\s+(?=\w))",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"(?:[,;:–—(]|(?<!\w)(?:and|but|or|so|yet|while|whereas|which|who|that|because|since|although|though))\s*\Z",
    re.IGNORECASE,
)
_JOINT_WORD = re.compile(
    r"(?:(?:and|but|or|so|yet|while|whereas|which|who|that|because|since|although|though)\s+)+", re.IGNORECASE
)
_FIRST_TWO = re.compile(r"(?P<first>[^\W\d_]+(?:['’]t)?)\s+(?P<second>[^\W\d_]*)")
_ABBREVIATION = re.compile(
    r"(?:(?<!\w)[^\W\d_]\.[^\W\d_]|(?<!\w)(?:Inc|Ltd|Co|Corp|Jr|Sr|St|Mr|Mrs|Dr|Prof|etc|approx|vs|al|No|Bros))\Z"
)
_SIGNS_AT_END = re.compile(r"[.!?…。！？,;:，；：]+\Z")
_LOOKBACK = 12


class Case(StrEnum):
    """What becomes of a capital that no longer begins the sentence."""

    LOWER = "lower"
    KEEP = "keep"
    UNSURE = "unsure"


def words_of(text: str) -> list[str]:
    """The words and numbers, without punctuation."""
    return _WORD.findall(text)


def is_clause(text: str) -> bool:
    """True if the text surely has a subject, then a finite verb; False for fragments and commands.

    Only common verbs are known. Other sentences count as fragments, whose hedges suit sentences just as well.
    """
    words = [word.lower() for word in words_of(text)]
    if not words or words[0] in _IMPERATIVES or words[0] in _VERBS:
        return False
    ends_like_sentence = _SIGNS_AT_END.search(text.rstrip("*_~ ")) is not None and not words[0].endswith("ed")
    return any(word in _VERBS or (ends_like_sentence and word.endswith("ed")) for word in words[1:])


def is_known_word(word: str) -> bool:
    """True for function words and adverbs of doubt, which are no names even with a capital."""
    return word.lower() in _FUNCTION_WORDS or word.lower() in _DOUBT


def starts_with_verb(text: str) -> bool:
    """True if the first word is a known finite verb, so that the subject must come from before."""
    words = words_of(text[:40])
    return bool(words) and words[0].lower() in _VERBS


def starts_with_anaphor(text: str) -> bool:
    """True if the first word refers to what was said before: "it", "this", "however"."""
    words = words_of(text[:40])
    return bool(words) and words[0].lower() in _ANAPHORS


def is_positive(text: str) -> bool:
    """True if nothing in the text negates."""
    return NEGATIONS.isdisjoint(word.lower().replace("’", "'") for word in words_of(text))


def pronoun_subject(text: str) -> str:
    """The pronoun with which the text begins, if a finite verb follows right behind it; else empty."""
    words = words_of(text[:40])
    if len(words) > 1 and words[0].lower() in _SUBJECT_PRONOUNS and words[1].lower() in _VERBS:
        return words[0] if text.startswith(f"{words[0]} ") else ""
    return ""


def needs_its_other_half(text: str) -> bool:
    """True for clauses that cannot stand without a later one: "If ...", "Either ..."."""
    lowered = [word.lower() for word in words_of(text)]
    return bool(lowered) and (lowered[0] in _OPEN_CLAUSE or not _CORRELATIVES.isdisjoint(lowered))


def label_end(text: str) -> int:
    """Where a leading label ("**Height:** ") ends; 0 without one. "He said: " is none."""
    found = _LEAD.match(text)
    if found is None or any(word.lower() in _VERBS for word in words_of(found.group())):
        return 0
    return found.end()


def connective_end(text: str) -> int:
    """Where a leading "However, " or "And " ends; 0 without one."""
    found = _CONNECTIVE.match(text)
    return found.end() if found else 0


def follows_joint(before: str) -> bool:
    """True if the text so far ends with a conjunction, a relative pronoun or a comma."""
    return _JOINT.search(before[-_LOOKBACK:]) is not None


def joint_word_end(text: str) -> int:
    """Where leading conjunctions and relative pronouns end; 0 without one."""
    found = _JOINT_WORD.match(text)
    return found.end() if found else 0


def adverb_place(text: str) -> int:
    """Where an adverb goes in a predicate or clause: "is |", "has | been", "will | be", else in front."""
    found = _FIRST_TWO.match(text)
    if found is None:
        return 0
    first, second = found.group("first").lower().replace("’", "'"), found.group("second").lower()
    perfect = first in HAVE and (second == "been" or second.endswith("ed") or second in PAST | PASSIVE)
    future = first in ("will", "would") and second == "be"
    return found.start("second") if first in BE or perfect or future else 0


def ends_with_abbreviation(text: str) -> bool:
    """True if a full stop right behind the text would belong to its last word: "U.S", "Inc"."""
    return _ABBREVIATION.search(text[-_LOOKBACK:]) is not None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words seen in some texts, by which names are told from nouns.

    Attributes:
        lower: words seen in lower case and never with a capital in mid-sentence: no names.
        names: words, lower-cased, seen in mid-sentence only with a capital.
    """

    lower: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Vocabulary:
        """Reads the texts."""
        lower: set[str] = set()
        names: set[str] = set()
        for text in texts:
            for match in _WORD.finditer(text):
                word = match.group()
                if word.islower():
                    lower.add(_bare(word))
                elif _is_mid_sentence(text, match.start()):
                    names.add(_bare(word))
        return cls(frozenset(lower - names), frozenset(names - lower))

    def first_word(self, text: str) -> Case:
        """What to do with the first letter of a sentence when other words are put before it."""
        found = _WORD.match(text)
        if found is None:
            return Case.KEEP
        word = found.group()
        if not (word[0].isupper() and (len(word) == 1 or word[1:].islower())) or word in _ALWAYS_CAPITAL:
            return Case.KEEP
        following = _WORD.match(text, found.end() + 1)
        if word == "The" and following and following.group() in _NAMES_WITH_ARTICLE:
            return Case.KEEP
        lowered = _bare(word)
        if word.lower() in _FUNCTION_WORDS or (lowered in self.lower and len(word) > 1):
            return Case.LOWER
        is_name = lowered in self.names or (following is not None and following.group()[0].isupper())
        return Case.KEEP if is_name else Case.UNSURE


def _bare(word: str) -> str:
    """In lower case, without the possessive."""
    return word.lower().removesuffix("'s").removesuffix("’s")


def _is_mid_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 3) : at]
    last = before[:-1].strip()[-1:]
    return before[-1:] == " " and (last.isalnum() or last in (",", ";", ")"))
