"""Linear tables: routes of tables in the time of computed ones, on any topology."""

import numpy as np
import pytest

from models.errors import TsujiError
from models.formats import Counter
from models.params import LinkParams, SwitchParams
from sim.analysis.zero_load import zero_load_latency
from sim.config import load
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.dimension_order import DimensionOrder
from sim.routing.random_up import RandomUp
from sim.routing.up_down import UpDown
from sim.simulation import simulate
from sim.topology.dragonfly import dragonfly
from sim.topology.fat_tree import fat_tree
from sim.topology.hyperx import HyperXFamily
from sim.topology.random_regular import random_regular
from sim.topology.torus import grid

APART = 300
LARGE = ["switch.routing=linear", "topology.kind=fat_tree", "topology.arity=16"]
NETWORKS = [
    (grid((4, 3), wrap=True), DimensionOrder()),
    (fat_tree(3, 2), RandomUp(paths=3)),
    (dragonfly(4, 1), UpDown()),
    (random_regular(12, 3, seed=5), UpDown()),
    (HyperXFamily(radix=(4, 3), locals=2, latencies=(1, 0), passing_latencies=(2, 5)).build(), DimensionOrder()),
]


@pytest.mark.parametrize("more", [{}, {"vc_stage": True, "head_delay": 2}, {"data_width": 8, "stage_delay": 3}])
@pytest.mark.parametrize(("topology", "routing"), NETWORKS, ids=lambda each: getattr(each, "name", ""))
def test_a_lone_packet_takes_the_time_of_a_computed_route(topology, routing, more):
    tables = routing.tables(topology, 2)
    entries = 1 << (topology.nodes * tables.paths - 1).bit_length()
    params = SwitchParams(ports=topology.ports, routing="linear", table_entries=entries, **more)
    link = LinkParams(latency=1)
    net = Network(params, link, topology, tables)
    source, destination = np.divmod(np.arange(topology.nodes**2), topology.nodes)
    source, destination = source[source != destination], destination[source != destination]
    birth = APART * np.arange(len(source))
    net.offer(Packets(birth, source, destination, np.full(len(birth), 4)))
    got = net.advance(int(birth[-1]) + APART)
    assert len(got) == len(birth)
    want = zero_load_latency(params, link, got.hops, got.size, "hit")
    if isinstance(routing, DimensionOrder) and topology.link_latency.any():
        # One cable for each dimension that differs: 1 cycle in the first; 2 or 5 for each switch that the cable passes.
        here, there = (topology.coordinates[topology.node_switch[each]] for each in (got.source, got.destination))
        far = np.abs(here - there)
        want = want + (far > 0) @ [1, 0] + np.maximum(far - 1, 0) @ [2, 5]
    assert (got.eject - got.enter == want).all()
    assert not net.counters()[:, :, [Counter.CACHE_HITS, Counter.CACHE_MISSES, Counter.CAM_REQUESTS]].any()


@pytest.mark.parametrize("more", [[], ["prediction.kind=latest"], ["adaptive.kind=escape"]], ids=str)
def test_it_is_the_switch_of_computed_routes(more):
    """The same routes in the same cycles: every figure of a torus equals that of computed dimension order."""
    settings = ["switch.vcs=4", "traffic.load=0.4", "measure.max_measure_periods=10", *more]
    kinds = "linear", "dimension_order"
    one, other = (simulate(load(None, [*settings, f"switch.routing={kind}"])).figures for kind in kinds)
    assert one.packet_latency == other.packet_latency
    assert (one.cycles, one.flit_hops) == (other.cycles, other.flit_hops)


def test_the_table_is_as_large_as_the_addresses_need():
    assert load(None, ["switch.routing=linear"]).switch.table_entries == 64
    assert load(None, ["switch.routing=linear", "topology.radix=[5,5]"]).switch.table_entries == 32
    settings = ["switch.routing=linear", "topology.kind=fat_tree", "routing.kind=random_up"]
    assert load(None, settings).switch.table_entries == 256
    assert load(None, [*settings, "switch.table_entries=2048"]).switch.table_entries == 2048


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["switch.table_entries=64"], 'table_entries = 64: only routing = "linear" uses it'),
        (["switch.routing=linear", "switch.table_entries=65"], "table_entries = 65: must be a power of two"),
        ([*LARGE, "routing.kind=random_up", "routing.paths=128"], "4096 nodes of 128 addresses; the largest table"),
        (["switch.routing=linear", "switch.radix=[8,8]"], "radix = .* only computed routes"),
    ],
)
def test_what_does_not_fit_is_refused(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, settings)


def test_too_small_a_table_is_named_before_the_run():
    with pytest.raises(TsujiError, match=r"switch\.table_entries = 32: 64 nodes do not fit; use a power of two of at"):
        simulate(load(None, ["switch.routing=linear", "switch.table_entries=32"]))


@pytest.mark.parametrize("section", ["cache.entries=16", "cam.latency=9"])
def test_what_a_cam_would_need_is_told_to_have_no_effect(section):
    with pytest.warns(UserWarning, match=r'has no effect: switch\.routing = "linear" uses no CAM'):
        load(None, ["switch.routing=linear", section])
