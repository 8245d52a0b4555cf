"""Computed routes of switches are those that tables of the same network hold, and take the same time."""

from dataclasses import fields

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import AdaptiveParams, LinkParams, SwitchParams
from models.power_up import new_state
from models.route.dragonfly import ARRANGEMENTS
from models.route.route_unit import route_at_once
from models.state.route_word import route_choices, route_drop, route_out, route_vcs
from sim.config import load
from sim.engine.network import Network
from sim.routing.adaptive import with_choices
from sim.routing.base import Algorithm
from sim.routing.deadlock import adaptive_routes as adaptive_deadlock
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.dimension_order import DimensionOrder
from sim.routing.dragonfly import DragonflyRouting
from sim.routing.random_up import RandomUp
from sim.simulation import build, simulate
from sim.topology.dragonfly import dragonfly
from sim.topology.fat_tree import fat_tree
from sim.topology.hyperx import hyperx
from sim.topology.torus import grid
from tests.sim.engine.test_planes import random_packets

LINK = LinkParams(latency=1)
ESCAPE = {"vcs": 3, "adaptive": AdaptiveParams(escape_vcs=2)}
# Switches of a group, global cables and nodes of a switch: groups of an odd and of an even number.
TREES = [(2, 1), (2, 2), (2, 4), (3, 2), (3, 3), (4, 3), (5, 1)]
SHAPES = [(2, 1, 1), (3, 1, 2), (4, 2, 2), (3, 3, 1), (5, 3, 1)]
FIXED = [
    *((hyperx(radix, (), local_ports), DimensionOrder()) for radix, local_ports in [((2,), 1), ((5,), 3), ((4, 3), 2)]),
    (hyperx((3, 2, 4), (), 2).with_node_ports(2), DimensionOrder()),
    *((dragonfly(a, h, None, p, each), DragonflyRouting()) for a, h, p in SHAPES for each in ARRANGEMENTS),
    (dragonfly(3, 2, None, 2).with_node_ports(2), DragonflyRouting()),
    *((fat_tree(arity, levels), RandomUp(paths=1)) for arity, levels in TREES),
]
ADAPTIVE = [(hyperx((4, 3), (), 2), DimensionOrder()), (hyperx((2, 3, 2)), DimensionOrder())]
ADAPTIVE += [(fat_tree(arity, levels), RandomUp(paths=1)) for arity, levels in TREES]
# Configurations of networks, with the settings of [routing] that describe their computed routes.
SETTINGS = {
    "hyperx": (["topology.radix=[4,3]", "topology.locals=2"], []),
    "dragonfly": (["topology.group_switches=3", "topology.arrangement=palmtree"], ["routing.kind=dragonfly"]),
    "fat_tree": (["topology.arity=3", "topology.levels=3"], ["routing.kind=random_up", "routing.paths=1"]),
}
SELECTING = ("hyperx", "fat_tree")  # adaptive, too


def switch(topology, **changes):
    """Return a switch that computes its routes."""
    given = {"ports": topology.ports, "routing": topology.routing, "node_ports": topology.node_ports}
    return SwitchParams(**given | topology.computed_params | changes)


def words(topology, params):
    """Return the route word of each switch for each node, int64 [S, N]."""
    state = new_state(params, topology.switches)
    state.position[:] = topology.own_coordinates
    tags = topology.coordinate_tags.tolist()
    assert len(set(tags)) == topology.nodes
    assert max(tags) >> params.address_bits == 0
    return np.array([[route_at_once(state, s, tag, False) for tag in tags] for s in range(topology.switches)])


def same(topology, params, tables):
    """Compare computed routes with tables; towards its own nodes, a switch allows all VCs."""
    found = words(topology, params)
    for here, row in enumerate(found.tolist()):
        for node, word in enumerate(row):
            assert not route_drop(word)
            assert route_out(word) == tables.out[here, node]
            first, last = tables.vc_first[here, node], tables.vc_last[here, node]
            first, last = (0, params.vcs - 1) if topology.node_switch[node] == here else (first, last)
            assert route_vcs(word) == (2 << last) - (1 << first)
            assert route_choices(word) == (0 if tables.choices is None else tables.choices[here, node])


