"""Ties on even rings: drawn at the source, independently per dimension, the same in tables and in computed routes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import LinkParams, SwitchParams
from sim.booksim import mapping, parser, settings
from sim.booksim.measure import measure
from sim.config import load
from sim.engine.network import Network
from sim.engine.path_draw import PathDraw
from sim.packets import Packets
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.dimension_order import DimensionOrder, with_fixed_classes
from sim.routing.paths import hops
from sim.topology.torus import grid

RANDOM = "routing.ties=random"
EVEN = [(4,), (8,), (4, 4), (2, 4), (4, 3, 6), (5, 6)]


def one_a_pair(topology):
    """Return one packet between each two nodes, far enough apart to be alone, eight times."""
    source, destination = np.divmod(np.arange(topology.nodes**2), topology.nodes)
    other = source != destination
    source, destination = np.tile(source[other], 8), np.tile(destination[other], 8)
    return Packets(60 * np.arange(len(source)), source, destination, np.ones(len(source), np.int64))


def networks(topology, seed):
    """Return a network with computed routes, and one with tables."""
    drawing = DimensionOrder(ties="random")
    switch = {"ports": topology.ports, "vcs": 2}
    computing = SwitchParams.model_validate(
        switch | {"routing": "dimension_order", "radix": topology.radix, "wrap": True, "ties": "random"}
    )
    entries = 1 << (topology.nodes * drawing.addresses_per_node(topology) - 1).bit_length()
    looking_up = SwitchParams.model_validate(switch | {"routing": "linear", "table_entries": entries})
    addressed = topology.with_addresses(topology.coordinate_tags)
    yield Network(computing, LinkParams(), addressed, None, seed=seed)
    yield Network(looking_up, LinkParams(), topology, drawing.tables(topology, 2), seed=seed)


@pytest.mark.parametrize("radix", EVEN)
def test_ways_are_shortest_and_free_of_deadlock(radix):
    topology = grid(radix, wrap=True)
    plain = hops(topology, DimensionOrder().tables(topology, 2))
    every = [DimensionOrder(ties="random").tables(topology, 2), with_fixed_classes(topology, 2, "random")]
    for tables in every:
        assert tables.paths == 1 << sum(k % 2 == 0 for k in radix)
        assert (hops(topology, tables) == np.repeat(plain, tables.paths, axis=1)).all()
        assert not deadlock.find_cycle(topology, tables)


def test_each_even_dimension_has_a_bit_for_ties_alone():
    topology = grid((4, 3, 6), wrap=True)
    tables = DimensionOrder(ties="random").tables(topology, 2)
    parity = DimensionOrder().tables(topology, 2)
    for switch in range(topology.switches):
        for node in range(topology.nodes):
            far = (topology.coordinates[node] - topology.coordinates[switch]) % topology.radix
            first = next((d for d in range(3) if far[d]), None)
            outs = tables.out[switch, 4 * node : 4 * node + 4]
            bit = {0: 0, 2: 1}.get(first)
            if bit is not None and 2 * far[first] == topology.radix[first]:
                assert (outs == [2 * first + (path >> bit & 1) for path in range(4)]).all()
            else:
                assert (outs == parity.out[switch, node]).all()


def test_draws_depend_on_the_seed_alone():
    """Computed routes and tables take the same paths; a quarter of them goes each way round both rings."""
    topology = grid((4, 2), wrap=True)
    packets = one_a_pair(topology)
    sent = []
    for seed in (3, 3, 4):
        for network in networks(topology, seed):
            network.offer(packets)
            assert len(network.advance(int(packets.birth[-1]) + 60)) == len(packets)
            sent.append(network.flits_sent())
    first = sent[0]
    assert all((first == other).all() for other in sent[1:4])
    assert not (first == sent[4]).all()
    assert (sent[4] == sent[5]).all()
    # In the ring of 2 every packet has a tie: each of 8 switches sends 4 · 8 packets on, half in each direction.
    plus, minus = first[:, 2].sum(), first[:, 3].sum()
    assert plus + minus == 8 * 4 * 8
    assert abs(int(plus) - int(minus)) < 4 * np.sqrt(plus + minus)


def test_coins_of_dimensions_are_independent():
    packets = one_a_pair(grid((4, 4), wrap=True))
    path = PathDraw(16, 0, 4, 1).draw(packets)
    count = np.bincount(path, minlength=4)
    n = len(packets)
    assert ((count - n / 4) ** 2 / (n / 4)).sum() < 16.27  # chi-square of 3 degrees, one in a thousand


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["topology.kind=mesh"], r'routing.ties = "random": 8×8 mesh has no rings of an even number of switches'),
        (["topology.radix=[5,3]"], r'routing.ties = "random": 5×3 torus has no rings of an even number'),
        (["topology.kind=hypercube"], r'routing.ties = "random": .*cube has no rings of an even number'),
        (["switch.vcs=4", "adaptive.kind=escape"], r'routing.ties = "random": .*leave out \[adaptive\]'),
        (["switch.ties=parity"], r'switch.ties = parity: routing.ties = "random" needs random; leave it out'),
        (["topology.radix=[512,256]", "switch.routing=linear"], "131072 nodes of 4 addresses; the largest table"),
    ],
)
@pytest.mark.parametrize("computed", [True, False])
def test_what_has_no_ties_is_refused(keys, message, computed):
    if not computed and keys == ["switch.ties=parity"]:
        return
    kind = "hypercube" if "topology.kind=hypercube" in keys else "dimension_order"
    routing = [f"switch.routing={kind}"] if computed else ["switch.routing=linear"]
    with pytest.raises(TsujiError, match=message):
        load(None, [*routing, *keys, RANDOM])


def test_the_switch_s_key_alone_is_refused():
    with pytest.raises(TsujiError, match=r'switch.ties = random: routing.ties = "parity" needs parity'):
        load(None, ["switch.routing=dimension_order", "switch.ties=random"])
    with pytest.raises(TsujiError, match=r'ties = "random": only routing = "dimension_order" with wrap'):
        load(None, ["switch.ties=random"])


def test_a_document_reads_back():
    config = load(None, ["switch.routing=dimension_order", RANDOM])
    assert config.switch.tie_bits == 2
    assert config.document()["routing"] == {"kind": "dimension_order", "ties": "random"}


TORUS88 = Path(__file__).parents[3] / "examples" / "booksim" / "torus88.cfg"
TRANSPOSE = ("traffic=transpose", "packet_size=1", "injection_rate=0.24", "num_vcs=16")
# Packet latency of BookSim2 itself, seeds 1 to 8: `booksim torus88.cfg` with these overrides.
BOOKSIM2 = (35.3179, 35.3549, 35.0133, 34.9108, 35.1055, 35.2658, 35.0656, 35.0408)


def transpose(ties):
    """Return the packet latency of BookSim2's configuration, seeds 1 to 8."""
    found = []
    for seed in range(1, 9):
        plan = mapping.plan(settings.settings(parser.read(TORUS88, (*TRANSPOSE, f"seed={seed}"))))
        assert (plan.config.routing.ties, plan.config.switch.ties) == ("random", "random")
        if ties == "parity":
            switch, routing = (
                part.model_copy(update={"ties": ties}) for part in (plan.config.switch, plan.config.routing)
            )
            plan = replace(plan, config=replace(plan.config, switch=switch, routing=routing))
        outcome = measure(plan)
        assert not outcome.unstable
        found.append(outcome.figures["Packet latency"].average)
    return np.array(found)


def differ(one, other):
    """Return the difference of two means in standard errors (Welch)."""
    error = np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    return abs(one.mean() - other.mean()) / error


def test_a_transpose_takes_as_long_as_in_booksim2_and_longer_by_parity():
    drawn, parity = transpose("random"), transpose("parity")
    assert differ(drawn, np.array(BOOKSIM2)) < 3.0  # 99 % of Student's t, 14 degrees of freedom: 2.98
    assert parity.mean() > drawn.mean()
    assert differ(parity, drawn) > 10
