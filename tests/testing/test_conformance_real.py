"""The models that are shipped keep what the protocols promise."""

from franq_guard.models.loading import load_alignment_model, load_language_model
from franq_guard.models.presets import PRESETS
from franq_guard.testing import check_alignment_model, check_language_model
from franq_guard.testing.texts import ODD, PLAIN


def test_the_embedded_language_model_conforms():
    model = load_language_model(PRESETS["mini"].language_model, device="cpu", dtype="float32")
    check_language_model(model, texts=(PLAIN, ODD[7]))


def test_the_embedded_alignment_model_conforms():
    check_alignment_model(load_alignment_model(PRESETS["mini"].alignment_model, device="cpu"))
