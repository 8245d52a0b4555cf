"""An engine compiled for its switches does what the ordinary one does (`make networks`: compiling takes minutes)."""

import os

import numpy as np
import pytest

from sim.config import load
from sim.simulation import build
from sim.traffic.stream import Stream

COMMON = ('topology.kind="torus"', "topology.radix=[4,4]", "traffic.load=0.4")
SWITCHES = {
    "computed": (
        'switch.routing="dimension_order"',
        "switch.vcs=4",
        "switch.stage_delay=1",
        "switch.hold_packets=true",
    ),
    "cached": (
        "cache.entries=8",
        "cam.entries=16",
        "switch.arbiter=matrix",
        'switch.buffering="static"',
        "switch.max_packet=4",
        'prediction.kind="latest"',
        "lpi.idle=20",
        "lpi.sleep=8",
        "lpi.wake=6",
    ),
}


@pytest.mark.skipif("TSUJI_SEEDS" not in os.environ, reason="compiles for minutes: make networks")
@pytest.mark.parametrize("name", SWITCHES)
def test_specialised_is_ordinary(name: str) -> None:
    """Every packet leaves in the same cycle, and every counter and link counted the same."""
    found = []
    for specialise in ("false", "true"):
        config = load(None, (*COMMON, *SWITCHES[name], f"run.specialise={specialise}"))
        network = build(config)
        packets = Stream(network.topology, config.pattern, config.arrivals, config.sizes, 0.4, 3).until(3000)
        network.offer(packets)
        gone = network.advance(4000)
        assert len(gone) > 3000
        columns = (gone.source, gone.destination, gone.birth, gone.enter, gone.eject, gone.hops)
        found.append([*columns, network.counters(), network.flits_sent()])
    for ordinary, specialised in zip(*found, strict=True):
        assert np.array_equal(ordinary, specialised)
