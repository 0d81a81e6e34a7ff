"""`franq-guard demo`: retrieve, generate, check, guard."""

from __future__ import annotations

from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from franq_guard.cli.progress import busy, quiet_libraries, stage_progress
from franq_guard.demo.rag import PLANTED, QUESTION, TfidfRetriever, answer, load_corpus, require_question
from franq_guard.guard import Guard
from franq_guard.models.loading import is_here, load_language_model
from franq_guard.models.presets import preset as find_preset
from franq_guard.schema import GuardReport, Passage


def run_demo(*, question: str | None, preset: str, device: str | None, k: int) -> int:
    """Runs the demo; returns the exit code.

    Raises:
        ConfigError: if the preset is unknown.
        ModelError: if the models cannot be fetched or loaded.
    """
    if question is not None:
        require_question(question)
    console = Console()
    source = find_preset(preset).language_model
    guard = Guard.from_preset(preset, device=device, on_error="raise")
    quiet_libraries()
    first_run = "" if is_here(source) else " (first run: fetching and converting them, once)"
    with busy(f"Loading the models of preset {preset!r}{first_run}"):
        guard.warm_up(rehearse=False)
        model = load_language_model(source, device=device)
    retriever = TfidfRetriever(load_corpus())

    with busy("Retrieving and generating an answer"):
        rag = answer(question if question is not None else QUESTION, retriever, model, k=k)
    console.print(Rule("1. An answer by the model itself" if question is None else "The answer"))
    _show(console, guard, rag.question, rag.passages, rag.answer)
    if question is None:
        planted_question, planted_answer = PLANTED
        console.print(Rule("2. An answer with planted errors"))
        _show(
            console, guard, planted_question, tuple(retriever.retrieve(planted_question, k)), planted_answer
        )
    return 0


def _show(
    console: Console, guard: Guard, question: str, passages: tuple[Passage, ...], text: str
) -> GuardReport:
    console.print(Panel(Text(question), title="question", title_align="left"))
    for number, passage in enumerate(passages, start=1):
        console.print(
            Panel(Text(passage.text), title=f"passage {number}: {passage.title}", title_align="left")
        )
    if not passages:
        console.print("no passage shares a word with the question")
    console.print(Panel(Text(text), title="answer as generated", title_align="left"))
    with stage_progress() as progress:
        report = guard.check(question, passages, text, progress=progress)
    console.print(report)
    return report
