import pytest
import torch

from franq_guard.errors import ModelError
from franq_guard.runtime.memory import is_out_of_memory, run_within_memory

ERRORS = [
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB"),
    RuntimeError("[enforce fail at alloc_cpu.cpp:121] data. DefaultCPUAllocator: can't allocate memory"),
    RuntimeError("MPS backend out of memory"),
    MemoryError(),
]


class Memory:
    """Has room for so many requests at once."""

    def __init__(self, room, error):
        self.room, self.error, self.sizes = room, error, []

    def run(self, requests):
        self.sizes.append(len(requests))
        if len(requests) > self.room:
            raise self.error
        return [request * 2 for request in requests]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_batches_are_halved_until_they_fit(error):
    memory, shortages = Memory(3, error), []
    assert run_within_memory(memory.run, list(range(10)), lambda: shortages.append(1)) == list(
        range(0, 20, 2)
    )
    assert memory.sizes == [10, 5, 2, 3, 5, 2, 3]
    assert len(shortages) == 3


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_single_request_that_does_not_fit_says_what_to_do(error):
    memory = Memory(0, error)
    with pytest.raises(ModelError, match=r"single request.*smaller model"):
        run_within_memory(memory.run, [1, 2, 3])
    assert memory.sizes[-1] == 1


def test_other_errors_are_not_repeated():
    memory = Memory(0, RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    with pytest.raises(RuntimeError, match="mat1"):
        run_within_memory(memory.run, [1, 2, 3])
    assert memory.sizes == [3]
    assert not is_out_of_memory(ValueError("out of memory"))


def test_a_model_that_loses_requests_is_found_out():
    with pytest.raises(ModelError, match="1 results for 2 requests"):
        run_within_memory(lambda requests: requests[:1], [1, 2])
