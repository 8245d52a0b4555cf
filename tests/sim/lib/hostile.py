"""Hostile arrays for every public function that takes any: run as a program, as a fault may end the process.

Every argument is either refused with a TsujiError, or the function works as before.
"""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.errors import TsujiError
from models.params import AdaptiveParams, CamParams, LinkParams, SwitchParams
from models.params.planes import PlaneParams
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.packets import Packets
from sim.routing.adaptive import with_choices
from sim.routing.dimension_order import DimensionOrder
from sim.topology.torus import grid
from sim.traffic.closed_loop import ClosedLoop

TOPOLOGY = grid((4, 4), wrap=True)
TABLES = DimensionOrder().tables(TOPOLOGY, 4)
PARAMS = SwitchParams(ports=TOPOLOGY.ports, vcs=4, depth=4, routing="linear", table_entries=16)
LOOKS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)

NASTY = st.sampled_from([-(2**63), -3, -1, 0, 1, 15, 16, 17, 99, 2**31, 2**32, 2**62, 2**63 - 1, 2**64 - 1, 2**70])
NUMBER = st.one_of(NASTY, st.integers(0, 15), st.floats(), st.booleans(), st.text(max_size=2), st.none())
ARRAY = st.one_of(
    st.lists(NUMBER, max_size=4),
    st.lists(st.integers(0, 15), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(0, 3), max_size=2), max_size=2),
    NUMBER,
    st.just(np.zeros((2, 2), np.int64)),
    st.just(np.array([1.5, np.nan])),
    st.just(np.array([1, 2], np.uint8)),
)


def adaptive():
    params = PARAMS.model_copy(update={"vcs": 5, "adaptive": AdaptiveParams(escape_vcs=4)})
    return Network(params, LinkParams(), TOPOLOGY, with_choices(TOPOLOGY, TABLES, params))


def cached():
    params = SwitchParams(ports=TOPOLOGY.ports, vcs=4, depth=4, cam=CamParams(entries=16))
    return Network(params, LinkParams(), TOPOLOGY, TABLES)


def computed():
    params = SwitchParams(ports=5, vcs=4, depth=4, routing="dimension_order", radix=(4, 4), wrap=True, ties="random")
    topology = TOPOLOGY.with_addresses(TOPOLOGY.coordinate_tags)
    return Network(params, LinkParams(), topology, None, loop=ClosedLoop(reply_size=2, window=2))


def planes():
    return PlaneNetwork(PlaneParams(bits=4, planes=((), ())), [network(), network()])


def network():
    return Network(PARAMS, LinkParams(), TOPOLOGY, TABLES)


KINDS = {"linear": network, "adaptive": adaptive, "cached": cached, "computed": computed, "planes": planes}


def still_works(net):
    """Assert that a packet offered after a refusal arrives, and so do all others that were accepted."""
    birth = max(net.cycle, 1 << 30)
    one = Packets(*(np.array([value]) for value in (birth, 3, 12, 2)))
    net.offer(one)
    arrived = []
    while net.in_flight:
        got = net.advance(1 << 31)
        arrived += zip(got.source, got.destination, got.size, strict=True)
    assert (3, 12, 2) in arrived[-2:]  # a reply may come behind it


@LOOKS
@given(st.sampled_from(sorted(KINDS)), ARRAY, ARRAY, ARRAY, ARRAY)
def offer(kind, birth, source, destination, size):
    net = KINDS[kind]()
    try:
        net.offer(Packets(birth, source, destination, size))
    except TsujiError:
        assert net.in_flight == 0
    if not net.in_flight or np.max(np.asarray(birth)) < 1 << 30:
        still_works(net)


@LOOKS
@given(ARRAY, NUMBER, NUMBER)
def watch(switches, begin, end):
    net = network()
    try:
        net.watch_buffers(switches, begin, end)
    except TsujiError:
        still_works(net)


@LOOKS
@given(NUMBER)
def advance(cycles):
    net = network()
    try:
        net.advance(cycles)
    except TsujiError:
        assert net.cycle == 0


@LOOKS
@given(st.sampled_from(["out", "vc_first", "vc_last", "choices", "found", "groups"]), st.integers(0, 255), NUMBER)
def tables(name, place, value):
    from dataclasses import replace

    array = getattr(TABLES, name)
    array = np.zeros(TABLES.out.shape, object) if array is None else array.astype(object)
    array.flat[place % array.size] = value
    try:
        net = Network(PARAMS, LinkParams(), TOPOLOGY, replace(TABLES, **{name: array}))
    except TsujiError:
        return
    net.offer(Packets(np.zeros(16, np.int64), np.arange(16), np.arange(16)[::-1].copy(), np.ones(16, np.int64)))
    net.advance(2000)


@LOOKS
@given(
    st.sampled_from(
        ["peer_switch", "peer_port", "node_switch", "node_port", "addresses", "link_latency", "link_interval"]
    ),
    st.integers(0, 255),
    NUMBER,
)
def topology(name, place, value):
    from dataclasses import replace

    array = getattr(TOPOLOGY, name).astype(object)
    array.flat[place % array.size] = value
    try:
        changed = replace(TOPOLOGY, **{name: array})
        changed.distances(0)
        net = Network(PARAMS, LinkParams(), changed, TABLES)
    except TsujiError:
        return
    net.offer(Packets(np.zeros(16, np.int64), np.arange(16), np.arange(16)[::-1].copy(), np.ones(16, np.int64)))
    net.advance(100)


if __name__ == "__main__":
    for check in offer, watch, advance, tables, topology:
        check()
    print("unharmed")
