"""Directed graphs as cables."""

import networkx as nx
import pytest

from models.errors import TsujiError
from sim.topology.graph_formats.arcs import as_cables


def arcs(*edges):
    """Return a directed graph; each edge is on a line of its own."""
    graph = nx.MultiDiGraph()
    for line, (one, other, data) in enumerate(edges, 1):
        graph.add_edge(one, other, place=f"f:{line}", **data)
    return graph


def test_opposite_arcs_are_a_cable(recwarn):
    made = as_cables(arcs(("a", "b", {"weight": 1}), ("b", "a", {"weight": 4}), ("a", "b", {}), ("b", "a", {})), "f")
    assert [data.get("weight") for *_, data in made.edges(data=True)] == [4, None]
    assert not [each for each in recwarn if each.category is UserWarning]  # sockets of other tests may be collected


def test_arcs_without_any_opposite_are_cables():
    with pytest.warns(UserWarning, match="f: directed, and no arc has its opposite"):
        assert as_cables(arcs(("a", "b", {}), ("b", "c", {})), "f").number_of_edges() == 2


def test_an_arc_that_alone_lacks_its_opposite_is_refused():
    with pytest.raises(TsujiError, match="f:3: an arc from b to c, but none back, as other arcs have"):
        as_cables(arcs(("a", "b", {}), ("b", "a", {}), ("b", "c", {})), "f")


def test_arcs_that_differ_are_refused():
    with pytest.raises(TsujiError, match=r"f:2: latency = None, and 3 the other way \(f:1\)"):
        as_cables(arcs(("a", "b", {"latency": 3}), ("b", "a", {})), "f")
