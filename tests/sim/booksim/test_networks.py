"""Other topologies of BookSim2: latencies between all nodes equal the cycles of its routers and channels."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.booksim import mapping
from sim.booksim.parser import parse, read
from sim.booksim.settings import settings
from sim.packets import Packets

SWITCH = "routing_delay = 0; num_vcs = 4; vc_buf_size = 300;"
CMESH = "topology = cmesh; routing_function = dor_no_express; n = 2; c = 4; xr = 2; yr = 2;"
FLATFLY = "topology = flatfly; routing_function = ran_min;"
TREE = "topology = fattree; routing_function = nca;"
DRAGONFLY = "topology = dragonflynew; routing_function = min; n = 1;"
HOP = 3  # cycles of a router
APART = 500


def plan(text):
    return mapping.on_our_switches(settings(parse(SWITCH + text, "net.cfg")))


def refused(text):
    with pytest.raises(TsujiError) as error:
        plan(text)
    return str(error.value)


def times(found, flits=2):
    """Return the latency of a lone packet between all of BookSim2's nodes, and the number of its routers."""
    network = found.build()
    nodes = network.topology.nodes
    ours = np.array(found.pattern.order or range(nodes))
    source, destination = np.divmod(np.arange(nodes * nodes), nodes)
    birth = APART * np.arange(nodes * nodes)
    network.offer(Packets(birth, ours[source], ours[destination], np.full(len(birth), flits)))
    got = network.advance(int(birth[-1]) + APART)
    assert (got.birth == birth).all()
    latency = got.eject - got.birth + 2  # injection and ejection channel
    return latency.reshape(nodes, nodes) - (flits - 1), got.hops.reshape(nodes, nodes)


def places(nodes, columns, side):
    """Return column and row of the router of each node of a grid."""
    y, x = np.divmod(np.arange(nodes), columns * side)
    return x // side, y // side


@pytest.mark.parametrize(("noc", "link"), [(0, 1), (1, 2)])
@pytest.mark.parametrize("k", [2, 4])
def test_a_concentrated_mesh(k, noc, link):
    latency, hops = times(plan(f"{CMESH} k = {k}; x = {k}; y = {k}; use_noc_latency = {noc};"))
    x, y = places(4 * k * k, k, 2)
    far = np.abs(x[:, None] - x) + np.abs(y[:, None] - y)
    assert (hops == 1 + far).all()
    assert (latency == 3 + HOP * (1 + far) + link * far).all()


