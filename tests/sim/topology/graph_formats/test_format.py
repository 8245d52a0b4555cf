"""Every format: one network in each, and files that are broken in any way end with file and line."""

import re
import time
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.errors import TsujiError
from sim.topology.graph import GraphFamily
from sim.topology.graph_formats.format import FORMATS, format_of, read_graph
from tests.sim.topology.graph_formats_cases import TEXTS

PLACED = '{"nodes": [{"id": 0, "x": %s, "y": 0}, {"id": 1, "x": 0, "y": 0}], "links": [{"source": 0, "target": 1}]}'
WITHOUT_LATENCY = ("adjacency_list", "rocketfuel", "ibnetdiscover", "ns3")


@pytest.mark.parametrize("name", FORMATS.names())
@pytest.mark.filterwarnings("ignore")
def test_one_ring_in_every_format(name, tmp_path):
    path = tmp_path / "ring.file"
    path.write_text(TEXTS[name])
    network = GraphFamily(file=path, format=name).build()
    assert network.peer_switch[:, :2].tolist() == [[1, 2], [0, 2], [0, 1]]
    assert network.node_switch.tolist() == [0, 1, 2]
    assert network.link_latency[0, :2].tolist() == [0 if name in WITHOUT_LATENCY else 2, 0]


@pytest.mark.parametrize("name", FORMATS.names())
def test_an_ending_selects_its_format(name, tmp_path):
    for suffix in FORMATS.get(name).suffixes:
        assert format_of(tmp_path / f"net{suffix.upper()}") == name
    assert format_of(tmp_path / "net.of_nobody") == "cables"


def test_formats_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match=r"format = 'dot': must be one of adjacency_list, cables, csv"):
        GraphFamily(file="a.txt", format="dot")


def refusal(path, name):
    """Return the message with which a file is refused; None if it is a network."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            GraphFamily(file=path, format=name).build()
    except TsujiError as error:
        return str(error)
    return None


def broken(text, draw):
    """Return a text with pieces cut out, doubled, or replaced by junk."""
    junk = st.sampled_from(
        ['"', "[", "]", "{", "}", "<", "/>", "\n", "\n\n", "-1", "1e99", "nan", "ü", "\x00", "#", "x y", ","]
    )
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        end = draw(st.integers(at, min(len(text), at + 12)))
        text = text[:at] + draw(st.one_of(junk, st.just(""), st.just(text[at:end] * 2))) + text[end:]
    return text


@pytest.mark.parametrize("name", FORMATS.names())
def test_broken_files_end_in_one_line_with_file_and_line(name, tmp_path):
    path = tmp_path / "broken.file"
    refused = []

    @settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def read(data):
        path.write_bytes(broken(TEXTS[name], data.draw).encode())
        message = refusal(path, name)
        if message is not None:
            refused.append(message)
            assert re.match(rf"{re.escape(str(path))}:[1-9]\d*: ", message), message
            assert "\n" not in message

    read()
    assert refused


def test_bytes_that_are_no_text_have_a_line(tmp_path):
    path = tmp_path / "net.txt"
    path.write_bytes(b"a b\nb \xff\n")
    assert refusal(path, None) == f"{path}:2: cannot be read: not UTF-8 text"


def test_places_are_lines(tmp_path):
    path = tmp_path / "net.json"
    path.write_text(TEXTS["node_link"])
    graph = read_graph(path)
    assert [data["place"] for *_, data in graph.edges(data=True)] == [f"{path}:{line}" for line in (6, 8, 7)]
    assert graph.nodes["c"]["place"] == f"{path}:4"
    assert np.unique([data["place"] for _, data in graph.nodes(data=True)]).tolist() == [f"{path}:3", f"{path}:4"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("attribute", ["graph", "one", "other", "vertex", "key", "u_for_edge", "node_for_adding"])
def test_attributes_may_have_any_name(attribute, tmp_path):
    texts = {
        "csv": f"source,target,{attribute}\na,b,0\na,b,0\n",
        "edge_list": f"a b {{'{attribute}': 0}}\na b {{'{attribute}': 0}}\n",
        "node_link": f'{{"nodes": [{{"id": "a", "{attribute}": 0}}, {{"id": "b"}}], "directed": true, "links": ['
        + ", ".join(f'{{"source": "{a}", "target": "{b}", "{attribute}": 0}}' for a, b in ("ab", "ba") * 2)
        + "]}",
    }
    for name, text in texts.items():
        path = tmp_path / "net.file"
        path.write_text(text)
        network = GraphFamily(file=path, format=name).build()
        assert (network.peer_switch[0] == 1).sum() == 2, name  # two parallel cables


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("cables", f"0 1 {'9' * 5000}\n", "latency = 999"),
        ("csv", f"source,target,bandwidth\n0,1,1{'0' * 400}\n1,2,4\n", "bandwidth = 1000"),
        ("csv", "source,target,bandwidth\n0,1,1e-200\n1,2,1e200\n", "one flit in inf cycles"),
        ("csv", "source,target,delay\n0,1,1e290ns\n1,2,1ns\n", "inf cycles of topology.cycle_ns"),
        ("edge_list", "0 1 {[1]: 2}\n", "must be a weight, or attributes"),
        ("graphml", '<?xml version="1.0" encoding="foo"?><graphml/>', "unknown encoding: foo; must be UTF-8"),
        ("graphml", '<?xml version="1.0" encoding="shift_jis"?><graphml/>', "must be UTF-8"),
        ("ibnetdiscover", f'Switch 36 "S-1"\n[{"9" * 5000}] "S-2"[1]\n', "no line of ibnetdiscover"),
        ("ibnetdiscover", f'Switch 36 "S-1"\n[1] "S-2"[1] {"9" * 400}xHDR\n', "no line of ibnetdiscover"),
        ("node_link", PLACED % ("1" + "0" * 400), "must be a number of metres"),
        ("node_link", PLACED % "NaN", "must be a number of metres"),
    ],
)
def test_values_out_of_all_range_are_refused(name, text, message, tmp_path):
    path = tmp_path / "net.file"
    path.write_text(text)
    with pytest.raises(TsujiError, match=rf"net\.file:\d+: .*{re.escape(message)}"):
        GraphFamily(file=path, format=name, cycle_ns=1e-30).build()


def test_numbers_of_switches_may_be_long(tmp_path):
    path = tmp_path / "net.file"
    path.write_text(f"{'9' * 5000} 10\n10 9\n")
    assert [name[:2] for name in read_graph(path)] == ["9", "10", "99"]


def test_blank_lines_take_no_time(tmp_path):
    path = tmp_path / "net.gml"
    path.write_text("\n" * 30_000 + TEXTS["gml"])
    begin = time.process_time()
    assert len(read_graph(path)) == 3
    assert time.process_time() - begin < 1.0  # 3 s if each blank line were searched to the end of all
