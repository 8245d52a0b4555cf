"""CPU time of one flit-hop with each feature of a switch, divided by that of the plain switch.

`python -m benchmarks.features [NAME ...]`: on one core, generic engine, networks in turn, the least time of several
runs counts. Traffic is generated outside the measured time.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

from benchmarks.engine import advance
from sim.config import Config, load
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.simulation import build

LOW, MIDDLE = 0.02, 0.2
TORUS = ('topology.kind="torus"', "topology.radix=[8,8]")
TABLE = (*TORUS, "cam.entries=64")
COMPUTED = (*TORUS, 'switch.routing="dimension_order"')
CACHED = (*TABLE, "cache.entries=2048", "cache.ways=4")
COMMON = (
    "switch.vcs=4",
    "switch.depth=8",
    'traffic.pattern="uniform"',
    "traffic.packet_size=4",
    "run.specialise=false",
)
PLAIN = "plain"


class Case(NamedTuple):
    """A network with one feature, and its load in flits per node and cycle."""

    settings: tuple[str, ...]
    load: float


CASES = {
    PLAIN: Case(COMPUTED, MIDDLE),
    "plain, low load": Case(COMPUTED, LOW),
    "low-power idle, low load": Case((*COMPUTED, "lpi.idle=100", "lpi.sleep=10", "lpi.wake=20"), LOW),
    "low-power idle": Case((*COMPUTED, "lpi.idle=100", "lpi.sleep=10", "lpi.wake=20"), MIDDLE),
    "route cache": Case(CACHED, MIDDLE),
    "CAM without cache, low load": Case((*TABLE, "cache.entries=0"), LOW),  # it accepts less than 0.04
    "adaptive": Case((*COMPUTED, 'adaptive.kind="escape"'), MIDDLE),
    "prediction": Case((*COMPUTED, 'prediction.kind="static"'), MIDDLE),
    "hyper-crossbar": Case(
        ('topology.kind="hyper_crossbar"', "topology.radix=[8,8]", 'switch.routing="hyper_crossbar"'), MIDDLE
    ),
}
CYCLES = {LOW: 40_000, MIDDLE: 5_000}


def _measured(network: Network | PlaneNetwork, config: Config, rate: float) -> float:
    """Return CPU nanoseconds of one flit-hop."""
    seconds, hops, _ = advance(network, config, rate, CYCLES[rate])
    return 1e9 * seconds / hops


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.features", description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(CASES)}")
    arguments.add_argument("--runs", type=int, default=5, help="runs of each network")
    given = arguments.parse_args()
    chosen = {name: case for name, case in CASES.items() if name in given.names or not given.names}
    chosen |= {name: CASES[name] for name in (PLAIN, "plain, low load")}
    configs = {name: load(None, (*COMMON, *case.settings)) for name, case in chosen.items()}
    networks = {name: build(config) for name, config in configs.items()}
    least = {name: float("inf") for name in chosen}
    for name, network in networks.items():
        _measured(network, configs[name], chosen[name].load)
    for _ in range(given.runs):
        for name, network in networks.items():
            least[name] = min(least[name], _measured(network, configs[name], chosen[name].load))
    print(f"{'switch':26}  flits/node/cycle  ns/flit-hop  ÷ plain")
    for name, case in chosen.items():
        plain = least[PLAIN if case.load == MIDDLE else "plain, low load"]
        print(f"{name:26}  {case.load:16.2f}  {least[name]:11.1f}  {least[name] / plain:7.2f}")


if __name__ == "__main__":
    main()
