"""How much of an answer was looked at: numbers that add up."""

from fakes import make_guard
from hypothesis import given, settings
from hypothesis import strategies as st

from franq_guard.schema import Verdict

QUESTION = "How tall is the tower?"
PASSAGES = ["The tower is 330 metres tall.", "The tower was built by Gustave Eiffel."]

SENTENCES = st.sampled_from(
    [
        "The tower is 330 metres tall.",
        "It was built in 1889, and it stands in Paris.",
        "Sure!",
        "I hope this helps!",
        "## Heading",
        "- an item, which is short",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\ncode()\n```",
        "Der Turm ist sehr hoch und wurde vor langer Zeit gebaut.",
        "🎉",
        "Who knows?",
        "",
        "   ",
    ]
)


@settings(deadline=None, max_examples=50)
@given(
    parts=st.lists(SENTENCES, max_size=6), joint=st.sampled_from([" ", "\n", "\n\n"]), limit=st.integers(1, 4)
)
def test_every_character_is_counted_once(parts, joint, limit):
    answer = joint.join(parts)
    report = make_guard(max_claims=limit).check(QUESTION, PASSAGES, answer)
    assert report.error is None
    coverage = report.coverage
    assert coverage.total == sum(not char.isspace() for char in answer)
    assert min(coverage.scored, coverage.not_checkworthy, coverage.unchecked) >= 0
    assert coverage.scored + coverage.not_checkworthy + coverage.unchecked == coverage.total
    verdicts = {claim.verdict for claim in report.claims}
    if Verdict.UNCHECKED in verdicts:
        assert coverage.unchecked > 0
    if not any(claim.p_true is not None for claim in report.claims):
        assert coverage.scored == 0
    if verdicts and verdicts <= {Verdict.SUPPORTED, Verdict.NOT_MENTIONED, Verdict.CONTRADICTED}:
        assert coverage.scored > 0
    for claim in report.claims:
        assert all(answer[span.start : span.end] == span.text for span in claim.spans)
