"""BookSim2's networks: every port is wired once, and every routing function reaches every node on the shortest way."""

import numpy as np
import pytest

from models.booksim.iq_state import INDEX_BITS, VC_BITS
from sim.booksim import mapping
from sim.booksim.parser import parse
from sim.booksim.router_mapping import plan as on_routers
from sim.booksim.router_wiring import Wiring, cube, fat_tree, fly, quad_tree, tree4
from sim.booksim.router_wiring_flat import concentrated_mesh, dragonfly, flattened_butterfly
from sim.booksim.settings import settings
from sim.packets import Packets

FLAT = "topology = flatfly; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2; num_vcs = 8; use_noc_latency = 0;"
CUBE = "k = 4; n = 2; use_noc_latency = 0; num_vcs ="
APART, PAIRS = 60, 300
OVERLOADED, FLITS = 12000, 8
MINIMAL = [
    f"topology = mesh; {CUBE} 4; routing_function = dor;",
    f"topology = mesh; {CUBE} 4; routing_function = romm;",
    f"topology = mesh; {CUBE} 4; routing_function = min_adapt;",
    f"topology = mesh; {CUBE} 4; routing_function = planar_adapt;",
    f"topology = mesh; {CUBE} 4; routing_function = adaptive_xy_yx;",
    f"topology = mesh; {CUBE} 4; routing_function = dim_order_pni;",
    f"topology = mesh; {CUBE} 16; routing_function = dim_order_ni;",
    f"topology = mesh; {CUBE} 32; routing_function = romm_ni;",
    f"topology = torus; {CUBE} 4; routing_function = dim_order;",
    f"topology = torus; {CUBE} 4; routing_function = dim_order_bal;",
    f"topology = torus; {CUBE} 4; routing_function = min_adapt;",
    f"topology = torus; {CUBE} 16; routing_function = dim_order_ni;",
    "topology = fly; k = 2; n = 4; num_vcs = 2; routing_function = dest_tag;",
    "topology = fattree; k = 2; n = 3; num_vcs = 2; routing_function = anca;",
    "topology = qtree; k = 4; n = 3; num_vcs = 2; routing_function = nca;",
    "topology = tree4; k = 4; n = 3; num_vcs = 2; routing_function = nca;",
    "topology = tree4; k = 4; n = 3; num_vcs = 2; routing_function = anca;",
    f"{FLAT} routing_function = ran_min;",
    f"{FLAT} routing_function = adaptive_xyyx;",
    f"{FLAT} routing_function = ugal;",
    f"{FLAT} routing_function = ugal_pni;",
    f"{FLAT} routing_function = ugal_xyyx;",
]
OTHERS = [
    f"topology = mesh; {CUBE} 4; routing_function = valiant;",
    f"topology = torus; {CUBE} 4; routing_function = valiant;",
    f"{FLAT} routing_function = valiant;",
    "topology = dragonflynew; k = 2; n = 1; num_vcs = 2; routing_function = min;",
    "topology = dragonflynew; k = 2; n = 1; num_vcs = 3; routing_function = ugal;",
]
"""With detours, or links of different lengths."""


@pytest.mark.parametrize(
    ("wiring", "nodes"),
    [
        (cube(3, 2, 1), 9),
        (fly(2, 4), 16),
        (fly(4, 1), 4),
        (fat_tree(2, 3), 8),
        (quad_tree(), 64),
        (tree4(), 64),
        (concentrated_mesh(4, True), 64),
        (flattened_butterfly(4, 2, 2, 4, True), 64),
        (flattened_butterfly(4, 1, 3, 2, True), 36),
        (dragonfly(2), 72),
    ],
)
def test_every_port_is_wired_once(wiring: Wiring, nodes):
    inputs = [(router, port) for _, _, router, port, _ in wiring.channels] + [each[:2] for each in wiring.nodes]
    outputs = [each[:2] for each in wiring.channels] + [each[2:4] for each in wiring.nodes]
    want = [(router, port) for router, ports in enumerate(wiring.ports) for port in range(ports)]
    assert sorted(inputs) == sorted(outputs) == want
    assert len(wiring.nodes) == nodes
    assert min(each[-1] for each in (*wiring.channels, *wiring.nodes)) >= 1


def test_cables_of_a_flattened_butterfly_are_as_long_as_on_the_chip():
    """Routers of 3×3 nodes: its outer nodes take as long as those next to it, its cables 3 cycles per router passed."""
    wiring = flattened_butterfly(4, 2, 3, 4, True)
    assert {each[-1] for each in wiring.nodes} == {1}
    cycles = {each[::2][:2]: each[-1] for each in wiring.channels}
    assert [cycles[0, other] for other in (1, 2, 3, 4, 8, 12)] == [3, 6, 9, 3, 6, 9]


def shortest(wiring: Wiring):
    """Return the routers on the shortest way from each router to each router."""
    count = len(wiring.ports)
    found = np.where(np.eye(count, dtype=bool), 1, count + 1)
    for one, _, other, _, _ in wiring.channels:
        found[one, other] = min(found[one, other], 2)
    for middle in range(count):
        found = np.minimum(found, found[:, [middle]] + found[[middle]] - 1)
    return found


