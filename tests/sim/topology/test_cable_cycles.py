"""Latency and interval of cables from cycles, times, bandwidths and weights."""

import networkx as nx
import pytest

from models.errors import TsujiError
from sim.topology.cable_cycles import CableScale, with_cycles
from sim.topology.graph import GraphFamily, from_networkx, to_keys


def cycles(scale=None, **attributes):
    """Return latency and interval of each cable between a and b, beside one of 400 Gbit/s from b to c."""
    graph = nx.MultiGraph()
    graph.add_edge("b", "c", **({"bandwidth": 4e11} if "bandwidth" in attributes else {}))
    graph.add_edge("a", "b", **attributes)
    made = with_cycles(graph, scale or CableScale(), "net")
    return [(data["latency"], data["interval"]) for one, other, data in made.edges(data=True) if "a" in (one, other)]


@pytest.mark.parametrize(
    ("attributes", "scale", "expected"),
    [
        ({"latency": 2.0}, CableScale(), [(2, 1)]),
        ({"interval": 3.0}, CableScale(), [(0, 3)]),
        ({"bandwidth": 1e11}, CableScale(), [(0, 4)]),
        ({"bandwidth": "150Gbps"}, CableScale(), [(0, 3)]),
        ({"bandwidth": "50 GB/s"}, CableScale(), [(0, 1)]),
        ({"bandwidth": "100G"}, CableScale(bandwidth=8e11), [(0, 8)]),
        ({"delay": "0.0005ms"}, CableScale(cycle_ns=2.0), [(250, 1)]),
        ({"latency": "7ns"}, CableScale(cycle_ns=2.0), [(4, 1)]),
        ({"weight": 3.4}, CableScale("latency"), [(3, 1)]),
        ({"weight": 3}, CableScale("cables"), [(0, 1)] * 3),
    ],
)
def test_what_a_cable_says_becomes_cycles(attributes, scale, expected, recwarn):
    assert cycles(scale, **attributes) == expected
    assert not [each for each in recwarn if each.category is UserWarning]  # sockets of other tests may be collected


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"weight": 3}, 'without effect: weight; topology.weights = "latency" or "cables" uses the weight'),
        ({"delay": "5ns"}, "without effect: delay; topology.cycle_ns, the length of a cycle, turns times into cycles"),
        ({"colour": "red"}, "net: attributes of cables without effect: colour"),
    ],
)
def test_what_has_no_effect_is_named(attributes, message):
    with pytest.warns(UserWarning, match=message):
        assert cycles(**attributes) == [(0, 1)]


@pytest.mark.parametrize(
    ("attributes", "scale", "message"),
    [
        ({"latency": 2.5}, CableScale(), r"net: cable b – a: latency = 2\.5: must be a whole number, 0 to 1023"),
        (
            {"latency": "x"},
            CableScale(),
            "latency = 'x': must be a time with its unit, such as 5ns, or cycles, 0 to 1023",
        ),
        ({"latency": 1, "delay": "1ns"}, CableScale(), "latency and delay: one of them says the latency"),
        ({"latency": 1, "weight": 2}, CableScale("latency"), "latency and weight: one of them"),
        ({"weight": "x"}, CableScale("latency"), "weight = 'x': must be a number of cycles, 0 to 1023"),
        ({"weight": 0}, CableScale("cables"), "weight = 0: must be a whole number, 1 to 61"),
        ({"delay": "5"}, CableScale(cycle_ns=1.0), "delay = '5': must be a time with its unit"),
        ({"delay": "1s"}, CableScale(cycle_ns=1.0), "1000000000 cycles of topology.cycle_ns = 1; at most 1023"),
        ({"bandwidth": 0}, CableScale(), "bandwidth = 0: must be above 0"),
        ({"bandwidth": "fast"}, CableScale(), "bandwidth = 'fast': must be above 0"),
        ({"bandwidth": "10M"}, CableScale(), "one flit in 40000 cycles, as 4e\\+11 bit/s carry one per cycle"),
        ({"bandwidth": 1, "interval": 2}, CableScale(), "bandwidth and interval: one of them"),
    ],
)
def test_wrong_values_are_refused_by_place(attributes, scale, message):
    with pytest.raises(TsujiError, match=message):
        cycles(scale, **attributes)


def test_faster_cables_than_one_flit_per_cycle_are_named():
    with pytest.warns(UserWarning, match=r"faster than topology.bandwidth = 1e\+11 bit/s carry one flit per cycle"):
        assert cycles(CableScale(bandwidth=1e11), bandwidth=2e11) == [(0, 1)]


def test_a_graph_of_python_has_the_same_meaning():
    graph = nx.Graph()
    graph.add_edge(0, 1, capacity="100G", latency=2.0)
    graph.add_edge(1, 2, capacity="25G")
    made = GraphFamily(**{key: value for key, value in to_keys(graph).items() if key != "kind"}).build()
    assert made.link_interval.tolist() == from_networkx(graph).link_interval.tolist()
    assert made.link_interval[1, :2].tolist() == [1, 4]
    assert made.link_latency[0, 0] == 2


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"edges": [[0, 1]], "bandwidth": "1G"}, "bandwidth = '1G': only a file uses it"),
        ({"edges": [[0, 1]], "weights": "cables"}, "weights = 'cables': only a file uses it"),
        ({"file": "a.txt", "bandwidth": "fast"}, "bandwidth = 'fast': must be above 0"),
    ],
)
def test_keys_of_files_are_refused_without_one_or_if_wrong(keys, message):
    with pytest.raises(ValueError, match=message):
        GraphFamily(**keys)
