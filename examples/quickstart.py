"""Check one answer on the embedded models and print the report."""

from rich.console import Console

from franq_guard import Guard, Policy


def main() -> None:
    guard = Guard.from_preset("mini", policy=Policy(annotation="footnotes"))
    report = guard.check(
        "How tall is the Eiffel Tower?",
        ["With its antennas the Eiffel Tower is 330 metres tall."],
        "The Eiffel Tower is 330 metres tall. It was designed by Leonardo da Vinci.",
    )
    Console().print(report)
    for claim in report.claims:
        print(claim.p_true, claim.verdict, claim.action, claim.source_text)


if __name__ == "__main__":
    main()
