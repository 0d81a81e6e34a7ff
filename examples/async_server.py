"""Check the answers of many requests at once without blocking the event loop."""

import asyncio

from franq_guard import Guard, GuardReport

PASSAGES = ["Penicillin was discovered by Alexander Fleming in London in 1928."]
ANSWERS = [
    "Alexander Fleming discovered penicillin in 1928.",
    "Marie Curie discovered penicillin in 1935.",
    "I don't know.",
]


async def serve() -> list[GuardReport]:
    guard = Guard.from_preset("mini", on_error="block").warm_up()
    try:
        return await asyncio.gather(
            *(guard.acheck("Who discovered penicillin?", PASSAGES, answer) for answer in ANSWERS)
        )
    finally:
        guard.close()


def main() -> None:
    for report in asyncio.run(serve()):
        print(report.p_true, report.text)


if __name__ == "__main__":
    main()
