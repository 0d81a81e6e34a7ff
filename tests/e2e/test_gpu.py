"""The same numbers on a GPU; needs one."""

import numpy as np
import pytest

from franq_guard import Guard
from franq_guard.models.loading import load_language_model
from franq_guard.models.presets import SMOLLM2
from franq_guard.pipeline.prompts import rag_prompt
from franq_guard.schema import Passage

pytestmark = pytest.mark.gpu

PASSAGE = Passage("With its antennas the Eiffel Tower is 330 metres tall.")
ANSWER = "The Eiffel Tower is 330 metres tall. It was completed in 1889."


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-3), ("bfloat16", 0.1)])
def test_log_probs_agree_with_the_cpu(lm, dtype, tolerance):
    on_gpu = load_language_model(SMOLLM2, device="cuda", dtype=dtype)
    request = (rag_prompt("How tall is it?", [PASSAGE]), lm.tokenize(ANSWER))
    [here], [there] = lm.score([request]), on_gpu.score([request])
    assert np.abs(here.log_probs - there.log_probs).mean() < tolerance


def test_the_whole_check_picks_the_gpu(guard):
    report = Guard.from_preset("mini", on_error="raise").check("How tall is it?", [PASSAGE.text], ANSWER)
    expected = guard.check("How tall is it?", [PASSAGE.text], ANSWER)
    assert [c.p_true for c in report.claims] == pytest.approx([c.p_true for c in expected.claims], abs=0.1)
