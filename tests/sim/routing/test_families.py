"""All algorithms on all families: shortest where specified, arriving, free of deadlock with the VCs of routing.md."""

import numpy as np
import pytest

from models.params import AdaptiveParams, SwitchParams
from sim.routing.adaptive import with_choices
from sim.routing.base import ALGORITHMS
from sim.routing.deadlock import adaptive_routes as adaptive_deadlock
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.dimension_order import DimensionOrder
from sim.routing.minimal import Minimal, longest_way
from sim.routing.paths import hops
from sim.routing.up_down import UpDown
from sim.routing.valiant import Valiant
from sim.topology.family import FAMILIES
from sim.topology.hyper_crossbar import HyperCrossbar, hyper_crossbar

# Parameters, and D and the VCs of dimension order (0: it does not serve the family), as in docs/reference/routing.md.
NETWORKS = [
    ("torus", {"radix": (5, 4)}, 2 + 2, 2),
    ("torus", {"radix": (3, 3)}, 1 + 1, 1),
    ("mesh", {"radix": (3, 4)}, 2 + 3, 1),
    ("hypercube", {"dimensions": 4}, 4, 1),
    ("hypercube", {"dimensions": 5, "folded": True}, 3, 1),
    ("hyper_crossbar", {"radix": (3, 4)}, 4, 1),
    ("fat_tree", {"arity": 3, "levels": 2}, 2, 0),
    ("fat_tree", {"arity": 2, "levels": 3}, 4, 0),
    ("hyperx", {"radix": (4, 3), "locals": 2}, 2, 1),
    ("hyperx", {"radix": (3, 2, 2), "multiplicity": (2, 1, 1)}, 3, 1),
    ("dragonfly", {"group_switches": 4, "global_links": 2}, 3, 0),
    ("dragonfly", {"group_switches": 4, "global_links": 2, "groups": 5}, 3, 0),
    ("slim_fly", {"q": 4, "locals": 1}, 2, 0),
    ("slim_fly", {"q": 5, "locals": 1}, 2, 0),
    ("random_regular", {"switches": 32, "degree": 4}, None, 0),
]


@pytest.fixture(params=NETWORKS, ids=lambda row: f"{row[0]} {row[1]}", scope="module")
def case(request):
    kind, params, longest, ordered = request.param
    topology = FAMILIES.get(kind).model_validate(params).build()
    if longest is None:
        longest = topology.figures.diameter
    return topology, longest, ordered


def algorithms(longest, ordered):
    """Return every algorithm with the VCs it needs."""
    bases = {"minimal": longest, "up_down": 1} | ({"dimension_order": ordered} if ordered else {})
    made = [(ALGORITHMS.get(base)(), vcs) for base, vcs in bases.items()]
    for kind in ("valiant", "ugal"):
        made += [(ALGORITHMS.get(kind)(base=base), 2 * vcs) for base, vcs in bases.items()]
    return made


def test_routes_arrive_and_are_free_of_deadlock_with_the_fewest_vcs(case):
    topology, longest, ordered = case
    assert longest_way(topology) == longest
    for algorithm, vcs in algorithms(longest, ordered):
        assert algorithm.least_vcs(topology) == vcs
        tables = algorithm.tables(topology, vcs)
        count = hops(topology, tables)[np.unique(topology.node_switch)]
        assert (count > 0).all()
        deadlock.check(topology, tables)


def test_every_escape_is_free_of_deadlock(case):
    topology, longest, ordered = case
    stored = {"buffering": "static", "max_packet": 4, "u_turn": True}
    escapes = [(Minimal(), longest, {}), (Minimal(), longest, stored), (UpDown(), 1, stored)]
    if ordered and not isinstance(topology, HyperCrossbar):
        escapes += [(DimensionOrder(), ordered, {}), (DimensionOrder(), ordered, stored)]
    for algorithm, vcs, buffering in escapes:
        params = SwitchParams(ports=topology.ports, vcs=vcs + 1, adaptive=AdaptiveParams(escape_vcs=vcs), **buffering)
        tables = with_choices(topology, algorithm.tables(topology, vcs), params)
        adaptive_deadlock.check(topology, tables, params)


@pytest.mark.parametrize("buffering", [{}, {"buffering": "static", "max_packet": 4}], ids=["wormhole", "stored"])
def test_dimension_order_is_no_escape_on_a_hyper_crossbar(buffering):
    """Choices lead to a crossbar of a higher dimension first; the escape route then enters its VC out of order."""
    topology = hyper_crossbar((3, 4))
    params = SwitchParams(ports=topology.ports, vcs=2, adaptive=AdaptiveParams(escape_vcs=1), **buffering)
    tables = with_choices(topology, DimensionOrder().tables(topology, 1), params)
    with pytest.raises(deadlock.DeadlockError, match="form a cycle in the channel dependency graph"):
        adaptive_deadlock.check(topology, tables, params)


@pytest.mark.parametrize("kind", ["fat_tree", "hyperx", "mesh", "hypercube"])
def test_one_vc_is_enough_for_shortest_paths_where_routing_md_says_so(kind):
    """On a tree up, then down; on the others by the lowest port, which is the order of dimensions."""
    topology = FAMILIES.get(kind)().build()
    spread = "balanced" if kind == "fat_tree" else "lowest"
    deadlock.check(topology, Minimal(spread=spread, vc_classes="none").tables(topology, 1))


def test_up_down_is_shortest_on_fat_trees():
    topology = FAMILIES.get("fat_tree").model_validate({"arity": 3, "levels": 3}).build()
    leaves = np.unique(topology.node_switch)
    count = [hops(topology, algorithm.tables(topology, 4))[leaves] for algorithm in (UpDown(), Minimal())]
    assert (count[0] == count[1]).all()


def test_detours_serve_every_family(case):
    topology, *_ = case
    tables = Valiant(base="up_down", paths=8).tables(topology, 2)
    ways = hops(topology, tables)[topology.node_switch]
    direct = hops(topology, Minimal(vc_classes="none").tables(topology, 1))[topology.node_switch]
    assert (ways >= np.repeat(direct, 8, axis=1)).all()
    assert ways.mean() > direct.mean()
