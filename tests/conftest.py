"""Shared by all tests."""

import os

from hypothesis import settings

# Unit tests run with sockets blocked; libraries must not even try.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

# A busy machine must not fail a property test.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
