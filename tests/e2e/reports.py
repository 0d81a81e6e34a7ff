"""What holds for every report, whatever went in."""

from franq_guard import GuardReport
from franq_guard.schema import Verdict


def assert_sound(report):
    """Offsets fit, numbers are in range and add up, nothing unchecked is silent, JSON gives it back."""
    for claim in report.claims:
        assert claim.spans
        for span in (*claim.spans, claim.sentence):
            assert report.answer[span.start : span.end] == span.text
        for piece in claim.evidence:
            assert report.passages[piece.passage].text[piece.start : piece.end] == piece.text
        probabilities = [
            claim.p_true,
            claim.p_faithful,
            claim.p_true_if_faithful,
            claim.p_true_if_unfaithful,
        ]
        if claim.p_true is None:
            assert probabilities == [None] * 4
            assert claim.verdict in (Verdict.UNCHECKED, Verdict.NOT_CHECKWORTHY)
        else:
            assert all(0 <= value <= 1 for value in probabilities)
            assert claim.verdict in (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.NOT_MENTIONED)
        assert bool(claim.unchecked_reason) is (claim.verdict is Verdict.UNCHECKED)
    coverage = report.coverage
    assert coverage.total == sum(not char.isspace() for char in report.answer)
    assert min(coverage.scored, coverage.not_checkworthy, coverage.unchecked) >= 0
    assert coverage.scored + coverage.not_checkworthy + coverage.unchecked == coverage.total
    assert GuardReport.from_json(report.to_json()) == report
    str(report).encode()
