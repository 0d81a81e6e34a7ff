import pytest

from franq_guard.evaluation.labels import LabelledClaim


@pytest.fixture
def rows():
    """Three unlabelled claims, of P(true) 0.9, 0.55 and unknown."""
    context = {
        "answer": "It is 🗼 tall <b>and</b> old.",
        "passages": [{"title": "A & B", "text": "It is 330 m tall."}, {"title": "", "text": "Old."}],
        "evidence": [{"passage": 0, "start": 6, "end": 11}],
    }

    def row(number, claim, **extra):
        return LabelledClaim(
            id=str(number),
            question_id="q",
            question="How tall?",
            claim=claim,
            sentence="It is 🗼 tall <b>and</b> old.",
            alignment=0.5,
            signals={"max_claim_probability": -1.0},
            language_model="lm",
            extra=context | extra,
            place=f"rows.jsonl, row {number + 1}",
        )

    return [
        row(0, "It is tall.", spans=[[0, 12]], p_true=0.9),
        row(1, "<script>alert(1)</script>", spans=[[13, 27]], p_true=0.55),
        row(2, "It is old.", spans=[]),
    ]
