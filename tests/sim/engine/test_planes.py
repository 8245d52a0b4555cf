"""Several planes: the plane that a packet takes, and each plane as the network it would be alone."""

from dataclasses import fields, replace

import numpy as np
import pytest

from models.errors import TsujiError
from models.formats import Counter
from models.jit.sets import popcount
from models.node.plane_selector import hashed_start, plane_tables, route_value, select_plane, start_after
from models.params import LinkParams, SwitchParams
from models.params.planes import PlaneParams
from sim.config import load
from sim.config.measure import MeasureParams
from sim.engine.network import Network
from sim.engine.plane_choice import PlaneChooser
from sim.engine.planes import PlaneNetwork
from sim.engine.stalls.stall import StalledError
from sim.measure.open_loop import Measurement
from sim.packets import Delivered, Packets
from sim.routing.dimension_order import DimensionOrder
from sim.simulation import build, simulate
from sim.topology.hypercube import hypercube
from sim.topology.torus import grid
from sim.traffic.arrivals import ARRIVALS
from sim.traffic.batch import Batch
from sim.traffic.pattern import PATTERNS
from sim.traffic.sizes import Sizes
from sim.traffic.stream import Stream

PLANES = {
    "isomorphic": (3, ((), (3, 5, 7))),
    "folded": (3, ((1, 2, 4, 7), (1, 2, 5, 6))),
    "plain and folded": (4, ((), (9, 3, 7, 2, 15), (8, 12, 14, 15))),
}
TIES = ["lowest", "hash", "alternate"]
LINK = LinkParams(latency=1)


def switch(topology):
    return SwitchParams(ports=topology.ports, vcs=1)


def networks(params, local_ports=1):
    made = []
    for plane in range(len(params.planes)):
        topology = hypercube(params.bits, params.generators(plane), local_ports)
        made.append(Network(switch(topology), LINK, topology, DimensionOrder().tables(topology, 1)))
    return made


def random_packets(nodes, cycles=1500, load=0.2, seed=1):
    rng = np.random.default_rng(seed)
    birth, source = np.nonzero(rng.random((cycles, nodes)) < load / 3.5)
    destination = (source + rng.integers(1, nodes, len(birth))) % nodes
    return Packets(birth, source, destination, rng.integers(1, 7, len(birth)))


def batches_of(delivered):
    return np.column_stack([getattr(delivered, field.name) for field in fields(Delivered)])


def wanted(params, packets, address):
    """Return the plane of each packet: one selector per node, one packet after the other."""
    tables = plane_tables(params)
    register = dict.fromkeys(range(len(address)), 0)
    planes = []
    for source, destination in zip(packets.source.tolist(), packets.destination.tolist(), strict=True):
        here, there = int(address[source]), int(address[destination])
        start = int(hashed_start(here, there, tables)) if params.tie == "hash" else register[source]
        plane, tie = select_plane(here ^ there, start, tables)
        if params.tie == "alternate" and tie:
            register[source] = int(start_after(plane, tables))
        planes.append(int(plane))
    return np.array(planes)


@pytest.mark.parametrize("local_ports", [1, 2])
@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("name", PLANES)
def test_each_plane_is_the_network_it_would_be_alone(name, tie, local_ports):
    bits, planes = PLANES[name]
    params = PlaneParams(bits=bits, planes=planes, tie=tie)
    together = PlaneNetwork(params, networks(params, local_ports))
    nodes = together.topology.nodes
    address = np.arange(nodes) // local_ports
    packets = random_packets(nodes)
    chosen = wanted(params, packets, address)
    assert set(chosen) == set(range(len(planes)))

    parts = []
    for cycle in range(0, 2000, 100):  # selectors keep their state from one batch of packets to the next
        part = packets[(packets.birth >= cycle) & (packets.birth < cycle + 100)]
        together.offer(part)
        parts.append(together.advance(100))
        assert (np.diff(parts[-1].eject) >= 0).all()
    got = Delivered.join(parts)
    assert together.idle()
    assert together.cycle == 2000
    assert len(got) == len(packets)

    alone = networks(params, local_ports)
    rows = []
    for plane, network in enumerate(alone):
        network.offer(packets[chosen == plane])
        rows.append(batches_of(network.advance(2000)))
    of_planes = np.vstack(rows)
    both = batches_of(got)
    assert (both[np.lexsort(both.T)] == of_planes[np.lexsort(of_planes.T)]).all()
    assert together.flit_hops == sum(network.flit_hops for network in alone)
    assert together.dropped == 0

    tables = plane_tables(params)
    for source, destination, hops in zip(got.source, got.destination, got.hops, strict=True):
        difference = int(address[source] ^ address[destination])
        shortest = min(popcount(route_value(difference, plane, tables)) for plane in range(len(planes)))
        assert hops == 1 + shortest


