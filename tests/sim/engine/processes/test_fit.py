"""What several processes cannot advance is refused by name."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.config.workload import WorkloadParams
from sim.simulation import build
from sim.workload.network_executor import NetworkExecutor
from tests.sim.engine.processes.cases import BATCHED, COMPUTED


class Many:
    """Processes that nothing asks for more than their number."""

    rank = 0

    def __init__(self, size: int) -> None:
        self.size = size


@pytest.mark.parametrize(
    ("size", "settings", "message"),
    [
        (17, (), r"mpirun -n 17: .* has 16 switches; at most -n 16"),
        (
            5,
            (*BATCHED, "run.simd=true"),
            r"mpirun -n 5: .* 224 switches, advanced in batches of 64 of which none is divided .*; at most -n 4",
        ),
        (2, ("run.threads=2",), r'run.threads = 2: under mpirun, each process has one thread; use 1 or "auto"'),
        (
            2,
            (
                "link.latency=0",
                'prediction.kind="latest"',
                'switch.routing="table"',
                "cache.entries=16",
            ),
            r"mpirun -n 2: one process only with links of latency 0 .*; start it without mpirun, or with -n 1",
        ),
    ],
)
def test_it_is_refused(size: int, settings: tuple[str, ...], message: str) -> None:
    with pytest.raises(TsujiError, match=message):
        build(load(None, (*COMPUTED, *settings)), processes=Many(size))  # type: ignore[arg-type]


def test_threads_that_are_left_to_the_program_are_one() -> None:
    network = build(load(None, (*COMPUTED, 'run.threads="auto"')), processes=Many(2))  # type: ignore[arg-type]
    assert (network.threads, network.processes) == (1, 2)


def test_messages_of_ranks_are_refused() -> None:
    network = build(load(None, COMPUTED), processes=Many(2))  # type: ignore[arg-type]
    with pytest.raises(TsujiError, match=r"mpirun -n 2: one process only with messages of ranks; start it without"):
        NetworkExecutor(network, WorkloadParams(), np.arange(4))
