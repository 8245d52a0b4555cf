"""Runs of networks, in one process or in several under MPI; what they return must be the same.

`python -m tests.sim.engine.processes.cases FILE` runs all of them, under MPI, and writes what they return.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

from models.params import CamParams, LinkParams, SwitchParams
from models.readout import show_registers
from sim.config import load
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.engine.processes.launch import launched
from sim.engine.processes.processes import Processes
from sim.engine.stalls.stall import StalledError
from sim.packets import Delivered, Packets
from sim.simulation import build, simulate
from sim.traffic.stream import Stream
from tests.sim.engine.stalls.test_stall import AROUND, TORUS, one_class

SMALL = ('topology.kind="torus"', "topology.radix=[4,4]", "run.specialise=false")
COMPUTED = (*SMALL, 'switch.routing="dimension_order"', "switch.vcs=4")
CROSSBARS = (
    'topology.kind="hyper_crossbar"', "topology.radix=[4,3]", "switch.vcs=4", "run.specialise=false",
    'switch.routing="hyper_crossbar"', 'adaptive.kind="step"', "adaptive.lookahead=true", "adaptive.reservation=true",
)  # fmt: skip
BATCHED = (
    'topology.kind="torus"', "topology.radix=[14,16]", "run.specialise=false", 'switch.routing="dimension_order"',
    'switch.allocator="output_first"', "switch.vc_stage=true", "switch.hold_packets=false", "switch.vcs=4",
)  # fmt: skip
ONE_STEP = (
    'topology.kind="torus"', "topology.radix=[14,16]", "run.specialise=false", 'switch.routing="dimension_order"',
    "switch.vcs=4", "run.simd=true",
)  # fmt: skip
SHORT = (
    "measure.period=200", "measure.measure_periods=2", "measure.max_measure_periods=2", "measure.warmup_periods=1",
    "measure.max_warmup_periods=1",
)  # fmt: skip
PACKETS = {
    "torus": COMPUTED,
    "mesh, long links": (*COMPUTED, 'topology.kind="mesh"', "link.latency=7", "link.credit_latency=4"),
    "slow links, credits sooner": (*COMPUTED, "link.interval=3", "link.latency=5", "link.credit_latency=0"),
    "caches and predictors": (*SMALL, "cache.entries=16", "cam.entries=32", 'prediction.kind="latest"'),
    "asleep, woken by hints": (*COMPUTED, "lpi.sleep=5", "lpi.wake=9", "lpi.hints=2"),
    "adaptive": (*COMPUTED, 'adaptive.kind="escape"', "link.latency=3"),
    "looking ahead and reserving": CROSSBARS,
    "replies and windows": (*COMPUTED, "traffic.window=2", "traffic.reply_size=3", "link.node_latency=2"),
    "planes": (
        'topology.kind="hypercube"', "topology.dimensions=4", 'switch.routing="hypercube"', "run.specialise=false",
        "planes.count=2",
    ),
    "batched": (*BATCHED, "link.latency=3"),
    "batched, one step, asleep": (*ONE_STEP, "lpi.idle=3", "lpi.sleep=5", "lpi.wake=9", "link.latency=2"),
    "batched, slow links": (*BATCHED, "link.interval=2", "link.latency=5"),
}  # fmt: skip
FIGURES = {
    "power and utilisation": (
        *COMPUTED, *SHORT, "lpi.sleep=5", "lpi.wake=9", "power.chunk_ns=500", "measure.utilisation_interval=100",
        "link.latency=9",
    ),
    "a batch of packets": (*COMPUTED, *SHORT, 'measure.mode="batch"', "measure.batch_size=5", "link.latency=9"),
}  # fmt: skip


def packets_of(settings: tuple[str, ...], processes: Processes | None) -> list[Any]:
    """Return every packet, sorted, and every counter of a run in three calls, and what buffers hold in the middle."""
    config = load(None, settings)
    network = build(config, processes=processes)
    stream = Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.3, 3)
    gone = []
    held: list[Any] = []
    for cycles in (120, 77, 200):
        if cycles != 200:
            network.offer(stream.until(network.cycle + cycles))
        gone.append(network.advance(cycles))
        held += [_held(each) for each in (network.networks if isinstance(network, PlaneNetwork) else [network])]
    found = Delivered.join(gone)
    columns = np.stack([
        found.birth, found.source, found.destination, found.enter, found.eject, found.hops, found.size, found.origin,
        found.flight, found.lag,
    ])  # fmt: skip
    assert columns.shape[1] > 50
    columns = columns[:, np.lexsort(columns)]
    counted = [network.counters(), network.wakes(), network.flits_sent(), network.busy_cycles()]
    return [columns, *counted, network.flit_hops, network.in_flight, network.dropped, *held]


def _held(network: Network) -> np.ndarray:
    """Return the flits that each buffer holds, as the check for deadlocks sees them; afterwards all is as before."""
    engine = network._engine
    used = engine.switches.batch_vcs if engine.hooks.values.batched else engine.switches.credits
    before = used.copy()
    with network._call.whole(engine):
        show_registers(engine.switches)
        held: np.ndarray = np.array(engine.switches.vc["count"])
    assert np.array_equal(used, before)
    return held


def figures_of(settings: tuple[str, ...], processes: Processes | None) -> dict[str, Any]:
    """Return all figures of a run, but for its wall-clock seconds and the number of processes."""
    result = simulate(load(None, settings), processes=processes)
    document = result.document()
    assert document.pop("processes") == (processes.size if processes else 1)
    document["wall_s"] = None
    if result.utilisation is not None:
        document["utilisation by link"] = result.utilisation.frame().to_dict()
    return document


def far_apart(processes: Processes | None) -> list[Any]:
    """Return when packets leave that are born far apart: time jumps where nothing is due."""
    network = build(load(None, (*COMPUTED, "link.latency=9")), processes=processes)
    births = np.array([0, 1, 70_000, 70_003, 700_000])
    network.offer(Packets(births, np.array([0, 3, 7, 7, 15]), np.array([15, 12, 12, 0, 1]), np.full(5, 4)))
    gone = network.advance(1 << 20)
    return [gone.source, gone.enter, gone.eject]


def deadlock(processes: Processes | None) -> list[Any]:
    """Return the message of a deadlock."""
    params = SwitchParams(ports=TORUS.ports, cam=CamParams(entries=16), vcs=1)
    network = Network(params, LinkParams(), TORUS, one_class(1), processes=processes)
    network.offer(Packets(np.zeros(4, np.int64), AROUND, (AROUND + 2) % 4, np.full(4, 200)))
    message = ""
    try:
        for _ in range(20):
            network.advance(500)
    except StalledError as error:
        message = str(error)
    return [message]


def names() -> list[str]:
    """Return the names of all cases."""
    return [*PACKETS, *FIGURES, "far apart", "deadlock"]


def run(name: str, processes: Processes | None = None) -> Any:
    """Run a case."""
    if name in PACKETS:
        return packets_of(PACKETS[name], processes)
    if name in FIGURES:
        return figures_of(FIGURES[name], processes)
    return (far_apart if name == "far apart" else deadlock)(processes)


def main() -> None:
    """Run all cases under MPI; the first process writes what they return."""
    launch = launched()
    assert launch is not None
    processes = launch.join()
    found = {name: run(name, processes) for name in names() if launch.size < 4 or "batched" not in name}
    if processes.rank == 0:
        Path(sys.argv[1]).write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main()