def test_ties_are_spread_by_all_policies_but_the_lowest():
    params = {tie: PlaneParams(bits=4, planes=((), ()), tie=tie) for tie in TIES}
    packets = random_packets(16)
    shares = {tie: PlaneChooser(params[tie], np.arange(16)).choose_planes(packets).mean() for tie in TIES}
    assert shares["lowest"] == 0
    assert shares["hash"] == pytest.approx(0.5, abs=0.05)
    assert shares["alternate"] == pytest.approx(0.5, abs=0.01)


def test_figures_of_all_planes_come_together():
    bits, planes = PLANES["plain and folded"]
    params = PlaneParams(bits=bits, planes=planes, tie="hash")
    together = PlaneNetwork(params, networks(params))
    assert together.topology.switches == 3 * 16
    assert together.topology.nodes == 16
    assert len(together.topology.links) == sum(len(network.topology.links) for network in together.networks)
    packets = random_packets(16)
    together.offer(packets)
    assert together.in_flight == len(packets)
    got = together.advance(2000)
    counters = together.counters()
    assert counters.shape[:2] == together.topology.peer_switch.shape
    assert counters[:, :, Counter.PACKETS_IN].sum() == got.hops.sum()


def test_planes_are_measured():
    params = PlaneParams(bits=3, planes=((), (3, 5, 7)), tie="hash")
    together = PlaneNetwork(params, networks(params))
    one = together.networks[0]
    pattern, arrivals = PATTERNS.get("uniform")(), ARRIVALS.get("bernoulli")()
    stream, fill = (Stream(together.topology, pattern, arrivals, Sizes(), 0.2, seed) for seed in (1, 2))
    found = Measurement(together, stream, fill, one.params, LINK, MeasureParams()).run()
    assert found.converged
    assert not found.saturated
    assert found.accepted_traffic == pytest.approx(0.2, rel=0.05)
    # Distances to the 7 others: 1 for 1, 2, 4 (plane 0), 3, 5, 7 (plane 1); 2 for 6.
    assert found.hops == pytest.approx(1 + 8 / 7, rel=0.01)


def refused(match, params, made):
    with pytest.raises(TsujiError, match=match):
        PlaneNetwork(params, made)


def test_networks_that_are_not_the_planes_are_refused():
    params = PlaneParams(bits=3, planes=((), (3, 5, 7)))
    made = networks(params)
    refused("planes = 2: 1 networks", params, made[:1])
    refused(r"planes\[0\]: 3-cube of generators 3, 5, 7 is no hypercube of generators \[1, 2, 4\]", params, made[::-1])
    torus = grid((2, 2), wrap=True)
    other = Network(switch(torus), LINK, torus, DimensionOrder().tables(torus, 1))
    refused(r"planes\[0\]: 2×2 torus is no hypercube", params, [other, made[1]])
    refused(r"planes\[1\]: .* has other nodes", params, [made[0], networks(params, 2)[1]])
    made[1].advance(3)
    refused(r"planes\[1\]: .* has run for 3 cycles", params, made)


