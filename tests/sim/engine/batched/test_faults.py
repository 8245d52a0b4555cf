"""Faults at the interface of batches and network must show: comparison with the same switches one by one."""

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.mutation.python_fault import Fault, faulty_copy, one_a_file
from synth.mutated import run_in

PROGRAM = """
import numpy as np
from models.params import LinkParams, SwitchParams
from sim.engine.network import Network
from sim.packets import Packets
from sim.engine.stalls.stall import StalledError
from sim.topology.torus import grid
from sim.traffic.closed_loop import ClosedLoop

topology = grid((3, 2), wrap=True)
topology = topology.with_addresses(topology.coordinate_tags)
params = SwitchParams(
    ports=topology.ports, vcs=2, depth=2, routing="dimension_order", radix=(3, 2), wrap=True,
    allocator="output_first", vc_stage=True, hold_packets=False,
)
rng = np.random.default_rng(5)
birth = np.sort(rng.integers(0, 120, 150))
source = rng.integers(0, 6, 150)
packets = Packets(birth, source, (source + rng.integers(0, 6, 150)) % 6, rng.integers(1, 4, 150))
runs = []
for batched in False, True:
    try:
        with np.errstate(over="ignore"):
            network = Network(params, LinkParams(), topology, None, log=4000, simd=batched)
            network.offer(packets)
            network.advance(400)
        log = sorted(map(tuple, network.log))
        runs.append((log, network.dropped, network.flit_hops))
    except (AssertionError, IndexError, StalledError, ValueError) as error:
        assert batched, error
        runs.append(None)
print(runs[0] != runs[1], len(runs[0][0]), runs[0][1])
"""
FAULTS = {
    "none": None,
    "no head goes on": Fault("models.batched.crossbar.list_leaving", "~", "drop operator"),
    "a tail that goes on is given to a node": Fault(
        "models.batched.crossbar.list_leaving", "&", "keep left", which=(4, 5)
    ),
    "a body that goes on is given to a node": Fault(
        "models.batched.crossbar.list_bodies", "&", "keep left", which=(2, 4)
    ),
    "who is drained is not seen": Fault("sim.engine.batched.links.on_batch_move", "|", "keep left"),
    "no output leads to a node": Fault("sim.engine.batched.bundle_search._nodes", "=", "drop statement", which=(2, 2)),
    "a node gives no credit back": Fault("sim.engine.batched.bundles.carry", "if else", "set condition", True),
}


def test_every_fault_follows_its_source():
    for fault in filter(None, FAULTS.values()):
        fault.source()


@pytest.mark.parametrize("name", tiered(FAULTS, one_a_file(FAULTS)))  # `make faults` runs all
def test_a_fault_shows(name, monkeypatch):
    """Runs as plain Python, in which functions are looked up by name; one run without a fault, for comparison."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with faulty_copy(FAULTS[name]) as folder:
        told = run_in(folder, name, ["-c", PROGRAM]).split()
    if FAULTS[name] is None:
        assert told[0] == "False"
        assert int(told[1]) > 300
        assert int(told[2]) > 0
    else:
        assert told[0] == "True", f"{FAULTS[name]} went unnoticed"
