"""A pipeline of models without weights, one of which shows its distributions."""

import numpy as np
from fakes import WordAligner, WordLM

from franq_guard.alignment import Aligner
from franq_guard.claims import RuleExtractor
from franq_guard.models.base import TokenDistributions
from franq_guard.pipeline.forms import ShortForm
from franq_guard.pipeline.pipeline import Pipeline

OTHERS = ("tall", "old", "the", ".")


class LookedAtLM(WordLM):
    """At every token these words are the likeliest, each half as likely as the one before."""

    def __init__(self, **options):
        super().__init__(**options)
        self.looked = []

    def distributions(self, requests, *, top=10):
        self.looked.extend(requests)
        found = []
        for (_, tokens), scores in zip(requests, self.score(requests), strict=True):
            count = len(tokens.ids)
            found.append(
                TokenDistributions(
                    scores=scores,
                    entropies=-scores.log_probs,
                    top_texts=(OTHERS,) * count,
                    top_ids=np.tile(100 + np.arange(len(OTHERS)), (count, 1)),
                    top_log_probs=np.tile(np.log([0.4, 0.2, 0.1, 0.05]), (count, 1)),
                )
            )
        return found


def make_pipeline(model=None, **settings):
    return Pipeline(
        language_model=model or LookedAtLM(),
        aligner=Aligner(WordAligner()),
        extractor=RuleExtractor(),
        short_form=ShortForm(samples=4),
        **settings,
    )
