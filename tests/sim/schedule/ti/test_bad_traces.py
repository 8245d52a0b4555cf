"""Errors in traces are reported with file, line and the expected content."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from models.errors import TsujiError
from sim.schedule.ti.trace import TiTrace, TraceOptions
from tests.sim.schedule.ti.traces import graph, in_turn, write

BAD = {
    "recv 1 2": "`0 recv 1 2` (2 fields): expected `0 recv <source> <tag> <count> [<type>]`",
    "recv 1 2 3 0 5": "`0 recv 1 2 3 0 5` (5 fields): expected",
    "send 2 1 1 0": "(2 is not a rank from 0 to 1): expected `0 send <destination> <tag> <count> [<type>]`",
    "send -1 1 1 0": "(-1 is not a rank from 0 to 1)",
    "isend 1 -3 1 0": "(tag -3 is negative)",
    "send 1 1e3 1 0": "(tag = 1e3 is no whole number)",
    "irecv 1 1 -1 0": "(the count is negative)",
    "recv -2 1 1 0": "(-2 is not a rank from 0 to 1)",
    "send 1 1 1 99": "(type 99 is not one of 0 to 59 that have a size): expected",
    "send 1 1 nan": "(count = nan is no number)",
    "send 1 1 1e300": "(count = 1e300 is above 1099511627776)",
    "send 1 1 1e12 0": "(8000000000000 bytes: must be at most 1099511627776)",
    "send one 1 1 0": "`0 send one 1 1 0` (rank = one is no whole number): expected",
    "shout 1": "(unknown action): expected `0 one of allgather, allgatherv,",
    "waitAny 2": "(unknown action)",
    "test 0 1": "(2 fields): expected `0 test <source> <destination> <tag>`",
    "compute -5": "(no amount of work): expected `0 compute <flops>`",
    "compute nan": "(no amount of work)",
    "compute 1e300": "(no amount of work)",
    "compute": "`0 compute` (0 fields): expected `0 compute <flops>`",
    "sleep inf": "(seconds = inf is no amount of at least 0)",
    "sleep 1e9": "(1e+18 ns: must be below 1099511627776)",
    "sendRecv 1 1 1": "(3 fields): expected `0 sendRecv <count> <destination> <count> <source> [<type> [<type>]]`",
    "sendRecv 1 2 1 0": "(2 is not a rank from 0 to 1)",
    "sendRecv 1 1 1 2": "(2 is not a rank from 0 to 1)",
    "sendRecv 1 1 -1 0": "(the count is negative)",
    "bcast 1 2 0": "(root 2 is not a rank from 0 to 1): expected `0 bcast <count> [<root>] [<type>]`",
    "bcast": "(no count)",
    "reduce 1": "(no flops)",
    "reduce 1 -1": "(flops = -1 is no amount of at least 0)",
    "barrier 1": "(1 fields too many)",
    "allreduce 1 0 99": "(type 99 is not one of 0 to 59 that have a size)",
    "alltoallv 4 1 2 4 1": "(1 of 2 counts of receives): expected `0 alltoallv <sendbuffer> <send of each rank …>",
    "allgatherv 1 1 1 0 0 0 1": "(2 fields too many)",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_lines(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "t", f"compute 1; {line}", "")
    with pytest.raises(TsujiError, match=re.escape("rank0000.txt:3: ") + ".*" + re.escape(BAD[line])):
        in_turn(TiTrace(path))


def test_wait_without_a_message(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "irecv 0 1 1 0; wait 0 0 1; wait 0 0 1")
    with pytest.raises(TsujiError, match=r"rank0000\.txt:4: `0 wait 0 0 1` \(no such message was started and not"):
        in_turn(TiTrace(path))


def test_cut_trace(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "compute 1", "compute 1")
    file = path / "rank0001.txt"
    file.write_bytes(file.read_bytes()[:-7])
    with pytest.raises(TsujiError, match=r"rank0001\.txt:3: `1 fi` \(unknown action\)"):
        in_turn(TiTrace(path))
    file.write_text("1 init\n1 compute 100\n")
    with pytest.warns(UserWarning, match=r"rank0001\.txt:2: ends without finalize: was the trace cut\?"):
        assert [row[2] for row in graph(in_turn(TiTrace(path))[1])] == [10]
    file.write_text("")
    with pytest.raises(TsujiError, match=r"rank0001\.txt:0: no action of rank 1"):
        in_turn(TiTrace(path))


def test_order_of_init_and_finalize(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "")
    (path / "rank0000.txt").write_text("0 compute 1\n0 finalize\n")
    with pytest.raises(TsujiError, match=r":1: .*\(the first action must be init\)"):
        in_turn(TiTrace(path))
    (path / "rank0000.txt").write_text("0 init\n0 finalize\n0 compute 1\n")
    with pytest.raises(TsujiError, match=r":3: .*\(nothing may follow finalize\)"):
        in_turn(TiTrace(path))


def test_lines_of_another_rank(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "", "")
    (path / "rank0001.txt").write_text("1 init\n0 compute 5\n1 compute 100\n1 finalize\n")
    with pytest.warns(UserWarning, match=r"rank0001\.txt:2: a line of another rank is left out"):
        assert [row[2] for row in graph(in_turn(TiTrace(path))[1])] == [10]
    (path / "rank0001.txt").write_text("0 init\n0 finalize\n")
    with pytest.warns(UserWarning, match="left out"), pytest.raises(TsujiError, match=r"txt:2: no action of rank 1"):
        in_turn(TiTrace(path))


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("barrier", "bcast 1 0 0", "bcast, where .*rank0000.txt:2 has barrier: ranks must call the same"),
        (
            "allreduce 4 0 0",
            "allreduce 5 0 0",
            "allreduce of bytes 40, where .*rank0000.txt:2 has 32: must be the same",
        ),
        ("bcast 4 0 0", "bcast 4 1 0", "bcast of root 1, where .* has 0"),
        ("alltoall 2 3 0 0", "alltoall 2 3 0 0", "rank0000.txt:2: alltoall sends 16 bytes per rank and receives 24"),
        ("gather 2 3 0 0 0", "gather 2 3 0 0 0", "gather sends 16 bytes per rank and receives 24"),
        ("alltoall 2 2 0 0", "alltoall 3 3 0 0", "alltoall of bytes 24, where .* has 16"),
        ("gatherv 1 1 9 0 0 0", "gatherv 2 0 0 0 0 0", "rank 1 sends 16 bytes to rank 0, which receives 72"),
        ("scatterv 1 9 1 0 0 0", "scatterv 0 0 2 0 0 0", "rank 0 sends 72 bytes to rank 1, which receives 16"),
        ("allgatherv 1 1 2 0 0", "allgatherv 2 1 3 0 0", "allgatherv of bytes 8 24, where .* has 8 16"),
        ("allgatherv 2 1 2 0 0", "allgatherv 2 1 2 0 0", "allgatherv sends 16 bytes, of which 8 are received"),
        ("reducescatter 1 2 0 0", "reducescatter 2 1 0 0", "reducescatter of bytes 16 8, where .* has 8 16"),
    ],
)
def test_collectives_that_do_not_fit_each_other(tmp_path: Path, first: str, second: str, message: str) -> None:
    with pytest.raises(TsujiError, match=message):
        in_turn(TiTrace(write(tmp_path / "t", first, second)))


def test_files_that_are_no_trace(tmp_path: Path) -> None:
    with pytest.raises(TsujiError, match="no such file or folder"):
        TiTrace(tmp_path / "nothing")
    with pytest.raises(TsujiError, match=r"no rank's file in it; expected a folder of rank files"):
        TiTrace(tmp_path)
    (tmp_path / "t.ti").write_text("rank0000.txt\n")
    with pytest.raises(TsujiError, match=r"t\.ti:1: rank0000\.txt: no such file"):
        TiTrace(tmp_path / "t.ti")
    (tmp_path / "t.tar.zst").write_bytes(b"nothing of the kind")
    with pytest.raises(TsujiError, match=r"t\.tar\.zst: cannot be unpacked"):
        TiTrace(tmp_path / "t.tar.zst")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compute": -1.0}, "compute = -1.0: must be a factor of at least 0"),
        ({"compute": float("nan")}, "compute = nan"),
        ({"flops": 0.0}, "flops = 0.0: must be"),
        ({"collectives": {"allreduce": "tree"}}, "collectives.allreduce = 'tree': must be one of"),
        ({"collectives": {"shout": "tree"}}, "collectives.shout: no collective"),
    ],
)
def test_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(TsujiError, match=re.escape(message)):
        TraceOptions(**options)  # type: ignore[arg-type]
