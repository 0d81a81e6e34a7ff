"""Numbers, dates, units, negations and names: what two texts state, and where they differ; no model."""

from __future__ import annotations

from franq_guard.quantities.compare import Difference, Relation, compare, differences
from franq_guard.quantities.extraction import quantities
from franq_guard.quantities.names import missing_names, names
from franq_guard.quantities.negation import negation_differs
from franq_guard.quantities.quantity import Kind, Quantity

__all__ = [
    "Difference",
    "Kind",
    "Quantity",
    "Relation",
    "compare",
    "differences",
    "missing_names",
    "names",
    "negation_differs",
    "quantities",
]
