"""A sink that keeps what it is given."""

import pytest
from places import ListSink, check


@pytest.fixture
def sink():
    return ListSink()


@pytest.fixture
def record(sink):
    check(sink)
    [found] = sink.records
    return found
