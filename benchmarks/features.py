"""CPU time of one flit-hop with each feature of a switch, divided by that of the plain switch.

`python -m benchmarks.features [NAME ...]`: on one core, generic engine, networks in turn, the least time of several
runs counts. Traffic is generated outside the measured time. `--beside DIR` also measures another clone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from benchmarks import engine
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
PLAIN, LOW_PLAIN = "plain", "plain, low load"


class Case(NamedTuple):
    """A network with one feature, and its load in flits per node and cycle."""

    settings: tuple[str, ...]
    load: float


CASES = {
    PLAIN: Case(COMPUTED, MIDDLE),
    LOW_PLAIN: Case(COMPUTED, LOW),
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
    # A clone from before the name was public has it with an underscore.
    advance = getattr(engine, "advance", None) or vars(engine)["_advance"]
    seconds, hops, _ = advance(network, config, rate, CYCLES[rate])
    return float(1e9 * seconds / hops)


def beside(root: Path, name: str, runs: int) -> float:
    """Return CPU nanoseconds of one flit-hop in another clone, which runs this file with packages of its own."""
    command = [sys.executable, __file__, name, "--runs", str(runs), "--alone"]
    environment = os.environ | {"PYTHONPATH": str(root.resolve())}
    done = subprocess.run(command, cwd=root.resolve(), env=environment, stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def alone(name: str, runs: int) -> float:
    """Return CPU nanoseconds of one flit-hop of a case."""
    case = CASES[name]
    config = load(None, (*COMMON, *case.settings))
    network = build(config)
    return min(_measured(network, config, case.load) for _ in range(1 + runs))


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.features", description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(CASES)}")
    arguments.add_argument("--runs", type=int, default=5, help="runs of each network")
    arguments.add_argument("--beside", type=Path, metavar="DIR", help="another clone, with the same environment")
    arguments.add_argument("--alone", action="store_true", help="print the figure of NAME alone")
    given = arguments.parse_args()
    if unknown := set(given.names) - CASES.keys():
        arguments.error(f"NAME = {', '.join(sorted(unknown))}: must be some of {', '.join(CASES)}")
    if given.runs < 1:
        arguments.error(f"--runs {given.runs}: must be at least 1")
    if given.beside and not (given.beside / "benchmarks" / "engine.py").exists():
        arguments.error(f"--beside {given.beside}: no clone of this project is there")
    if given.alone:
        if len(given.names) != 1:
            arguments.error("--alone: needs one NAME")
        print(alone(given.names[0], given.runs))
        return
    chosen = {name: case for name, case in CASES.items() if name in given.names or not given.names}
    chosen |= {name: CASES[name] for name in (PLAIN, LOW_PLAIN)}
    print(f"{'switch':26}  flits/node/cycle  ns/flit-hop  ÷ plain")
    for root in (None, given.beside) if given.beside else (None,):
        if root:
            print(root)
        least = _compared(chosen, given.runs) if root is None else {n: beside(root, n, given.runs) for n in chosen}
        for name, case in chosen.items():
            plain = least[PLAIN if case.load == MIDDLE else LOW_PLAIN]
            print(f"{name:26}  {case.load:16.2f}  {least[name]:11.1f}  {least[name] / plain:7.2f}")


def _compared(chosen: dict[str, Case], runs: int) -> dict[str, float]:
    """Return CPU nanoseconds of one flit-hop of each case; the networks take turns."""
    configs = {name: load(None, (*COMMON, *case.settings)) for name, case in chosen.items()}
    networks = {name: build(config) for name, config in configs.items()}
    found = {name: [_measured(network, configs[name], chosen[name].load)] for name, network in networks.items()}
    for _ in range(runs):
        for name, network in networks.items():
            found[name].append(_measured(network, configs[name], chosen[name].load))
    return {name: min(times) for name, times in found.items()}


if __name__ == "__main__":
    main()
