"""Routes from files: round trips, and files that lose packets, lead round in circles or can deadlock."""

import bz2
import gzip
import lzma
import re

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.errors import TsujiError
from sim.files.table_file import write_frame
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.dimension_order import DimensionOrder
from sim.routing.file import FileRouting, route_rows
from sim.routing.minimal import Minimal
from sim.routing.up_down import UpDown
from sim.routing.valiant import Valiant
from sim.topology.dragonfly import dragonfly
from sim.topology.fat_tree import fat_tree
from sim.topology.torus import grid

PAIRS = [
    (grid((4, 4), wrap=True), DimensionOrder(), 2),
    (grid((3, 3), wrap=False), Minimal(), 4),
    (fat_tree(2, 3), UpDown(), 1),
    (dragonfly(2, 1), Minimal(), 3),
]
RING = grid((4,), wrap=True)
HEAD = "switch,destination,port\n"


def written(tmp_path, text, name="routes.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize(("network", "routing", "vcs"), PAIRS, ids=lambda each: getattr(each, "name", ""))
def test_routes_survive_the_way_through_a_file(network, routing, vcs, suffix, tmp_path):
    tables = routing.tables(network, vcs)
    write_frame(route_rows(tables), tmp_path / f"routes{suffix}")
    read = FileRouting(file=tmp_path / f"routes{suffix}").tables(network, vcs)
    for name in ("out", "vc_first", "vc_last"):
        assert np.array_equal(getattr(read, name)[tables.found], getattr(tables, name)[tables.found]), name
    assert np.array_equal(read.found, tables.found)


def test_own_nodes_and_vcs_may_be_left_out(tmp_path):
    text = HEAD + "".join(
        f"{switch},{node},{(node - switch) % 4 > 2:d}\n" for switch in range(4) for node in range(4) if switch != node
    )
    tables = FileRouting(file=written(tmp_path, text)).tables(RING, 3)
    assert tables.out[[0, 1, 2, 3], [0, 1, 2, 3]].tolist() == [2] * 4
    assert (tables.vc_first == 0).all()
    assert (tables.vc_last == 2).all()


def test_a_cycle_of_channels_is_named(tmp_path):
    text = HEAD + "".join(f"{switch},{node},0\n" for switch in range(4) for node in range(4) if switch != node)
    tables = FileRouting(file=written(tmp_path, text)).tables(RING, 2)
    with pytest.raises(
        TsujiError, match=r"4 channels form a cycle[\s\S]*switch 0 \(0\) port 0 → switch 1 \(1\) port 1"
    ):
        deadlock.check(RING, tables)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"routes\.csv: no table of routes: No columns to parse"),
        (
            "switch,port\n",
            r"routes\.csv:1: columns switch, port: must be switch, destination, port and, if any, vc_first",
        ),
        (HEAD + "0,1,0\n0,x,0\n", r"routes\.csv:3: destination = x: must be a whole number"),
        (HEAD + "0,1,0\n\n0,,0\n", r"routes\.csv:4: destination is missing: must be a whole number"),
        (HEAD + "0,1,0,7\n", r"routes\.csv:2: more columns than line 1 names"),
        (HEAD + "4,1,0\n", r"routes\.csv:2: switch = 4: 4 torus has 0 to 3"),
        (HEAD + "0,4,0\n", r"routes\.csv:2: destination = 4: 4 torus has 0 to 3"),
        (HEAD + "0,1,3\n", r"routes\.csv:2: port = 3: 4 torus has 0 to 2"),
        (HEAD + "0,1,2\n", r"routes\.csv:2: port 2 of switch 0 leads to node 0, not to a switch or node 1"),
        (HEAD + "0,1,0\n0,1,1\n", r"routes\.csv:3: switch 0 has a route to node 1 already \(.*routes\.csv:2\)"),
        (HEAD + "0,1,0\n", r"no route at switch 0 to node 2; packets are lost from node to node 0 → 2, 0 → 3, 1 → 0"),
        (
            "switch,destination,port,vc_first,vc_last\n0,1,0,0,2\n",
            r"routes\.csv:2: vc_last = 2: the network has VCs 0 to 1",
        ),
        ("switch,destination,port,vc_first,vc_last\n0,1,0,1,0\n", r"routes\.csv:2: vc_last = 0: is below vc_first = 1"),
        ("switch,destination,port,vc_first,vc_last\n0,1,0,-1,0\n", r"routes\.csv:2: vc_first = -1: "),
    ],
)
def test_wrong_files_are_refused_by_line(text, message, tmp_path):
    with pytest.raises(TsujiError, match=message):
        FileRouting(file=written(tmp_path, text)).tables(RING, 2)


def test_a_circle_is_refused(tmp_path):
    ways = {0: 0, 1: 1, 3: 0}  # 0 → 1 → 0
    text = HEAD + "".join(
        f"{switch},{node},{ways[switch] if node == 2 else (node - switch) % 4 > 2:d}\n"
        for switch in range(4)
        for node in range(4)
        if switch != node
    )
    with pytest.raises(TsujiError, match=r"routes\.csv:\d+: packets to node 2 go round in circles through switch [01]"):
        FileRouting(file=written(tmp_path, text)).tables(RING, 2)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(TsujiError, match=r"routing\.file is not set"):
        FileRouting().tables(RING, 2)
    with pytest.raises(TsujiError, match=r"routing.file = .*none\.csv: cannot be read: No such file"):
        FileRouting(file=tmp_path / "none.csv").tables(RING, 2)
    with pytest.raises(TsujiError, match=r"junk\.parquet: no table of routes"):
        FileRouting(file=written(tmp_path, "junk", "junk.parquet")).tables(RING, 2)


def test_paths_that_are_drawn_are_not_written():
    with pytest.raises(TsujiError, match="routing: 4 paths from node to node, of which packets draw one"):
        route_rows(Valiant().tables(grid((2, 2), wrap=False), 8))


def test_broken_files_end_in_one_line(tmp_path):
    good = route_rows(DimensionOrder().tables(RING, 2)).to_csv(index=False)
    junk = st.sampled_from([",", "\n", '"', "-", "9", "x", "é", "\x00", "1e400", "nan", ""])

    @settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, len(good)), st.integers(0, 9), junk)
    def read(at, length, piece):
        path = written(tmp_path, good[:at] + piece + good[at + length :])
        try:
            FileRouting(file=path).tables(RING, 2)
        except TsujiError as error:
            message = str(error)
            assert message.startswith(str(path))
            assert "\n" not in message
            assert re.match(rf"{re.escape(str(path))}(:\d+: |: no (route|table) )", message), message

    read()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_compressed_files(pack, tmp_path):
    tables = Minimal().tables(RING, 4)
    write_frame(route_rows(tables), tmp_path / "routes.csv")
    data = pack((tmp_path / "routes.csv").read_bytes())
    path = tmp_path / "packed"
    path.write_bytes(data)
    assert np.array_equal(FileRouting(file=path).tables(RING, 4).out[tables.found], tables.out[tables.found])
    path.write_bytes(data[:-12])
    with pytest.raises(TsujiError, match=r"routing\.file = .*packed: cannot be read: "):
        FileRouting(file=path).tables(RING, 4)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zip", ".tar", ".zst"])
def test_names_of_compressed_files_say_nothing(suffix, tmp_path):
    with pytest.raises(TsujiError, match="columns pk: must be switch"):
        FileRouting(file=written(tmp_path, "PK\n", f"routes.csv{suffix}")).tables(RING, 4)
