"""Speed of the compiled engine: flit-hops and cycles per CPU second, on one core.

A flit-hop is a flit sent over a link between switches. Loads are shares of the saturation throughput, which is measured
first: the highest load that is accepted. Traffic is generated outside the measured time.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace

from sim.config import Config, load
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.simulation import build
from sim.traffic.stream import Stream

SHARES = (0.1, 0.4)
STEP = 0.02
DIMENSION_ORDER = ('switch.routing="dimension_order"',)
CACHED = ("cache.entries=2048", "cache.ways=4", "cam.entries=1024", "run.specialise=false")
COMPUTED = (*DIMENSION_ORDER, "run.specialise=false")
SPECIALISED = (*DIMENSION_ORDER, "run.specialise=true")
NETWORKS = (
    ("8×8 torus, computed", [8, 8], COMPUTED, 50_000),
    ("8×8 torus, cached", [8, 8], CACHED, 50_000),
    ("32×32 torus, computed", [32, 32], COMPUTED, 3_000),
    ("8×8 torus, specialised", [8, 8], SPECIALISED, 50_000),
    ("32×32 torus, specialised", [32, 32], SPECIALISED, 3_000),
)


@dataclass(frozen=True)
class Speed:
    """One measurement."""

    network: str
    share: float
    load: float
    flit_hops_per_s: float
    cycles_per_s: float


def _config(radix: list[int], routes: tuple[str, ...]) -> Config:
    options = (
        *routes,
        'topology.kind="torus"',
        f"topology.radix={radix}",
        "switch.vcs=4",
        "switch.depth=8",
        'traffic.pattern="uniform"',
        "traffic.packet_size=4",
    )
    return load(None, options)


def advance(network: Network | PlaneNetwork, config: Config, rate: float, cycles: int) -> tuple[float, int, int]:
    """Return (CPU seconds, flit-hops, flits delivered) of `cycles` more cycles at a load of `rate`."""
    packets = Stream(network.topology, config.pattern, config.arrivals, config.sizes, rate, 1).until(cycles)
    network.offer(replace(packets, birth=packets.birth + network.cycle))
    hops = network.flit_hops
    start = time.process_time()
    delivered = network.advance(cycles)
    return time.process_time() - start, network.flit_hops - hops, delivered.flits


def _saturation(config: Config, warm: int, cycles: int) -> float:
    """Return the highest load, flits/node/cycle, of which 95 % is accepted; each load continues the previous run."""
    network = build(config)
    advance(network, config, 0.05, warm)
    rate = 0.0
    while True:
        delivered = advance(network, config, rate + STEP, cycles)[2]
        if delivered / network.topology.nodes / cycles < 0.95 * (rate + STEP):
            return rate
        rate += STEP


def measure(name: str, radix: list[int], routes: tuple[str, ...], warm: int) -> list[Speed]:
    """Return the speeds of one network at each share of its saturation, each after `warm` cycles."""
    config = _config(radix, routes)
    cycles = 2_000_000 // (radix[0] * radix[1])
    full = _saturation(config, warm, cycles)
    speeds = []
    for share in SHARES:
        network = build(config)
        advance(network, config, 0.1, warm)
        advance(network, config, share * full, cycles)
        seconds, hops, _ = advance(network, config, share * full, cycles)
        speeds.append(Speed(name, share, share * full, hops / seconds, cycles / seconds))
    return speeds


def main() -> list[dict[str, object]]:
    """Print the table; return its rows."""
    print("network                    of saturation  flits/node/cycle  Mflit-hops/s  cycles/s")
    rows = []
    for network in NETWORKS:
        for speed in measure(*network):
            print(
                f"{speed.network:25}  {speed.share:13.0%}  {speed.load:16.3f}  {speed.flit_hops_per_s / 1e6:12.2f}"
                f"  {speed.cycles_per_s:8,.0f}"
            )
            rows.append(asdict(speed))
    return rows
