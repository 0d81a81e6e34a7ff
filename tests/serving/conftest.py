"""A real service on 127.0.0.1."""

from contextlib import ExitStack

import httpx
import pytest
from fakes import WordAligner, make_guard

from franq_guard.serving.alignment import OfferedAlignment
from franq_guard.serving.app import create_app
from franq_guard.serving.settings import ServiceSettings
from tests.serving.service import running


@pytest.fixture
def serve():
    """Starts services; they end with the test. Takes a guard, an alignment model and limits."""
    with ExitStack() as stack:

        def start(guard=None, *, aligner=None, reading="sentences", local_only=True, **limits):
            offered = OfferedAlignment(aligner or WordAligner(), reading)
            app = create_app(
                guard or make_guard(),
                alignment=lambda: offered,
                settings=ServiceSettings(**limits),
                local_only=local_only,
            )
            url = stack.enter_context(running(app))
            return stack.enter_context(httpx.Client(base_url=url, trust_env=False))

        yield start
