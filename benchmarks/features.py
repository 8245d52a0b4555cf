"""CPU time of one flit-hop with each feature of a switch, divided by that of the plain switch in the same form.

The form is 64 switches at a time, or one by one (`run.simd`): what a feature costs, apart from the form that it allows.
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
SINGLE, LOW_SINGLE = "plain, one by one", "plain, one by one, low load"
ONE_BY_ONE = ("run.simd=false",) if "simd" in Network.__init__.__annotations__ else ()  # unknown to an older clone


class Case(NamedTuple):
    """A network with one feature, and its load in flits per node and cycle."""

    settings: tuple[str, ...]
    load: float


CASES = {
    PLAIN: Case(COMPUTED, MIDDLE),
    LOW_PLAIN: Case(COMPUTED, LOW),
    SINGLE: Case((*COMPUTED, *ONE_BY_ONE), MIDDLE),
    LOW_SINGLE: Case((*COMPUTED, *ONE_BY_ONE), LOW),
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
    chosen |= {name: CASES[name] for name in (PLAIN, LOW_PLAIN, SINGLE, LOW_SINGLE)}
    print(f"{'switch':27}  flits/node/cycle  ns/flit-hop  ÷ plain  at a time")
    least, batched = _compared(chosen, given.runs)
    _show(chosen, least, batched)
    if given.beside:
        print(given.beside)
        _show(chosen, {name: beside(given.beside, name, given.runs) for name in chosen}, set())


def _show(chosen: dict[str, Case], least: dict[str, float], batched: set[str]) -> None:
    """Print the rows of one clone; `batched` are the cases in which 64 switches are advanced at a time."""
    for name, case in chosen.items():
        plain = (PLAIN, LOW_PLAIN) if name in batched else (SINGLE, LOW_SINGLE)
        ratio = least[name] / least[plain[case.load == LOW]]
        each = 64 if name in batched else 1
        print(f"{name:27}  {case.load:16.2f}  {least[name]:11.1f}  {ratio:7.2f}  {each:9}")


def _compared(chosen: dict[str, Case], runs: int) -> tuple[dict[str, float], set[str]]:
    """Return CPU nanoseconds of one flit-hop of each case, and those with batches; the networks take turns."""
    configs = {name: load(None, (*COMMON, *case.settings)) for name, case in chosen.items()}
    networks = {name: build(config) for name, config in configs.items()}
    found = {name: [_measured(network, configs[name], chosen[name].load)] for name, network in networks.items()}
    for _ in range(runs):
        for name, network in networks.items():
            found[name].append(_measured(network, configs[name], chosen[name].load))
    batched = {name for name, network in networks.items() if network.simd}
    return {name: min(times) for name, times in found.items()}, batched


if __name__ == "__main__":
    main()