def test_births_out_of_order_are_refused_before_any_selector_saw_them():
    params = PlaneParams(bits=3, planes=((), ()), tie="alternate")
    network = PlaneNetwork(params, networks(params))
    network.offer(Packets(*(np.array(column) for column in ([5], [0], [1], [1]))))  # takes plane 0, as a tie
    late = Packets(*(np.array(column) for column in ([4], [0], [1], [1])))
    with pytest.raises(TsujiError, match="from cycle 5"):
        network.offer(late)
    network.offer(Packets(*(np.array(column) for column in ([5], [0], [1], [1]))))
    assert [plane.in_flight for plane in network.networks] == [1, 1]


CUBE = ("topology.kind=hypercube", "topology.dimensions=3", "cache.entries=0", "cam.latency=4", "cam.occupancy=1")
SHORT = ("measure.period=300", "measure.measure_periods=2", "measure.max_measure_periods=2")


def test_the_section_is_the_network_built_by_hand():
    config = load(None, [*CUBE, "planes.generators=[[], [3, 5, 7]]", "switch.vcs=1", "link.latency=1"])
    params = PlaneParams(bits=3, planes=((), (3, 5, 7)), tie="hash")
    by_hand, by_section = PlaneNetwork(params, networks(params)), build(config)
    assert [plane.topology.generators for plane in by_section.networks] == [(1, 2, 4), (3, 5, 7)]
    packets = random_packets(8)
    chosen = []
    for network in (by_hand, by_section):
        network.offer(packets)
        chosen.append([plane.in_flight for plane in network.networks])
    assert chosen[0] == chosen[1]


def test_planes_of_the_section_are_measured():
    one = simulate(load(None, [*CUBE, *SHORT])).figures
    two = simulate(load(None, [*CUBE, *SHORT, "planes.generators=[[], [3, 5, 7]]"])).figures
    assert one.hops == pytest.approx(1 + 12 / 7, rel=0.03)
    assert two.hops == pytest.approx(1 + 8 / 7, rel=0.03)


@pytest.mark.parametrize("tie", ["hash", "alternate"])
def test_any_network_can_be_there_several_times(tie):
    network = build(load(None, ["topology.radix=[3, 3]", "planes.count=3", f"planes.tie={tie}"]))
    network.offer(random_packets(9))
    shares = np.array([plane.in_flight for plane in network.networks])
    assert shares.sum() == len(random_packets(9))
    assert (shares > 0.2 * shares.sum()).all()


@pytest.mark.parametrize("pattern", ["tornado", "transpose"])
def test_patterns_are_those_of_one_plane(pattern, monkeypatch):
    """Both patterns depend on the grid; the 64 nodes of a plane are a square number, too."""
    taken = []

    class Seen(Batch):
        def until(self, cycle):
            taken.append(super().until(cycle))
            return taken[-1]

    monkeypatch.setattr("sim.simulation.Batch", Seen)
    grid_of_64 = ["topology.radix=[4, 4]", "topology.locals=4", "switch.routing=dimension_order"]
    settings = [*grid_of_64, f"traffic.pattern={pattern}", "measure.mode=batch", "measure.batch_size=1"]
    sent = []
    for planes in ([], ["planes.count=2"]):
        taken.clear()
        simulate(load(None, [*settings, *planes]))
        sent.append(Packets.join(taken))
    assert len(sent[0]) == (64 if pattern == "tornado" else 48)
    for field in fields(Packets):
        assert np.array_equal(getattr(sent[0], field.name), getattr(sent[1], field.name))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["planes.tie=lowest"], 'planes.tie = "lowest": all planes are alike'),
        (
            ["planes.generators=[[], [3, 5, 6]]"],
            r"planes.generators\[1\] = .*: generator 6 is 3 ⊕ 5",
        ),
        (["planes.generators=[[], [1, 2, 4, 7]]"], r"planes.generators\[1\] .* as many ports"),
        (["planes.generators=[[], [3, 5, 7]]", "planes.count=3"], "planes.count = 3: planes.generators describes 2"),
        (["planes.generators=[[], [3, 5, 7]]", "topology.folded=true"], "leave topology.generators and topology.fold"),
        (["planes.count=17"], "planes.count = 17"),
        (
            ["planes.generators=[[1, 2, 4, 3], [1, 2, 4, 7]]", "switch.routing=hypercube"],
            r"planes.generators\[1\]: .* \(7, as a mask\) than in the first plane \(3\)",
        ),
    ],
)
def test_sections_that_make_no_planes_are_refused(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, [*CUBE, *settings])


