"""Shared by all tests."""

import os

# Unit tests run with sockets blocked; libraries must not even try.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
