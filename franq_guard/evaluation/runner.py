"""The first half of an evaluation: a data set is read, spoilt if wanted, and given its signals."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from franq_guard.errors import InputError
from franq_guard.evaluation.baselines import BASELINES
from franq_guard.evaluation.corruption import Corruption, corrupt
from franq_guard.evaluation.datasets import Example, fill_up, read_examples
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.evaluation.methods import choose_methods, needed_signals
from franq_guard.evaluation.signal_file import SignalFile

if TYPE_CHECKING:
    from franq_guard.config import GuardConfig
    from franq_guard.evaluation.similarity import Similarity
    from franq_guard.pipeline.pipeline import Pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What the data are like before any model sees them, and what judges similarity.

    Attributes:
        corruption: such as "factual:0.5"; None leaves the passages as they are.
        passages: fill up to this many; None adds none.
        similarity: source of a cross-encoder; None takes the alignment model.
        seed: of the choices.
        limit: only the first questions, after everything is drawn; None for all.
    """

    corruption: str | None = None
    passages: int | None = None
    similarity: str | None = None
    seed: int = 0
    limit: int | None = None


def prepare(data: Path, making: Making) -> list[Example]:
    """Reads a data set, fills up its passages, and spoils them.

    Raises:
        InputError: if the data cannot be read or used.
        ConfigError: if the corruption is none.
    """
    corruption = None if making.corruption is None else Corruption.parse(making.corruption)
    examples = read_examples(data)
    if making.passages is not None:
        examples = fill_up(examples, making.passages, making.seed)
    if corruption is not None:
        examples = corrupt(examples, corruption, making.seed)
    forms = {example.form for example in examples}
    if len(forms) > 1:
        raise InputError(f"{data} mixes long and short form, whose signals differ: evaluate each by itself")
    kept = set(list(dict.fromkeys(example.id for example in examples))[: making.limit])
    return [example for example in examples if example.id in kept]


def collect(
    examples: Sequence[Example],
    folder: Path,
    config: GuardConfig,
    making: Making,
    *,
    methods: Collection[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[LabelledClaim], dict[str, Any]]:
    """Loads the models and collects what the methods need, going on where an earlier run stopped.

    Args:
        examples: as `prepare` gives them.
        folder: existing folder; receives signals.jsonl and signals.json.
        config: names the models; nothing is calibrated, whatever it says.
        making: how the examples were made.
        methods: names; none means all that fit the form.
        progress: called with (examples done, examples in all).

    Returns:
        The rows, and how they were made.

    Raises:
        ConfigError: if a method is unknown or does not fit the form.
        InputError: if the folder holds signals that were made otherwise.
        ModelError: if a model cannot be loaded or fails.
    """
    from franq_guard.assembly import assemble
    from franq_guard.evaluation.collecting import Collector

    baselines = wanted_baselines(methods, examples[0].form)
    pipeline = assemble(config)
    similarity = _similarity(making.similarity, config, pipeline)
    about = {
        "corruption": making.corruption,
        "passages": making.passages,
        "seed": making.seed,
        "similarity": similarity.id,
        "language_model": pipeline.language_model.id,
        "alignment_model": pipeline.aligner.id,
        "short_form": asdict(pipeline.short_form),
        "limits": asdict(pipeline.limits),
        "signals": baselines,
    }
    file = SignalFile(folder, about)
    rows = Collector(pipeline=pipeline, similarity=similarity, baselines=baselines).collect(
        examples, file, progress=progress
    )
    return rows, about | {"examples": _digest(examples)}


def wanted_baselines(methods: Collection[str], form: str) -> list[str]:
    """Names of the baselines whose values the methods need, in the order of tables."""
    chosen = choose_methods(methods, form)
    if "xgboost_all" in chosen:
        return [name for name, baseline in BASELINES.items() if form in baseline.forms]
    needed = {signal for name in chosen for signal in needed_signals(name, form)}
    return [name for name in BASELINES if name in needed]


def _similarity(source: str | None, config: GuardConfig, pipeline: Pipeline) -> Similarity:
    from franq_guard.evaluation.similarity import AlignmentSimilarity

    if source is None:
        return AlignmentSimilarity(pipeline.aligner.model)
    from franq_guard.models.cross_encoder import CrossEncoder

    return CrossEncoder(source, device=config.device, dtype=config.dtype)


def _digest(examples: Sequence[Example]) -> str:
    """Names the questions and passages that were used."""
    text = json.dumps([[e.id, e.question, [p.text for p in e.passages], e.answer] for e in examples])
    return hashlib.sha256(text.encode()).hexdigest()[:12]
