"""Tables of cables: their column names, units, delimiters."""

import pytest

from models.errors import TsujiError
from sim.topology.graph import GraphFamily
from sim.topology.graph_formats.format import read_graph


def cables(tmp_path, text):
    """Return the ends and attributes of each row's cable."""
    path = tmp_path / "net.csv"
    path.write_text(text)
    edges = read_graph(path).edges(data=True)
    return [(*sorted((a, b)), {key: value for key, value in data.items() if key != "place"}) for a, b, data in edges]


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("a,b\n", {}),
        ("a;b;3;2\n", {"latency": 3, "interval": 2}),
        ("Dst\tBandwidth\tSrc\nb\t10Gbps\ta\n", {"bandwidth": "10Gbps"}),
        ("gpu_a,gpu_b,kind,Bandwidth (MB/s),Latency [ns]\na,b,x,32000,300\n", None),
        ('# made by hand\nsource,target,weight\n"a","b",2.5\n', {"weight": 2.5}),
        (":START_ID,metric:int,:END_ID\na,7,b\n", {"metric:int": 7}),
    ],
)
def test_columns(text, attributes, tmp_path):
    with_units = {"kind": "x", "bandwidth": "32000MB/s", "latency": "300ns"}
    assert cables(tmp_path, text) == [("a", "b", with_units if attributes is None else attributes)]


def test_rows_from_both_ends_are_one_cable(tmp_path):
    with pytest.warns(UserWarning, match="every cable is listed from both its ends, and counted once"):
        assert cables(tmp_path, "a,b\nb,c\nb,a\nc,b\n") == [("a", "b", {}), ("b", "c", {})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a,b,1,1,1\n",
            r"net\.csv:1: 5 columns; must be source, target, latency, interval; a first row can name others",
        ),
        ("a,b\na,\n", r"net\.csv:2: a, : lacks one of its two switches"),
        ('a,b\n"a,b\n', r"net\.csv:2: not CSV: unexpected end of data"),
        ("source,target,bandwidth\na,b,fast\n", r"net\.csv:2: cable a – b: bandwidth = 'fast': must be above 0"),
    ],
)
def test_wrong_rows_are_refused(text, message, tmp_path):
    (tmp_path / "net.csv").write_text(text)
    with pytest.raises(TsujiError, match=message):
        GraphFamily(file=tmp_path / "net.csv").build()


@pytest.mark.parametrize(("names", "twice"), [("latency,latency", "latency"), ("Latency [ns],latency", "latency")])
def test_two_columns_of_one_name_are_refused(names, twice, tmp_path):
    with pytest.raises(TsujiError, match=rf"net\.csv:1: two columns {twice}; leave one out"):
        cables(tmp_path, f"source,target,{names}\na,b,1,2\n")