@pytest.mark.parametrize(("topology", "routing"), FIXED, ids=lambda each: getattr(each, "name", ""))
@pytest.mark.parametrize("vcs", [2, 5])
def test_fixed_routes_are_those_of_tables(topology, routing, vcs):
    tables = routing.tables(topology, vcs)
    same(topology, switch(topology, vcs=vcs), tables)
    deadlock.check(topology, tables)


@pytest.mark.parametrize(("topology", "routing"), ADAPTIVE, ids=lambda each: getattr(each, "name", ""))
@pytest.mark.parametrize("buffering", [{}, {"buffering": "dynamic", "max_packet": 4}], ids=str)
def test_adaptive_routes_are_those_of_tables(topology, routing, buffering):
    params = switch(topology, **ESCAPE, **buffering)
    tables = with_choices(topology, routing.tables(topology, params.escape_vcs), params)
    same(topology, params, tables)
    adaptive_deadlock.check(topology, tables, params)


def test_steps_of_a_hyperx_are_those_of_tables():
    topology = hyperx((2, 3, 2))
    params = switch(topology, vcs=3, adaptive=AdaptiveParams(kind="step"))
    assert params.longest_path == topology.figures.diameter == 3
    tables = with_choices(topology, DimensionOrder().tables(topology, params.vcs), params)
    same(topology, params, tables)
    adaptive_deadlock.check(topology, tables, params)


def dropped(params, position):
    """Return the tags that a switch at a position drops."""
    state = new_state(params, 1)
    state.position[0] = position
    every = range(1 << params.address_bits)
    return {tag for tag in every if route_drop(int(route_at_once(state, 0, tag, False)))}


@pytest.mark.parametrize(
    "topology", [hyperx((3, 2), (), 3), dragonfly(3, 2, None, 3), fat_tree(3, 3)], ids=lambda each: each.name
)
def test_tags_without_a_node_are_dropped(topology):
    params = switch(topology)
    every = set(range(1 << params.address_bits))
    nodes = set(topology.coordinate_tags.tolist())
    assert nodes < every
    assert dropped(params, topology.own_coordinates[-1]) == every - nodes


@pytest.mark.parametrize(
    ("kind", "more"), [*((kind, {}) for kind in SETTINGS), *((kind, ESCAPE) for kind in SELECTING)]
)
def test_packets_take_the_same_cycles_with_computed_routes_and_with_linear_tables(kind, more):
    settings, named = SETTINGS[kind]
    topology = load(None, [f"topology.kind={kind}", *settings, *named]).networks.topologies()[0]
    routing = load(None, [f"topology.kind={kind}", *settings, *named]).routing
    computed = switch(topology, **more)
    entries = 1 << (topology.nodes - 1).bit_length()
    linear = SwitchParams(ports=topology.ports, routing="linear", table_entries=entries, **more)
    tables = routing.tables(topology, linear.escape_vcs)
    packets = random_packets(topology.nodes, cycles=300, load=0.5)
    taken = []
    for params in (computed, linear):
        choices = with_choices(topology, tables, params) if params.selects else tables
        addressed = topology.with_addresses(topology.coordinate_tags)
        net = Network(params, LINK, *((addressed, None) if params.computed else (topology, choices)))
        net.offer(packets)
        got = net.advance(20_000)
        assert net.idle()
        assert len(got) == len(packets)
        rows = np.column_stack([getattr(got, field.name) for field in fields(got)])
        taken.append(rows[np.lexsort(rows.T)])
    assert (taken[0] == taken[1]).all()


@pytest.mark.parametrize("kind", SETTINGS)
def test_a_configuration_computes_routes_without_tables(kind, monkeypatch):
    settings, named = SETTINGS[kind]
    monkeypatch.setattr(Algorithm, "check_size", None)
    config = load(None, [f"topology.kind={kind}", f"switch.routing={kind}", *settings, *named, "traffic.load=0.1"])
    monkeypatch.setattr(type(config.routing), "tables", None)
    assert build(config).topology.nodes == config.networks.topologies()[0].nodes
    assert simulate(config).figures.converged


