"""An answer whose words are found nowhere else, and a guard that checks it."""

from fakes import WordLM, make_guard

QUESTION = "Wherefore quibbleth Zanzibarian marmalade?"
PASSAGES = [
    {
        "text": "Zanzibarian marmalade quibbleth perpendicularly.",
        "id": "doc-7",
        "title": "Hovercraft",
        "source": "s3://eelpond/vole.pdf",
        "metadata": {"author": "Bartholomew"},
    },
    {"text": "Custard thunderstorms evaporate.", "id": "doc-8"},
]
ANSWER = "Sure! Zanzibarian marmalade quibbleth perpendicularly. Flibbertigibbet walruses yodel."
TRACE, SPAN, MODEL_SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "00f067aa0ba902b7"
WORDS = (
    "wherefore quibbleth zanzibar marmalade perpendicular custard thunderstorm evaporate flibbertigibbet "
    "walrus yodel hovercraft eelpond vole bartholomew"
).split()
"""Enough of each word of question, passages and answer to find it again."""


class ListSink:
    """Keeps what it is given."""

    def __init__(self, **attributes):
        self.records = []
        self.flushes = self.closes = 0
        for name, value in attributes.items():
            setattr(self, name, value)

    def emit(self, record):
        self.records.append(record)

    def flush(self):
        self.flushes += 1

    def close(self):
        self.closes += 1


def check(sink, *, correlation=None, **settings):
    """Checks the answer with this sink, and waits until the sink has the record."""
    guard = make_guard(tracing=[sink], **settings)
    report = guard.check(QUESTION, PASSAGES, ANSWER, correlation=correlation)
    assert guard.tracing.flush()
    return report


class FailingLM(WordLM):
    """Quotes the answer in its error, as libraries do."""

    def score(self, requests):
        raise RuntimeError(f"cannot score {requests[0][1].text}")


def star(text):
    """A mask."""
    return "*" * len(text)


def check_nothing():
    """Makes no sink."""