@pytest.mark.parametrize("text", MINIMAL)
def test_lone_packets_take_the_shortest_way(text):
    """With each of BookSim2's routing functions that is minimal without traffic, in the time of its closed form."""
    asked = on_routers(settings(parse(text, "net.cfg")), "")
    network, wiring = asked.network(1), asked.wiring
    nodes = network.nodes
    rounds = np.arange(0, nodes * nodes, max(1, nodes * nodes // PAIRS | 1))
    source, destination = np.divmod(rounds, nodes)
    birth = APART * np.arange(len(rounds))
    network.offer(Packets(birth, source, destination, np.full(len(rounds), 2)))
    (got,) = network.advance(int(birth[-1]) + APART)
    assert (got.source == source).all()
    assert (got.destination == destination).all()
    assert (got.eject - got.birth + 2 == 3 + 4 * got.hops + got.hops - 1 + 1).all()
    ends = np.array(wiring.nodes)
    if "topology = mesh" in text:  # wired like a torus, whose links around are not used
        x, y = np.divmod(source, 4), np.divmod(destination, 4)
        assert (got.hops == 1 + abs(x[0] - y[0]) + abs(x[1] - y[1])).all()
    else:
        assert (got.hops == shortest(wiring)[ends[source, 0], ends[destination, 2]]).all()


@pytest.mark.parametrize(("topology", "mean"), [("mesh", 2.5), ("torus", 2.0)])
def test_lone_packets_go_by_a_drawn_node(topology, mean):
    """Twice the mean distance of two nodes, which is 1.25 or 1 in each of the two dimensions."""
    text = f"topology = {topology}; {CUBE} 4; routing_function = valiant;"
    network = on_routers(settings(parse(text, "net.cfg")), "").network(1)
    source, destination = np.divmod(np.arange(4 * 256) % 256, 16)
    birth = APART * np.arange(len(source))
    network.offer(Packets(birth, source, destination, np.full(len(source), 2)))
    (got,) = network.advance(int(birth[-1]) + APART)
    assert (got.destination == destination).all()
    assert (got.eject - got.birth + 2 == 3 + 4 * got.hops + got.hops - 1 + 1).all()
    assert got.hops.mean() == pytest.approx(1 + 2 * mean, abs=0.25)


def test_packets_turn_once_in_a_concentrated_mesh():
    """From corner to corner: along a row, then a column, on the lower VCs, or the other way round, on the upper ones.

    Routers are numbered along the rows; of those between, packets pass only routers at the edges.
    """
    text = "topology = cmesh; k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2; num_vcs = 4; use_noc_latency = 0;"
    network = on_routers(settings(parse(f"{text} routing_function = xy_yx_no_express;", "net.cfg")), "").network(1)
    birth = APART * np.arange(20)
    network.offer(Packets(birth, *(np.full(20, value) for value in (0, 63, 2))))
    (got,) = network.advance(20 * APART)
    assert got.hops.tolist() == [7] * 20
    sent = network._state.output_vc.tail_sent[: 16 * 8 * 4].reshape(16, 8, 4)[:, 4:]
    row, column = 0, 2  # directions
    along_row_first = [[0, row], [1, row], [2, row], [3, column], [7, column], [11, column]]
    along_column_first = [[0, column], [4, column], [8, column], [12, row], [13, row], [14, row]]
    assert np.argwhere(sent[..., :2].any(axis=2)).tolist() == along_row_first
    assert np.argwhere(sent[..., 2:].any(axis=2)).tolist() == along_column_first


def test_a_flit_has_room_for_its_numbers():
    assert VC_BITS + INDEX_BITS <= 63 - 30


def test_the_wiring_of_a_file_is_in_the_order_of_numbers(tmp_path):
    (tmp_path / "net").write_text("router 1 node 1 router 2 7\nrouter 0 node 0 node 2 router 2\nnode 3 router 2\n")
    text = f"topology = anynet; routing_function = min; network_file = {tmp_path / 'net'}; num_vcs = 2;"
    found = mapping.plan(settings(parse(text, "net.cfg")))
    assert found.wiring.ports == [3, 2, 3]
    assert found.wiring.channels == [(0, 2, 2, 1, 1), (1, 1, 2, 2, 7), (2, 1, 0, 2, 1), (2, 2, 1, 1, 1)]
    assert found.wiring.nodes == [(0, 0, 0, 0, 1), (1, 0, 1, 0, 1), (0, 1, 0, 1, 1), (2, 0, 2, 0, 1)]


@pytest.mark.parametrize("text", MINIMAL + OTHERS)
def test_overloaded_networks_do_not_stop(text):
    """Packets longer than the buffers hold VCs of several routers: without the classes of VCs, a cycle would close."""
    network = on_routers(settings(parse(f"{text} vc_buf_size = 2;", "net.cfg")), "").network(1)
    rng = np.random.default_rng(1)
    births = np.repeat(np.arange(0, OVERLOADED, FLITS), network.nodes)
    source = np.tile(np.arange(network.nodes), OVERLOADED // FLITS)
    destination = (source + 1 + rng.integers(0, network.nodes - 1, len(source))) % network.nodes
    network.offer(Packets(births, source, destination, np.full(len(source), FLITS)))
    arrived = [len(network.advance(end)[0].source) for end in np.linspace(200, OVERLOADED, 5, dtype=int).tolist()]
    assert min(arrived) > 0
