"""Networks from graphs: files, networkx, and error messages that name the place."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from models.params.config_file import Table, build, read_config
from sim.topology.cables import cable_lengths
from sim.topology.graph import GraphFamily, from_networkx, to_keys

EXAMPLES = Path(__file__).parents[3] / "examples"


def written(tmp_path, text, name="graph.txt"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_the_petersen_graph():
    network = GraphFamily(file=EXAMPLES / "petersen.txt", locals=2).build()
    assert network.name == "petersen"
    assert network.figures[:3] == (3, 2, pytest.approx((3 * 1 + 6 * 2) * 2 / 19))
    assert nx.is_isomorphic(nx.Graph(network.links[:, [0, 2]].tolist()), nx.petersen_graph())
    for switch, port, peer, _ in network.links.tolist():
        kind = (switch >= 5) + (peer >= 5)
        assert (network.link_latency[switch, port], network.link_interval[switch, port]) == ((0, 1), (2, 1), (0, 2))[
            kind
        ]
    assert network.port_node[:, 3:].tolist() == np.arange(20).reshape(10, 2).tolist()


def test_switches_are_in_order_of_numbers_or_of_appearance(tmp_path):
    numbers = GraphFamily(file=written(tmp_path, "10 9\n9 8\n\n # all\n")).build()
    assert numbers.peer_switch[:, :2].tolist() == [[1, -1], [0, 2], [1, -1]]
    names = GraphFamily(file=written(tmp_path, "root left\nroot right 5 # slow\n")).build()
    assert names.peer_switch[:, :2].tolist() == [[1, 2], [0, -1], [0, -1]]
    assert names.link_latency[:, :2].tolist() == [[0, 5], [0, 0], [5, 0]]


def test_parallel_cables_keep_their_cycles(tmp_path):
    network = GraphFamily(file=written(tmp_path, "a b 1\nb a 7\na c 3\n")).build()
    assert network.peer_switch[0].tolist() == [1, 1, 2, -1]
    assert network.link_latency[0].tolist() == [1, 7, 3, 0]
    assert network.peer_port[1, :2].tolist() == [0, 1]


def test_graphml_has_nodes_places_and_cycles(tmp_path):
    graph = nx.MultiGraph()
    graph.add_node("spine", nodes=0, x=0.0, y=0.0)
    graph.add_node("leaf 1", nodes=2, x=3.0, y=0.0)
    graph.add_node("leaf 2", x=0.0, y=4.5)
    graph.add_edge("spine", "leaf 1", latency=5)
    graph.add_edge("leaf 2", "spine", interval=4)
    path = tmp_path / "tree.graphml"
    nx.write_graphml(graph, path)
    network = GraphFamily(file=path, locals=3).build()
    assert network.node_switch.tolist() == [1, 1, 2, 2, 2]
    assert network.node_port.tolist() == [2, 3, 2, 3, 4]
    assert network.link_latency[0].tolist() == [5, 0, 0, 0, 0]
    assert network.link_interval[0].tolist() == [1, 4, 1, 1, 1]
    assert cable_lengths(network) == (7.5, 3.75, 4.5)
    again = from_networkx(graph, 3)
    assert (again.peer_switch == network.peer_switch).all()
    assert (again.positions == network.positions).all()


@pytest.mark.parametrize("seed", range(5))
def test_any_graph_of_networkx(seed):
    graph = nx.connected_watts_strogatz_graph(17, 4, 0.6, seed=seed)
    network = from_networkx(graph)
    assert {(a, b) for a, _, b, _ in network.links.tolist()} == {*graph.edges, *((b, a) for a, b in graph.edges)}
    assert network.figures.diameter == nx.diameter(graph)
    assert network.figures.mean_distance == pytest.approx(nx.average_shortest_path_length(graph))


def test_a_file_stands_beside_the_configuration_that_names_it(tmp_path):
    folder = tmp_path / "networks"
    folder.mkdir()
    written(folder, "a b\n")
    config = written(folder, '[topology]\nfile = "graph.txt"\n', "config.toml")
    for overrides, path in (([], folder / "graph.txt"), (["topology.file=other.txt"], Path("other.txt"))):
        table = read_config(config, overrides)
        family = build(GraphFamily, table["topology"], table, "topology")
        assert family.file == path
        assert family.files == (path,)
        assert GraphFamily.model_validate(family.model_dump(mode="json")) == family


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\n\na\n", r"graph\.txt:3: a: write two switches, and latency and interval if any"),
        ("a b 1 2 3\n", r"graph\.txt:1: a b 1 2 3: write two switches"),
        ("a b\nb c -1\n", r"graph\.txt:2: latency = -1: must be a whole number"),
        ("a b\nb c 2000\n", r"graph\.txt:2: cable b – c: latency = 2000: must be a whole number, 0 to 1023"),
        ("a b 1 0\n", r"graph\.txt:1: cable a – b: interval = 0: must be a whole number, 1 to 1023"),
        ("a b\nb b\n", r"graph\.txt:2: a cable from switch b to itself"),
        ("a b\nc d\n", r"graph\.txt:2: switch c: no path from switch a"),
        ("# nothing\n", r"graph\.txt:1: the file ends without a switch"),
        (
            "\n".join(f"hub s{n}" for n in range(62)),
            r"graph\.txt:1: switch hub: 62 cables, .*: switches of 63 ports; at most 62",
        ),
    ],
)
def test_bad_lines_are_refused_by_number(text, message, tmp_path):
    with pytest.raises(TsujiError, match=message):
        GraphFamily(file=written(tmp_path, text)).build()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": -1}, r"g\.graphml:\d+: switch a: nodes = -1: must be a whole number, 0 to 62"),
        ({"nodes": 1.5}, r"g\.graphml:\d+: switch a: nodes = 1\.5: must be a whole number"),
        ({"x": 1.0}, r"g\.graphml:\d+: switch a: y = None: must be a number of metres; all switches have x, y, or"),
        ({"z": 1.0}, r"g\.graphml:\d+: switch a: x = None: .* all switches have x, y, z, or none"),
    ],
)
def test_bad_attributes_are_refused_by_name(change, message, tmp_path):
    graph = nx.Graph([("a", "b")])
    graph.nodes["a"].update(change)
    nx.write_graphml(graph, tmp_path / "g.graphml")
    with pytest.raises(TsujiError, match=message):
        GraphFamily(file=tmp_path / "g.graphml").build()


def test_a_cable_to_a_switch_that_is_not_declared_is_refused(tmp_path):
    nx.write_graphml(nx.Graph([("a", "b"), ("b", "c")]), tmp_path / "g.graphml")
    text = (tmp_path / "g.graphml").read_text().replace('<node id="c" />', "")
    with pytest.raises(TsujiError, match=r"u\.graphml:\d+: cable b – c: no node has the id c"):
        GraphFamily(file=written(tmp_path, text, "u.graphml")).build()


def test_what_is_no_network_is_refused(tmp_path):
    with pytest.raises(TsujiError, match=r"bad\.xml:1: not GraphML: unclosed token"):
        GraphFamily(file=written(tmp_path, "<graphml", "bad.xml")).build()
    with pytest.raises(TsujiError, match=r"topology\.file = .*none\.txt: cannot be read: No such file"):
        GraphFamily(file=tmp_path / "none.txt").build()
    with pytest.raises(TsujiError, match="graph: directed"):
        from_networkx(nx.DiGraph([("a", "b")]))
    with pytest.raises(TsujiError, match="graph: switch a: no switch has nodes"):
        from_networkx(nx.Graph([("a", "b")]), 0)
    with pytest.raises(TsujiError, match="graph: cable a – b: latency = True: must be a whole number"):
        from_networkx(nx.Graph([("a", "b", {"latency": True})]))


def test_a_graph_written_out_is_the_graph_of_a_file(tmp_path):
    read = GraphFamily(file=written(tmp_path, "0 1 4\n1 2 0 3\n2 0\n"), locals=2).build()
    given = GraphFamily(edges=((0, 1, 4), (1, 2, 0, 3), (2, 0)), locals=2).build()
    for name in ("peer_switch", "peer_port", "link_latency", "link_interval", "node_switch", "node_port"):
        assert np.array_equal(getattr(read, name), getattr(given, name)), name
    assert GraphFamily(edges=((0, 1), (1, 2)), populations=(2, 0, 1)).build().node_switch.tolist() == [0, 0, 2]


def test_keys_of_a_graph_make_its_network():
    graph = nx.Graph()
    graph.add_node("leaf", nodes=3)
    graph.add_edge("leaf", "spine", latency=7)
    graph.add_edge("spine", "other", interval=2)
    graph.nodes["spine"]["nodes"] = 0
    keys = to_keys(graph)
    assert keys.pop("kind") == "graph"
    made, wanted = GraphFamily(**keys).build(), from_networkx(graph)
    for name in ("peer_switch", "peer_port", "link_latency", "link_interval", "node_switch", "node_port"):
        assert np.array_equal(getattr(made, name), getattr(wanted, name)), name


def test_vertices_that_do_not_say_have_as_many_nodes_as_the_family_says():
    keys = to_keys(nx.path_graph(3))
    assert keys.pop("kind") == "graph"
    assert GraphFamily(**keys, locals=2).build().nodes == 6


def test_a_directed_graph_has_no_keys():
    with pytest.raises(TsujiError, match="topology: directed; a cable carries both ways"):
        to_keys(nx.DiGraph([(0, 1)]))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "topology.file or edges: one of both"),
        ({"edges": [[0, 1]], "file": "a.txt"}, "topology.file or edges: one of both"),
        ({"edges": [[0, 1]], "populations": [1]}, r"topology.populations = \[1\]: must be one for each of 2 switches"),
        ({"file": "a.txt", "populations": [1]}, "topology.populations: only edges use it"),
        ({"edges": [[0]]}, r"topology.edges\[0\] = .*at least 2 items"),
        ({"edges": [[0, -1]]}, r"topology.edges\[0\]\[1\] = .*greater than or equal to 0"),
        ({"edges": [[0, 4000000000]]}, "topology.edges: switch 4000000000: must be below 131072"),
        ({"edges": [[0, 1]], "populations": [1, 1], "locals": 2}, "topology.locals = 2: populations says how many"),
    ],
)
def test_graphs_that_say_too_little_or_too_much_are_refused(keys, message):
    with pytest.raises(TsujiError, match=message):
        build(GraphFamily, keys, Table(), "topology")


def test_edges_that_make_no_network_are_refused():
    with pytest.raises(TsujiError, match=r"topology\.edges: switch 2: no path from switch 0"):
        GraphFamily(edges=((0, 1), (2, 3))).build()