REFUSED = [
    ("hyperx", ["topology.multiplicity=[2,1]"], "topology.multiplicity = [2, 1]: switch.routing = "),
    ("hyperx", ["routing.kind=minimal", "switch.vcs=4"], 'computes the routes of routing.kind = "dimension_order"'),
    ("hyperx", ["routing.kind=o1turn"], 'routing.kind = "o1turn": switch.routing = "hyperx" computes the routes of'),
    ("hyperx", ["routing.kind=valiant"], 'routing.kind = "valiant": switch.routing = "hyperx" computes the routes of'),
    ("hyperx", ["routing.kind=ugal"], 'routing.kind = "ugal": switch.routing = "hyperx" computes the routes of'),
    ("hyperx", ["switch.radix=[4,4]"], "switch.radix = [4, 4]: 4×3 HyperX needs [4, 3]; leave it out"),
    ("hyperx", ["prediction.kind=static"], "no ports of a HyperX are opposite"),
    ("hyperx", ["adaptive.kind=step", "switch.vcs=1"], 'vcs = 1: adaptive.kind = "step" needs 2'),
    ("hyperx", ["faults.links=[[0,1]]"], 'takes "table", "linear"'),
    ("dragonfly", ["topology.groups=4"], "topology.groups = 4: switch.routing = "),
    ("dragonfly", ["topology.group_switches=1"], "topology.group_switches = 1: switch.routing = "),
    ("dragonfly", ["routing.kind=minimal", "switch.vcs=3"], 'computes the routes of routing.kind = "dragonfly"'),
    ("dragonfly", ["routing.kind=up_down"], 'routing.kind = "up_down": switch.routing = "dragonfly" computes'),
    ("dragonfly", ["routing.kind=ugal", "routing.base=dragonfly", "switch.vcs=4"], 'routing.kind = "ugal": switch'),
    ("dragonfly", ["switch.arrangement=absolute"], "switch.arrangement = absolute: dragonfly of 7 groups of 3 needs"),
    ("dragonfly", ["switch.radix=[3,9]"], "switch.radix = [3, 9]: dragonfly of 7 groups of 3 needs [3, 7]"),
    ("dragonfly", ["prediction.kind=static"], "no ports of a dragonfly are opposite"),
    ("dragonfly", ["adaptive.kind=escape", "switch.vcs=3"], 'adaptive: routing = "dragonfly" has one route'),
    ("dragonfly", ["switch.vcs=1"], "vcs = 1: a dragonfly needs 2 VCs against deadlock"),
    ("dragonfly", ["faults.links=[[0,1]]"], 'takes "table", "linear"'),
    (
        "torus",
        ["switch.routing=dimension_order", "switch.arrangement=relative"],
        'arrangement = "relative": only routing = "dragonfly" uses it',
    ),
    (
        "fat_tree",
        ["routing.kind=random_up"],
        'computes the routes of routing.kind = "random_up" with routing.paths = 1',
    ),
    (
        "fat_tree",
        ["routing.kind=up_down"],
        'routing.kind = "up_down": switch.routing = "fat_tree" computes the routes of',
    ),
    ("fat_tree", ["switch.radix=[3,3]"], "switch.radix = [3, 3]: 3-ary 3-tree needs [3, 3, 3]; leave it out"),
    ("fat_tree", ["switch.node_ports=2"], 'node_ports = 2: routing = "fat_tree" knows one port per node'),
    ("fat_tree", ["prediction.kind=static"], "no ports of a fat tree are opposite"),
    (
        "fat_tree",
        ["adaptive.kind=step", "switch.vcs=4"],
        'adaptive.kind = "step": a port of a fat tree leads to a node',
    ),
    ("fat_tree", ["faults.links=[[0,9]]"], 'takes "table", "linear"'),
    ("torus", ["switch.routing=hyperx"], 'takes "table", "linear" or "dimension_order"'),
]


@pytest.mark.parametrize(("kind", "given", "message"), REFUSED)
def test_what_a_switch_does_not_compute_is_refused(kind, given, message):
    settings, named = SETTINGS.get(kind, ([], []))
    named = [] if any(each.startswith("routing.") for each in given) else named
    with pytest.raises(TsujiError) as error:
        load(None, [f"topology.kind={kind}", f"switch.routing={kind}", *settings, *named, *given])
    assert message in str(error.value)


def test_networks_refuse_switches_that_compute_other_routes():
    topology = hyperx((3, 2))
    with pytest.raises(TsujiError, match=r"switch.radix = \(2, 3\): 3×2 HyperX needs \[3, 2\]"):
        Network(switch(topology, radix=(2, 3)), LINK, topology, None)
    with pytest.raises(TsujiError, match=r'switch.routing = "hyperx": no such routes on 3 mesh'):
        Network(switch(topology), LINK, grid((3,), wrap=False, local_ports=2), None)
