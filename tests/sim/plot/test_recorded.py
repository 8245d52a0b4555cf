import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.errors import TsujiError
from sim.plot.recorded import read_recorded
from tests.sim.plot.power_files import BASE_W, link_w, lpi_share, write_power

TORUS = ["topology.radix=[3, 4]"]
LINKS, SWITCHES = 48, 12


@pytest.fixture
def result(tmp_path):
    return write_power(tmp_path / "ring.parquet", TORUS, 7)


@pytest.mark.parametrize("name", ["ring.parquet", "ring.switches.parquet"])
def test_each_chunk_is_a_frame(result, name):
    found = read_recorded(result.with_name(name), ["mean_w", "lpi_share"], ["mean_w"])
    assert found.links["mean_w"].shape == (7, LINKS)
    for chunk in range(7):
        assert found.links["mean_w"][chunk] == pytest.approx(link_w(chunk, LINKS))
        assert found.links["lpi_share"][chunk] == pytest.approx(lpi_share(chunk, LINKS))
        by_switch = np.bincount(found.ends["switch"], link_w(chunk, LINKS), SWITCHES)
        assert found.switches["mean_w"][chunk] == pytest.approx(BASE_W + by_switch)
    assert found.edges_ns.tolist() == [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 65_000]
    assert found.title == "ring.py on 3×4 torus"
    assert found.topology.radix == (3, 4)
    assert found.ends["to_switch"].tolist() == found.topology.links[:, 2].tolist()


def test_joined_chunks_are_means_over_their_time(result):
    found = read_recorded(result, ["lpi_share"], [], frames=2)
    assert found.edges_ns.tolist() == [0, 40_000, 65_000]
    first = np.mean([lpi_share(chunk, LINKS) for chunk in range(4)], axis=0)
    weighted = np.average([lpi_share(chunk, LINKS) for chunk in (4, 5, 6)], axis=0, weights=[2, 2, 1])
    assert found.links["lpi_share"] == pytest.approx(np.stack((first, weighted)), rel=1e-6)


def test_a_time_is_in_the_frame_that_it_begins(result):
    found = read_recorded(result, [], [])
    assert [found.frame_at(ns) for ns in (0, 9_999, 10_000, 64_999, 65_000)] == [0, 0, 1, 6, 6]
    for ns in (-1, 65_001):
        with pytest.raises(TsujiError, match=r"must be from 0 to 65000 ns"):
            found.frame_at(ns)


def test_a_network_without_a_family_of_its_own_is_wired_as_its_links_say(tmp_path):
    edges = "topology.edges=[[0, 1], [1, 2], [2, 0], [0, 3]]"
    path = write_power(tmp_path / "graph.parquet", ["topology.kind=graph", edges], 2)
    about = pq.read_schema(path).metadata[b"tsuji"].replace(b'"file": null', b'"file": "elsewhere.txt"')
    for name in (path, path.with_suffix(".switches.parquet")):
        pq.write_table(pq.read_table(name).replace_schema_metadata({b"tsuji": about}), name)
    found = read_recorded(path, [], [])
    assert type(found.topology).__name__ == "Topology"
    ends = np.column_stack([found.ends[name] for name in ("switch", "port", "to_switch", "to_port")])
    assert found.topology.links.tolist() == ends.tolist()
    assert found.topology.node_switch.tolist() == [0, 1, 2, 3]


def bad(tmp_path, what):
    path = write_power(tmp_path / "x.parquet", TORUS, 2)
    if what == "csv":
        return path.with_suffix(".csv")
    if what == "gone":
        return tmp_path / "gone.parquet"
    if what == "no switches":
        path.with_suffix(".switches.parquet").unlink()
    if what == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    if what == "other":
        pq.write_table(pa.table({"a": [1]}), path)
    if what == "later":
        about = pq.read_schema(path).metadata[b"tsuji"].replace(b'"format_version": 1', b'"format_version": 2')
        pq.write_table(pq.read_table(path).replace_schema_metadata({b"tsuji": about}), path)
    return path


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("csv", "CSV does not say what ran"),
        ("gone", "no such file; write one with --power-file"),
        ("no switches", r"x.switches.parquet: cannot be read: no such file"),
        ("cut", "not a whole Parquet file"),
        ("other", "not a file of the energy account"),
        ("later", "not a file of the energy account"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path, what, said):
    with pytest.raises(TsujiError, match=said):
        read_recorded(bad(tmp_path, what))


def test_columns_and_frames_are_checked(result):
    with pytest.raises(TsujiError, match="has no column watts"):
        read_recorded(result, ["watts"])
    with pytest.raises(TsujiError, match=r"--frames 0: must be at least 1"):
        read_recorded(result, frames=0)
