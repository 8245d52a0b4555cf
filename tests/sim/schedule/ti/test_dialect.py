"""Lines that SimGrid's reader accepts: types left out, counts in floating point, actions without effect."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.errors import TsujiError
from sim.messages.loggops import LogGOPS
from sim.schedule.operations import ANY, CALC, RECV, SEND
from sim.schedule.ti.trace import TiTrace
from sim.schedule.ti.types import TYPE_SIZES
from sim.workload.replay import open_jobs, replay_ideal
from tests.sim.schedule.ti.traces import column, graph, in_turn, write

IDEAL = LogGOPS.parse("L=2500,o=1500,g=1000,G=6,O=0,S=65535")


def sent(path: Path) -> list[int]:
    """Return the bytes of all messages sent."""
    blocks = in_turn(TiTrace(path))
    size: list[int] = column(blocks, "size")[column(blocks, "kind") == SEND].tolist()
    return size


@pytest.mark.parametrize(
    ("init", "before", "count", "nanoseconds"),
    [
        ("init", "", "1000", 11_494),
        ("init 1", "", "1000", 53_494),
        ("init", "", "1e3", 11_494),
        ("init 1", "", "1e3", 53_494),
        ("init", "comm_size 2\n", "1e3", 11_494),
    ],
)
def test_times_of_a_message(tmp_path: Path, init: str, before: str, count: str, nanoseconds: int) -> None:
    """L + 2·o + (s − 1)·G for s bytes: of 1000 bytes after `init`, of 1000 doubles after `init 1`."""
    lines = [f"0 {init}", f"0 send 1 0 {count}", "0 finalize", f"1 {init}", f"1 recv 0 0 {count}", "1 finalize"]
    if before:
        lines[1:1], lines[5:5] = [f"0 {before.strip()}"], [f"1 {before.strip()}"]
    path = tmp_path / "trace"
    path.write_text("\n".join(lines) + "\n")
    assert replay_ideal(open_jobs([str(path)]), IDEAL).run_time_ns == nanoseconds


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("send 1 0 10", 10),
        ("send 1 0 10.9", 10),
        ("send 1 0 1.5e1 0", 120),
        ("send 1 0 10 1", 40),
        ("isend 1 0 .5e1", 5),
    ],
)
def test_counts_are_truncated_and_types_default_to_bytes(tmp_path: Path, line: str, size: int) -> None:
    assert sent(write(tmp_path / "t", line, "recv 0 0 1e6")) == [size]


@pytest.mark.parametrize(
    ("line", "sizes"),
    [
        ("bcast 5e1", {50}),
        ("bcast 5e1 1", {50}),
        ("bcast 5e1 1 0", {400}),
        ("reduce 7 0", {7}),
        ("allreduce 7.9 0", {7}),
        ("scan 6 0", {6}),
        ("alltoall 5 5", {5}),
        ("alltoall 5 20 1", None),
        ("gather 5 5", {5}),
        ("scatter 5 5 1", {5}),
        ("allgather 5 5", {5}),
        ("reducescatter 3 3 0", {3}),
        ("alltoallv 9 3 3 9 3 3", {3}),
        ("gatherv 3 3 3", {3}),
        ("scatterv 3 3 3", {3}),
        ("allgatherv 3 3 3", {3}),
    ],
)
def test_collectives_without_types(tmp_path: Path, line: str, sizes: set[int] | None) -> None:
    path = write(tmp_path / "t", line, line)
    if sizes is None:  # ints sent, bytes received: both 20 bytes
        sizes = {20}
    assert set(sent(path)) == sizes


def test_roots_left_out_are_rank_0(tmp_path: Path) -> None:
    blocks = in_turn(TiTrace(write(tmp_path / "t", *["bcast 8"] * 2)))
    assert [row[:3] for row in graph(blocks[0])] == [(SEND, 1, 8)]


@pytest.mark.parametrize("types", ["", " 6 6"])
def test_displacements_of_an_allgatherv_are_read_over(tmp_path: Path, types: str) -> None:
    line = "allgatherv {0} 1 2 3" + types
    plain = sent(write(tmp_path / "a", *[line.format(k) for k in (1, 2, 3)]))
    assert sent(write(tmp_path / "b", *[f"{line.format(k)} 0 1 3" for k in (1, 2, 3)])) == plain
    assert sum(plain) == 2 * 6


def test_what_takes_no_time(tmp_path: Path) -> None:
    actions = "comm_size 2; comm_split 1 0; comm_dup; location a.c 7; # said by hand; compute 1e3; compute 10"
    path = write(tmp_path / "t", actions)
    file = path / "rank0000.txt"
    file.write_text(
        "# a comment\n\n" + file.read_text().replace("0 #", "#").replace("0 compute 10\n", "\t0\tcompute 10\r\n")
    )
    assert [row[:3] for row in graph(in_turn(TiTrace(path))[0])] == [(CALC, 0, 100), (CALC, 0, 1)]


def test_a_test_leaves_the_message_to_its_wait(tmp_path: Path) -> None:
    actions = "irecv 1 7 10; compute 100; test 1 0 7; compute 200; test 1 0 7; wait 1 0 7; compute 300"
    rows = graph(in_turn(TiTrace(write(tmp_path / "t", actions, "send 0 7 10")))[0])
    assert rows == [(RECV, 1, 0, 7, []), (CALC, 0, 10, 0, []), (CALC, 0, 20, 0, [1]), (CALC, 0, 30, 0, [2, 0])]


def test_a_wait_for_what_a_test_has_found_is_left_out(tmp_path: Path) -> None:
    """As in SimGrid, where another message is not yet waited for."""
    actions = "irecv 1 1 10; irecv 1 2 10; wait 1 0 1; wait 1 0 1; wait 1 0 2"
    path = write(tmp_path / "t", actions, "send 0 1 10; send 0 2 10")
    with pytest.warns(UserWarning, match=r"rank0000\.txt:5: a wait for a message that was not started is left out"):
        assert len(graph(in_turn(TiTrace(path))[0])) == 2


def test_an_exscan_passes_the_results_of_a_scan_on(tmp_path: Path) -> None:
    lines = [f"{action} 10 1e3 1" for action in ("scan", "exscan")]
    scan, exscan = (in_turn(TiTrace(write(tmp_path / line[:3], *[line] * 4))) for line in lines)
    for rank in range(4):
        more = graph(exscan[rank])[len(graph(scan[rank])) - 1 : -1]
        expected = [(RECV, rank - 1)] * (rank > 0) + [(SEND, rank + 1)] * (rank < 3)
        assert [row[:2] for row in more] == expected
        assert {row[2] for row in more} == {40}
        assert graph(exscan[rank])[-1][:3] == (CALC, 0, 100)


def test_numbers_of_any_source_and_tag(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "recv -555 -444 10; irecv -1 -1 10", "send 0 3 10; send 0 4 10")
    assert [row[1::2][:2] for row in graph(in_turn(TiTrace(path))[0])] == [(ANY, ANY), (ANY, ANY)]


def test_a_receive_of_unknown_size(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "recv 1 0 -1; irecv 1 0 -1", "send 0 0 10")
    with pytest.raises(TsujiError, match=r"rank0000\.txt:3: .* \(the count is negative\)"):
        in_turn(TiTrace(path))


def test_sizes_of_types_are_those_of_simgrid() -> None:
    """Of a few, numbered as in version 3.32: double, int, byte, UB (none), packed, and a complex long double of C++."""
    assert [TYPE_SIZES.get(number) for number in (0, 1, 6, 55, 57, 54)] == [8, 4, 1, None, 1, 32]


def test_messages_without_types_and_a_second_init(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "send 1 0 10; init 1; send 1 0 10", "recv 0 0 1; recv 0 0 1")
    assert np.array_equal(sent(path), [10, 80])
