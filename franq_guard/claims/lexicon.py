"""Small closed word lists of English, by which clauses are told without a tagger.

Open classes are listed only as far as their members are rarely anything but verbs: a sentence with other
verbs is not split.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE_PRESENT = _words("is are am isn't aren't")
BE = BE_PRESENT | _words("was were wasn't weren't")
HAVE = _words("has have had hasn't haven't hadn't")
DO = _words("does do did doesn't don't didn't")
MODALS = _words(
    "can could may might must shall should will would cannot can't couldn't won't wouldn't shouldn't mustn't"
)
AUXILIARIES = BE | HAVE | DO | MODALS
PLURAL_VERBS = _words("are were have do aren't weren't haven't don't")

NEGATIONS = _words(
    "not no never none neither nor nobody nothing nowhere without hardly barely scarcely cannot can't "
    "couldn't won't wouldn't shouldn't mustn't isn't aren't wasn't weren't hasn't haven't hadn't "
    "doesn't don't didn't false untrue"
)

PRESENT = _words(
    "becomes begins belongs comes comprises consists contains depends employs extends gets goes "
    "includes involves keeps occurs operates owns provides receives refers remains represents requires "
    "serves teaches tends weighs writes sits attracts converts absorbs allows enables "
    "generates consumes boils freezes melts revolves rotates"
)
# Also plural nouns: verbs only before an object.
PRESENT_OR_NOUN = _words(
    "measures costs covers holds makes takes reaches produces houses hosts causes uses features helps"
)
PAST = _words(
    "became began brought came chose fell fought gave got grew kept knew led lost made met paid ran "
    "said sang sat sent sold spent stood swam taught took told went withdrew won wore wrote built held "
    "announced appeared arrived attended banned bought collaborated competed completed composed "
    "contained continued contributed covered created debuted defeated developed died directed "
    "discovered earned ended established featured finished formed founded gained graduated helped "
    "hosted included introduced invented joined launched lived married moved needed occurred opened "
    "owned passed performed played produced provided published reached received recorded released "
    "remained retired returned served settled signed started starred studied succeeded supported toured "
    "wanted weighed worked employed"
)
NEVER_PASSIVE = _words(
    "became began came died fell grew lived moved went rose arrived appeared remained retired returned "
    "graduated collaborated competed debuted contributed occurred starred worked stood sat swam ran "
    "wrote knew gave took withdrew sang saw drew chose spoke wore"
)
PASSIVE = _words(
    "appointed awarded based born buried built called completed composed constructed created dedicated "
    "demolished designed destroyed developed directed educated elected employed established found "
    "founded given held honored inducted introduced invented killed known launched located made named "
    "nominated opened owned produced published raised rebuilt recorded released renamed replaced "
    "restored selected shown signed sold taken taught trained used written"
)
FINITE = AUXILIARIES | PRESENT | PRESENT_OR_NOUN | PAST

DETERMINERS = _words(
    "a an the his her its their our my your this that these those some any many most several each every "
    "all both few no one two three four five six seven eight nine ten more less about over nearly "
    "almost"
)
PREPOSITIONS = _words(
    "of in on at by for from with to into onto as about over under between among during since until "
    "through across near after before against within without around behind along beyond via per like "
    "than off out up down toward towards throughout despite"
)
PRONOUNS = _words("i you he she it we they who which that there this these those")
PERSONAL_PRONOUNS = _words("it he she they its his her their him them this these i we my our you your")
FUNCTION_WORDS = (
    BE
    | HAVE
    | DO
    | MODALS
    | DETERMINERS
    | PREPOSITIONS
    | PRONOUNS
    | NEGATIONS
    | _words("and or but so also been being be him them us me then there's it's")
) - _words("one two three four five six seven eight nine ten false untrue")

SCOPED = _words(
    "if unless whether either neither nor although though because while when whenever until once lest "
    "provided suppose assuming except rather according said says say claim claims claimed argue argues "
    "argued believe believes believed think thinks thought suggest suggests suggested reported "
    "reportedly allegedly supposedly states stated how why what where only perhaps maybe possibly probably"
)
"""A clause under one of these says something else when it stands alone."""
