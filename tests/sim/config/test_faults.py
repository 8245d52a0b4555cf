"""The section [faults]: what fails, drawn at random or named, and what runs then."""

from itertools import pairwise

import pytest

from models.errors import TsujiError
from models.params.config_file import Table
from sim.config import load, load_network, read
from sim.simulation import checked_routes
from sim.topology.cables import cable_links


def network(*settings, kind="torus"):
    """Return the network that the section leaves of a 4×4 torus."""
    given = [f"topology.kind={kind}", *settings] if kind != "torus" else ["topology.radix=[4,4]", *settings]
    return load(None, given).networks.topologies()[0]


def cables(found):
    """Return the cables of a network as pairs of coordinates."""
    names = [tuple(each) for each in found.coordinates.tolist()]
    return {(names[one], names[other]) for one, _, other, _ in cable_links(found).tolist()}


def test_more_random_faults_contain_fewer():
    left = [cables(network(f"faults.random={count}")) for count in range(5)]
    assert [len(each) for each in left] == [32, 31, 30, 29, 28]
    for fewer, more in pairwise(left):
        assert more < fewer
    assert cables(network("faults.random=4", "faults.seed=2")) != left[4]


def test_random_switches_are_gone_with_their_nodes():
    left = network("faults.random_switches=2", "faults.random=1")
    assert (left.switches, left.nodes) == (14, 14)


@pytest.mark.parametrize(
    "settings",
    [
        ("torus", "faults.random=5"),
        ("torus", "faults.switches=[0, 5]", "faults.links=[[1, 2]]"),
        ("fat_tree", "topology.arity=2", "faults.random=4"),
        ("dragonfly", "faults.random=9", "faults.random_switches=2"),
    ],
)
@pytest.mark.parametrize("routing", ["up_down", "minimal"])
def test_routes_lead_around_faults(settings, routing):
    """And have no cycle of channels: `checked_routes` refuses one."""
    kind, *faults = settings
    given = [f"topology.kind={kind}", f"routing.kind={routing}", *faults, "switch.vcs=8"]
    topology, tables = checked_routes(load(None, [*given, *(["topology.radix=[4,4]"] if kind == "torus" else [])]))
    assert tables.found[topology.node_switch].all()


def test_up_down_is_the_default_beside_faults():
    assert load(None, ["faults.random=0"]).routing.kind == "up_down"
    assert load(None).routing.kind == "dimension_order"


def test_traffic_keeps_its_nodes_unless_some_are_gone():
    assert load(None, ["traffic.pattern=tornado", "faults.random=3"]).networks.for_traffic().name == "8×8 torus"
    with pytest.raises(TsujiError, match="without 0 cables and 1 switch"):
        load(None, ["traffic.pattern=tornado", "faults.switches=[3]"])


def test_a_configuration_with_faults_comes_back_from_its_document():
    config = load(None, ["faults.links=[[0, 1]]", "faults.random=2", "faults.seed=7"])
    assert read(Table(config.document())) == config


def test_a_message_names_the_line_of_its_key(tmp_path):
    path = tmp_path / "net.toml"
    path.write_text("[faults]\nlinks = [[0, 2]]\n")
    with pytest.raises(TsujiError, match=r"net\.toml:2: faults\.links: \[0, 2\]: 8×8 torus has no cable"):
        load_network(path).topologies()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("faults.links=[[0, 2]]", r"faults.links: \[0, 2\]: 4×4 torus has no cable between these switches"),
        ("faults.links=[[0, 16]]", "faults.links: switch 16: 4×4 torus has switches 0 to 15"),
        ("faults.switches=[99]", "faults.switches: switch 99: 4×4 torus has switches 0 to 15"),
        ("faults.random=33", "faults.random = 33: only 32 are left that can fail"),
        ("faults.random=-1", "faults.random = -1: .*greater than or equal to 0"),
        ("faults.random=32", "4×4 torus is cut: no path between"),
        ("planes.count=2", r"\[faults\]: with \[planes\] a node would have to know"),
        ("routing.kind=dimension_order", "4×4 torus without 1 cable and 0 switches is no torus"),
    ],
)
def test_mistakes_are_refused_by_key(setting, message):
    with pytest.raises(TsujiError, match=message):
        network("faults.random=1", setting)
