"""Send scores somewhere of your own: here, a line on the console for each claim that needs a person."""

from franq_guard import Guard
from franq_guard.tracing import BaseSink, Record


class ReviewQueue(BaseSink):
    """Prints the claims to review; `capture_content` lets the record bring the texts along."""

    def emit(self, record: Record) -> None:
        """Prints."""
        for claim in record.claims:
            if claim.review or claim.action != "keep":
                text = record.content.claims[claim.index].text if record.content else claim.id
                print(f"{claim.p_true}  {claim.verdict}  {text}")


def main() -> None:
    guard = Guard.from_preset("mini", tracing=[ReviewQueue(capture_content=True)])
    guard.check(
        "Who discovered penicillin?",
        ["Penicillin was discovered by Alexander Fleming in London in 1928."],
        "Alexander Fleming discovered penicillin in 1928. He was born in Norway.",
    )
    guard.tracing.flush()
    print(guard.tracing.stats())


if __name__ == "__main__":
    main()
