"""Dragonflies: wiring by definition, figures by closed form."""

from collections import Counter

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.topology.cables import cable_lengths
from sim.topology.dragonfly import DragonflyFamily, dragonfly

NETWORKS = [(1, 3, None), (2, 1, None), (4, 2, None), (4, 2, 5), (4, 2, 3), (3, 4, 2), (6, 3, None)]


@pytest.mark.parametrize(("a", "h", "groups"), NETWORKS)
def test_cables_between_groups_and_inside(a, h, groups):
    network = dragonfly(a, h, groups, 1)
    g = groups or a * h + 1
    group = network.coordinates[:, 0]
    wired = Counter((group[switch], group[peer]) for switch, _, peer, _ in network.links.tolist())
    for one in range(g):
        for other in range(g):
            assert wired[one, other] == (a * (a - 1) if one == other else a * h // (g - 1))
    inside = {(switch, peer) for switch, _, peer, _ in network.links.tolist() if group[switch] == group[peer]}
    assert len(inside) == g * a * (a - 1)  # no two cables in parallel


@pytest.mark.parametrize(("a", "h", "groups"), NETWORKS)
def test_ports_lead_inside_then_to_other_groups(a, h, groups):
    network = dragonfly(a, h, groups, 2)
    g = groups or a * h + 1
    for switch in range(network.switches):
        group, place = network.coordinates[switch].tolist()
        assert (group, place) == divmod(switch, a)
        mates = [group * a + mate for mate in range(a) if mate != place]
        assert network.peer_switch[switch, : a - 1].tolist() == mates
        others = [other for other in range(g) if other != group]
        far = [others[(place * h + way) % (g - 1)] for way in range(h)]
        assert (network.peer_switch[switch, a - 1 : a - 1 + h] // a).tolist() == far
        assert network.port_node[switch, a - 1 + h :].tolist() == [2 * switch, 2 * switch + 1]


def test_the_largest_of_four_switches_a_group():
    """The global cables of groups 0 and 8 of nine, by hand."""
    network = dragonfly(4, 2, local_ports=1)
    assert network.peer_switch[0:4, 3:5].tolist() == [[4, 8], [12, 16], [20, 24], [28, 32]]
    assert network.peer_switch[32:36, 3:5].tolist() == [[3, 7], [11, 15], [19, 23], [27, 31]]


@pytest.mark.parametrize(("a", "h"), [(2, 1), (4, 2), (6, 3), (3, 2)])
def test_figures_are_the_closed_forms(a, h):
    """No path has more than one hop in each of both groups and one between them."""
    network = dragonfly(a, h)
    figures = network.figures
    assert (network.nodes, figures.degree, figures.diameter) == (a * h * (a * h + 1), a - 1 + h, 3)
    distance = network.distances(0)
    assert (distance == 1).sum() == a - 1 + h
    assert (distance <= 2).sum() <= a + h + 2 * h * (a - 1)  # out and then inside, or inside and then out
    assert figures.bisection_channels is None


def test_with_one_switch_a_group_it_is_a_full_mesh():
    assert dragonfly(1, 5).figures[:2] == (5, 1)


def test_nodes_balance_the_load_by_default():
    assert DragonflyFamily(group_switches=4, global_links=2).build().nodes == 72
    assert DragonflyFamily(group_switches=4, global_links=2, locals=1).build().nodes == 36


def test_local_and_global_cables_have_their_cycles():
    family = DragonflyFamily(group_switches=3, global_links=2, locals=1, latencies=(1, 50), intervals=(1, 4))
    network = family.build()
    assert network.link_latency.tolist() == [[1, 1, 50, 50, 0]] * 21
    assert network.link_interval.tolist() == [[1, 1, 4, 4, 1]] * 21


def test_groups_are_rows_of_the_hall():
    network = DragonflyFamily(group_switches=2, global_links=1, groups=3, spacing=1).build()
    assert network.positions.tolist() == [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1], [1, 1]]
    lengths = [1, 1, 1, 2, 2, 3]  # inside; then between switches 0 and 2, 1 and 4, 3 and 5
    assert cable_lengths(network) == (sum(lengths), sum(lengths) / 6, max(lengths))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["groups=4"], r"topology\.groups = 4: the 8 global cables of a group .* 3 other groups; allowed: 2, 3, 5, 9"),
        (["groups=10"], r"topology\.groups = 10: "),
        (["group_switches=50", "global_links=10"], r"topology\.group_switches = 50: switches of 69 ports; at most 62"),
        (["group_switches=32", "global_links=15", "locals=1", "latencies=[1]"], "2 values: local, global"),
    ],
)
def test_bad_networks_are_refused_by_name(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, ["topology.kind=dragonfly", *(f"topology.{setting}" for setting in settings)])


def test_every_group_reaches_every_other_by_one_cable():
    network = dragonfly(4, 2)
    group = network.coordinates[:, 0]
    port = np.arange(network.ports)
    assert ((group[network.peer_switch] == group[:, None])[:, port < network.first_global]).all()
    assert not ((group[network.peer_switch] == group[:, None])[:, (port >= 3) & (port < 5)]).any()


@pytest.mark.parametrize("arrangement", ["absolute", "relative", "palmtree", "circulant"])
@pytest.mark.parametrize(("a", "h", "groups"), NETWORKS)
def test_every_arrangement_joins_all_pairs_of_groups(a, h, groups, arrangement):
    network = dragonfly(a, h, groups, 1, arrangement)
    g = groups or a * h + 1
    group = network.coordinates[:, 0]
    wired = Counter((group[switch], group[peer]) for switch, _, peer, _ in network.links.tolist())
    assert {wired[one, other] for one in range(g) for other in range(g) if one != other} == {a * h // (g - 1)}
    assert network.figures.diameter <= 3


@pytest.mark.parametrize(
    ("arrangement", "of_0", "of_2"),
    [  # groups behind the four global ports of groups 0 and 2 of five, by hand
        ("absolute", [1, 2, 3, 4], [0, 1, 3, 4]),
        ("relative", [1, 2, 3, 4], [3, 4, 0, 1]),
        ("palmtree", [4, 3, 2, 1], [1, 0, 4, 3]),
        ("circulant", [1, 4, 2, 3], [3, 1, 4, 0]),
    ],
)
def test_arrangements_by_hand(arrangement, of_0, of_2):
    network = dragonfly(2, 2, arrangement=arrangement)
    for group, far in ((0, of_0), (2, of_2)):
        assert (network.peer_switch[2 * group : 2 * group + 2, 1:3].ravel() // 2).tolist() == far


def test_an_arrangement_that_does_not_exist_is_refused():
    with pytest.raises(TsujiError, match=r"topology\.arrangement = 'random': Input should be 'absolute'"):
        load(None, ["topology.kind=dragonfly", "topology.arrangement=random", "routing.kind=up_down"])