@pytest.mark.parametrize(
    ("k", "n", "side", "rows"), [(4, 2, 2, 4), (3, 2, 1, 3), (3, 2, 3, 3), (2, 4, 2, 4)], ids=lambda value: str(value)
)
@pytest.mark.parametrize("noc", [0, 1])
def test_a_flattened_butterfly(k, n, side, rows, noc):
    """One router per digit; the length of a cable is the distance of its routers' places."""
    sizes = f"k = {k}; n = {n}; c = {side * side}; xr = {side}; yr = {side}; x = {rows}; y = {rows};"
    latency, hops = times(plan(f"{FLATFLY} {sizes} use_noc_latency = {noc};"))
    x, y = places(k**n * side * side, rows, side)
    router = y * rows + x
    digits = router[:, None] // k ** np.arange(n) % k
    differ = digits[:, None] != digits
    want = HOP * (1 + differ.sum(axis=2))
    steps = np.abs(digits[:, None] - digits) @ (side * k ** (np.arange(n) % (n // 2)))
    assert (hops == 1 + differ.sum(axis=2)).all()
    assert (latency == 3 + want + (steps if noc else differ.sum(axis=2))).all()


def test_routers_of_a_flattened_butterfly_in_an_odd_number_of_dimensions():
    latency, hops = times(plan(f"{FLATFLY} k = 4; n = 3; x = 8; y = 8; use_noc_latency = 0;"))
    digits = np.arange(64)[:, None] // 4 ** np.arange(3) % 4
    differ = (digits[:, None] != digits).sum(axis=2)
    assert (hops == 1 + differ).all()
    assert (latency == 3 + HOP * hops + differ).all()


@pytest.mark.parametrize(("k", "n"), [(4, 2), (2, 4), (3, 3)])
def test_a_fat_tree(k, n):
    found = plan(f"{TREE} k = {k}; n = {n};")
    latency, hops = times(found)
    node = np.arange(k**n)
    levels = sum((node[:, None] // k**d != node // k**d).astype(int) for d in range(1, n))
    assert found.config.routing.paths == k ** (n - 1)
    assert (hops == 1 + 2 * levels).all()
    assert (latency == 3 + HOP * hops + 2 * levels).all()


@pytest.mark.parametrize(
    ("text", "topology"),
    [
        ("topology = mesh; routing_function = xy_yx; k = 2;", "mesh"),
        ("topology = mesh; routing_function = xy_yx; k = 4;", "mesh"),
        (CMESH.replace("dor", "xy_yx") + "k = 4; x = 4; y = 4;", "mesh"),
        (FLATFLY.replace("ran_min", "xyyx") + "k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2;", "hyperx"),
    ],
)
def test_an_order_of_dimensions_for_each_packet(text, topology):
    """The paths differ, their lengths do not."""
    turns = plan(text)
    straight = plan(text.replace("xy_yx", "dor").replace("dor_no", "dor_no").replace("xyyx", "ran_min"))
    assert (turns.config.routing.kind, turns.config.topology.kind) == ("o1turn", topology)
    for one, other in zip(times(turns), times(straight), strict=True):
        assert (one == other).all()


def test_a_large_fat_tree_has_fewer_ways():
    found = plan(f"{TREE} k = 8; n = 4;")
    assert found.config.routing.paths == 8
    assert found.notes == ("of 512 ways up a packet has 8 to draw from",)
    assert plan(f"{TREE} k = 2; n = 12;").config.routing.paths == 2


def test_one_router():
    latency, hops = times(plan("topology = fly; routing_function = dest_tag; k = 10; n = 1;"))
    assert (hops == 1).all()
    assert (latency == 3 + HOP).all()


def test_a_dragonfly():
    """Groups of 4 routers with 2 nodes each; a cable to another group is at router (its number among them) // 2."""
    latency, hops = times(plan(f"{DRAGONFLY} k = 2;"))
    for source in range(72):
        for destination in range(72):
            (group, router), (there, end) = divmod(source // 2, 4), divmod(destination // 2, 4)
            cycles, count, at = 0, 1, router
            if group != there:
                exit_, entry = (there - (there > group)) // 2, (group - (group > there)) // 2
                count += 1 + (at != exit_)
                cycles += 100 + 10 * (at != exit_)
                at = entry
            count += at != end
            cycles += 10 * (at != end)
            assert hops[source, destination] == count
            assert latency[source, destination] == 3 + HOP * count + cycles


def test_a_dragonfly_s_vcs():
    """VC 0 in the first of two groups, then VC 1; VC 0 all the way if there is only one group."""
    found = plan(f"{DRAGONFLY} k = 2;")
    topology = found.config.topology.build()
    tables = found.routes(topology, 4)
    group = topology.coordinates[:, 0]
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            switch, between = topology.node_switch[source], False
            alone = group[switch] == group[topology.node_switch[destination]]
            column = 2 * destination + alone
            assert tables.groups[source] == group[switch]
            while True:
                port = tables.out[switch, column]
                onward = topology.peer_switch[switch, port]
                between |= onward >= 0 and group[onward] != group[switch]
                wanted = 1 if between else 0
                assert tables.found[switch, column]
                assert tables.vc_first[switch, column] == tables.vc_last[switch, column] == wanted
                if onward < 0:
                    assert topology.port_node[switch, port] == destination
                    break
                switch = onward


ANYNET = """router 0 node 1 node 3 router 1 2 router 2 5
router 1 node 0 router 0 2
node 2 router 2
router 2 router 0 5 router 1
"""


@pytest.fixture
def anynet(tmp_path):
    """Return a function that makes a plan from a network's text."""

    def make(text):
        (tmp_path / "net.txt").write_text(text)
        (tmp_path / "any.cfg").write_text(
            f"topology = anynet; routing_function = min;\nnetwork_file = net.txt; {SWITCH}"
        )
        return mapping.on_our_switches(settings(read(tmp_path / "any.cfg")))

    return make


def test_a_network_of_a_file(anynet):
    """From router 0 to 2 by way of 1: 3 cycles and a router more instead of 5."""
    latency, hops = times(anynet(ANYNET))
    at = [1, 0, 2, 0]
    cycles = np.array([[0, 2, 3], [2, 0, 1], [3, 1, 0]])[at][:, at]
    routers = np.array([[1, 2, 3], [2, 1, 2], [3, 2, 1]])[at][:, at]
    assert (hops == routers).all()
    assert (latency == 3 + HOP * routers + cycles).all()


def test_of_ways_as_short_it_takes_booksims(anynet):
    """A square: the opposite router is reached through the neighbour with the lower number."""
    square = "router 0 node 0 router 1 router 3\nrouter 1 node 1 router 2\nrouter 2 node 2 router 3\nrouter 3 node 3\n"
    found = anynet(square)
    topology = found.config.topology.build()
    out = found.routes(topology, 4).out
    by = [[int(topology.peer_switch[switch, out[switch, node]]) for node in range(4)] for switch in range(4)]
    assert (by[0][2], by[1][3], by[2][0], by[3][1]) == (1, 0, 1, 0)


def test_a_network_that_can_deadlock_runs_with_a_warning(anynet):
    ring = "".join(f"router {r} node {r} router {(r + 1) % 6}\n" for r in range(6))
    with pytest.warns(UserWarning, match="these routes can deadlock"):
        anynet(ring).build()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("router 0 node 0\nrouter 1 node 2 router 0\n", "net.txt: node 1 is missing; they are numbered from 0"),
        ("router 0 node 0\nrouter 2 node 1 router 0\n", "net.txt: router 1 is missing"),
        ("router 0 node 0\n\nswitch 1 node 1\n", "net.txt:3: switch 1: must be router or node, and its number"),
        ("router 0 node\n", "net.txt:1: node : must be router or node, and its number"),
        ("router 0 node 0 router 1 fast\n", "net.txt:1: fast: must be router, node or the cycles of a link"),
        ("node 0\n", "net.txt:1: node 0: must be router or node, its number, and what it is wired to"),
        ("router 0 node ²\n", "net.txt:1: node ²: must be router or node, and its number"),
        ("router 0 router 1 2000\n", "net.txt:1: router 0 router 1 2000: must be 1 to 1023 cycles"),
        ("router 0 node 0 router 1\nrouter 2 node 1 router 3\n", "net.txt: router 2: no way from router 0"),
        ("router 0 node 0 router 1\nrouter 2 node 1\n", "net.txt: router 2: no way from router 0"),
        ("router 0 router 1 " + " ".join(f"node {n}" for n in range(61)), "router 0: 1 links and 61 nodes; at most 60"),
        ("node 0 node 1\n", "net.txt:1: node 0 node 1: a node is wired to a router"),
        ("router 0 node 0 3\n", "net.txt: node 0: 3 cycles to its router; must be 1 on our own switch"),
        ("router 0 node 0\nnode 0 router 1\n", "net.txt:2: node 0: wired to router 1 and router 0"),
        ("router 0 router 0\n", "net.txt:1: router 0: a link to itself"),
        ("router 0 router 1 0\n", "net.txt:1: router 0 router 1 0: must be 1 to 1023 cycles"),
        (
            "router 0 node 0 router 1 5\nrouter 1 node 1\n",
            "net.txt:1: router 0 to router 1 takes 5 cycles, the way back",
        ),
        ("router 0 node 0\n", "net.txt: no two routers are wired; must be at least 2"),
    ],
)
def test_files_that_are_refused(anynet, text, message):
    with pytest.raises(TsujiError) as error:
        anynet(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{CMESH} k = 4; x = 4; y = 3;", "y = 3: must be x = 4 here"),
        (f"{CMESH} k = 4; x = 4; y = 4; c = 2;", "c = 2: must be 4 on cmesh"),
        (f"{CMESH} k = 4; n = 3; x = 4; y = 4;", "n = 3: must be 2 on cmesh"),
        (f"{CMESH} k = 4; x = 4; y = 4; yr = 1;", "yr = 1: must be 2 here"),
        (f"{FLATFLY} k = 4; n = 3;", "n = 3: must be even on flatfly with use_noc_latency"),
        (f"{FLATFLY} k = 2; n = 5;", "n = 5: must be 1 to 4 on flatfly"),
        (f"{FLATFLY} k = 4; n = 2;", "x = 8 (BookSim2's default): x · y must be 4^2, the number of routers"),
        (
            f"{TREE} k = 16; n = 4;",
            "k = 16: 16384 routers and 65536 addresses of nodes; at most 65536 addresses, and 268435456",
        ),
        (f"{DRAGONFLY} k = 14;", "k = 14: 11004 routers and 308112 addresses of nodes; at most 65536 addr"),
        (
            f"{FLATFLY} k = 4; x = 4; y = 4; xr = 2; yr = 2;",
            "c = 1 (BookSim2's default): must be xr · yr = 4 on flatfly",
        ),
        (f"{FLATFLY} k = 4; x = 4; y = 4; xr = 2;", "yr = 1 (BookSim2's default): must be xr = 2 here"),
        (f"{FLATFLY} k = 4; x = 4; y = 4; c = 16; xr = 4; yr = 4;", "xr = 4: nodes 2 and more cycles away"),
        (f"{FLATFLY} k = 30; x = 30; y = 30; c = 9; xr = 3; yr = 3;", "k = 30: 67 ports per router; at most 62"),
        ("topology = mesh; routing_function = xy_yx; n = 3;", "n = 3: must be 2 with routing_function = xy_yx"),
        ("topology = mesh; routing_function = xy_yx; k = 200;", "k = 200: 40000 routers and 80000 addresses"),
        ("topology = mesh; routing_function = xy_yx; num_vcs = 1;", "num_vcs = 1: must be 2 to 16"),
        (f"{TREE} k = 32;", "k = 32: 64 ports per router; at most 62"),
        (f"{TREE} k = 3; n = 10;", "n = 10: 196830 routers; at most 131072"),
        ("topology = fly; routing_function = dest_tag; n = 2;", "n = 2: must be 1 on fly: links between its stages"),
        (f"{DRAGONFLY} k = 16;", "k = 16: 63 ports per router; at most 62"),
        (f"{DRAGONFLY} k = 2; n = 2;", "n = 2: must be 1 on dragonflynew"),
        (f"{DRAGONFLY} k = 2; num_vcs = 1;", "num_vcs = 1: must be 2 to 16"),
        (f"{DRAGONFLY} k = 2; routing_function = ugal;", "routing_function = ugal: must be min on dragonflynew"),
        ("topology = anynet; routing_function = min;", "network_file =  (BookSim2's default): must name a file"),
        ("topology = anynet; routing_function = min; network_file = no.txt;", "no.txt: cannot be read: No such file"),
    ],
)
def test_sizes_that_are_refused(text, message):
    assert message in refused(text)
