"""Virtual cut-through by message length: the V of static buffering (paper E, figure 3)."""

import numpy as np
import pytest

from sim.config import load
from sim.simulation import build
from sim.traffic.stream import Stream

BUFFER = 40
LENGTHS = {"half": 20, "past half": 24, "three quarters": 30, "most": 36, "all": 40}  # of a buffer, flits


def received(buffering, size):
    """Return the flits/node/cycle that nodes of a hyper-crossbar receive if all of them always have packets to send."""
    config = load(
        None,
        [
            "topology.kind=hyper_crossbar",
            "topology.radix=[4,4,8]",
            "switch.routing=hyper_crossbar",
            "switch.vcs=1",
            f"switch.buffering={buffering}",
            f"switch.depth={BUFFER}",
            f"switch.max_packet={size}",
            "link.latency=0",
            "traffic.load=1",
            f"traffic.packet_size={size}",
            "run.specialise=false",
        ],
    )
    network = build(config)
    network.offer(Stream(network.topology, config.pattern, config.arrivals, config.sizes, 1.0, 1).until(5000))
    network.advance(1000)
    return network.advance(4000).flits / 4000 / network.topology.nodes


@pytest.fixture(scope="module")
def throughput():
    """By buffering, and share of the buffer that a message fills."""
    return {
        buffering: {share: received(buffering, size) for share, size in LENGTHS.items()}
        for buffering in ("static", "dynamic")
    }


def test_static_falls_past_half_a_buffer_and_recovers_where_messages_fill_it(throughput):
    """A message that enters behind another is stored whole, unless there is room for only one message."""
    static = throughput["static"]
    shares = list(static.values())
    assert shares[0] > shares[1] > shares[2] > shares[3]
    lowest = min(shares)
    assert static["half"] > 1.25 * lowest
    assert static["all"] > 1.1 * lowest


def test_dynamic_has_no_v(throughput):
    """If messages fill the buffer, both are equal except for refused heads; with shorter messages dynamic is better."""
    static, dynamic = throughput["static"], throughput["dynamic"]
    assert (np.diff(list(dynamic.values())) < 0.01).all()
    assert all(dynamic[share] > 1.1 * static[share] for share in ("past half", "three quarters", "most"))