@pytest.mark.parametrize("routing", ["table", "hypercube"])
def test_planes_may_be_folded(routing):
    folded = [*CUBE, *SHORT, "planes.generators=[[1, 2, 4, 7], [1, 2, 5, 6]]", f"switch.routing={routing}"]
    config = load(None, folded)
    assert config.switch.ports == 5
    assert config.switch.fold == (7 if routing == "hypercube" else None)
    # Distances to the 7 others: 1 for 1, 2, 4, 7, 5, 6; 2 for 3.
    assert simulate(config).figures.hops == pytest.approx(1 + 8 / 7, rel=0.03)


def test_computed_planes_need_one_fold_tables_do_not():
    uneven = [*CUBE, "planes.generators=[[1, 2, 4, 3], [1, 2, 4, 7]]"]
    assert [plane.topology.plane.fold(0) for plane in build(load(None, uneven)).networks] == [3, 7]


def test_only_hypercubes_have_generators():
    with pytest.raises(TsujiError, match=r"planes.generators = \[\[1, 2\]\]: only topology.kind = \"hypercube\""):
        load(None, ["planes.generators=[[1, 2]]"])


def test_planes_keep_the_cables_of_their_links():
    params = PlaneParams(bits=3, planes=((), (3, 5, 7)), tie="hash")
    cubes = [hypercube(3, params.generators(plane)) for plane in range(2)]
    slow = replace(cubes[1], link_latency=np.array(4), link_interval=np.array(3))
    made = [Network(switch(cube), LINK, cube, DimensionOrder().tables(cube, 1)) for cube in (cubes[0], slow)]
    together = PlaneNetwork(params, made).topology
    wired = together.peer_switch >= 0
    assert (together.link_latency[:8][wired[:8]] == 0).all()
    assert (together.link_interval[:8] == 1).all()
    assert (together.link_latency[8:][wired[8:]] == 4).all()
    assert (together.link_interval[8:][wired[8:]] == 3).all()


def test_every_plane_gives_flits_to_the_nodes():
    """Also in the tidy table, where a plane's switches follow those of the planes before it."""
    settings = [*CUBE, *SHORT, "planes.generators=[[], [3, 5, 7]]", "topology.locals=2"]
    found = simulate(load(None, [*settings, "measure.utilisation_interval=300"]))
    table = found.utilisation.frame()
    ejected = table.dropna(subset="to_node")
    assert (ejected.to_node == ejected.switch % 8 * 2 + ejected.port - 3).all()
    assert len(ejected) == 2 * len(found.utilisation.start) * 2 * 16
    assert (ejected.groupby(ejected.switch // 8).flits.sum() > 0).all()
    accepted = found.figures.accepted_traffic * found.figures.phases.measure * 16
    assert ejected.flits.sum() == pytest.approx(accepted, abs=2 * 16 * 4)  # packets cut at beginning and end


def test_the_plane_that_stands_still_is_named():
    torus = grid((4, 2), wrap=True)
    safe = DimensionOrder().tables(torus, 2)
    # Without VC classes, and always +, packets half way round the ring wait for each other.
    upwards = np.where((safe.out == 0) | (safe.out == 1), 0, safe.out)
    circular = replace(safe, out=upwards, vc_first=np.zeros_like(safe.vc_first), vc_last=np.ones_like(safe.vc_last))
    params = SwitchParams(ports=torus.ports, vcs=2)
    made = [Network(params, LINK, torus, tables) for tables in (safe, circular)]
    together = PlaneNetwork(PlaneParams(bits=3, planes=((), ()), tie="alternate"), made)
    source = np.repeat(np.arange(4), 40)
    together.offer(Packets(np.zeros(160, int), source, (source + 2) % 4, np.full(160, 8)))
    with pytest.raises(StalledError, match=r"^plane 1: 4×2 torus: cycle 6000: nothing moves"):
        together.advance(6000)
