"""Traces become the operations that they record."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
import zstandard

from models.errors import TsujiError
from sim.messages.tags import COLLECTIVE_TAG
from sim.schedule.operations import ANY, CALC, RECV, SEND
from sim.schedule.ti import trace_files
from sim.schedule.ti.trace import TiTrace, TraceOptions
from tests.shared_files import shared_file
from tests.sim.schedule.ti.traces import column, graph, in_turn, write

NAMES = ["bt.A.64.5it", "cg.A.64.3it", "dt-bh.A.21.1it", "dt-sh.A.80.1it", "dt-wh.A.21.1it", "ep.A.64.1it"]
NAMES += ["ft.A.64.6it", "is.A.64.3it", "is.A.256.3it", "lu.A.64.5it", "mg.A.64.4it", "sp.A.64.5it"]


@pytest.mark.parametrize("name", NAMES)
def test_messages_equal_the_statistics_of_the_trace(name: str) -> None:
    expected = json.loads(shared_file("traces", "stats.json").read_text(encoding="utf-8"))[name]
    trace = TiTrace(shared_file("traces", f"{name}.tar.zst"), TraceOptions(compute=0))
    blocks = in_turn(trace)
    kind, peer, size, tag = (column(blocks, each) for each in ("kind", "peer", "size", "tag"))
    rank = np.repeat(np.arange(trace.ranks), [sum(map(len, each)) for each in blocks])
    sends = (kind == SEND) & (tag < COLLECTIVE_TAG)
    others = sends & (peer != rank)
    assert trace.ranks == expected["ranks"]
    assert np.count_nonzero(others) == expected["p2p_sends"]
    assert size[others].sum() == expected["p2p_bytes"]
    assert np.count_nonzero(sends & (peer == rank)) == expected["self_sends"]
    actions = expected["actions"]
    received = np.count_nonzero((kind == RECV) & (tag < COLLECTIVE_TAG))
    assert received == actions.get("recv", 0) + actions.get("irecv", 0)
    assert trace.read == trace.size


def test_what_blocks_is_waited_for_and_what_does_not_from_its_wait_on(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t",
        "compute 30; irecv 1 7 100 0; send 1 5 2 1; compute 50; wait 1 0 7; compute 20; recv -1 -1 1 2",
        "recv 0 5 2 1 ; isend 0 7 3 0 ; waitall 1; isend 0 9 1 2; wait 1 0 9",
    )
    first, second = in_turn(TiTrace(path))
    assert graph(first) == [
        (CALC, 0, 3, 0, []),
        (RECV, 1, 0, 7, [0]),
        (SEND, 1, 8, 5, [0]),
        (CALC, 0, 5, 0, [2]),
        (CALC, 0, 2, 0, [3, 1]),
        (RECV, ANY, 0, ANY, [4]),
    ]
    assert graph(second) == [(RECV, 0, 0, 5, []), (SEND, 0, 24, 7, [0]), (SEND, 0, 1, 9, [0, 1])]


def test_compute_is_scaled_or_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "compute 1e6; sleep 0.001")
    times = [row[2] for row in graph(in_turn(TiTrace(path))[0])]
    assert times == [100_000, 1_000_000]
    scaled = TraceOptions(compute=0.5, flops=1e9)
    assert [row[2] for row in graph(in_turn(TiTrace(path, scaled))[0])] == [500_000, 500_000]
    assert in_turn(TiTrace(path, TraceOptions(compute=0))) == [[]]


def test_blocks_are_small_and_their_numbers_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t", ";".join(["irecv 0 1 1 0; send 0 1 1 0; wait 0 0 1; compute 70"] * 50))
    (whole,) = in_turn(TiTrace(path))
    monkeypatch.setattr(trace_files, "CHUNK", 7)
    (pieces,) = in_turn(TiTrace(path))
    assert len(whole) == 1
    assert len(pieces) > 50
    assert graph(pieces) == graph(whole)
    for block in pieces:
        block.check(1, "test")


def test_an_exchange_waits_for_both_messages(tmp_path: Path) -> None:
    actions = "sendRecv 4 {0} 4 {0} 0 0; compute 10"
    first, _ = in_turn(TiTrace(write(tmp_path / "t", actions.format(1), actions.format(0))))
    rows = graph(first)
    assert [row[0] for row in rows] == [RECV, SEND, CALC]
    assert rows[2][4] == [0, 1]
    assert rows[1][2] == 32


ALIKE = {
    "barrier": ("barrier", 2 * 4, 0),
    "bcast 10 3 0": ("bcast", 3, 3 * 80),
    "reduce 10 0 1 0": ("reduce", 3, 3 * 80),
    "allreduce 10 0 1": ("allreduce", 8, 8 * 40),
    "alltoall 5 5 0 0": ("alltoall", 12, 12 * 40),
    "allgather 5 5 0 0": ("allgather", 12, 12 * 40),
    "gather 5 5 2 0 0": ("gather", 3, 4 * 40),
    "scatter 5 5 2 0 0": ("scatter", 3, 4 * 40),
    "scan 10 0 1": ("scan", 5, 5 * 40),
    "reducescatter 1 2 3 4 0 0": ("reduce_scatter", 12, 3 * 10 * 8),
}


@pytest.mark.parametrize("line", ALIKE)
def test_collectives_become_the_messages_of_their_algorithm(tmp_path: Path, line: str) -> None:
    _, messages, total = ALIKE[line]
    blocks = in_turn(TiTrace(write(tmp_path / "t", *[line] * 4)))
    sends = column(blocks, "kind") == SEND
    assert np.count_nonzero(sends) == messages
    assert column(blocks, "size")[sends].sum() == total
    assert np.count_nonzero(column(blocks, "kind") == RECV) == messages


@pytest.mark.parametrize(
    ("lines", "sent"),
    [
        (["gatherv 1 1 2 3 1 0 0", "gatherv 2 1 2 3 1 0 0", "gatherv 3 0 0 0 1 0 0"], 4 * 8),
        (["scatterv 1 2 3 1 0 0 0", "scatterv 0 0 0 2 0 0 0", "scatterv 0 0 0 3 0 0 0"], 5 * 8),
        (["allgatherv 1 1 2 3 0 0", "allgatherv 2 1 2 3 0 0", "allgatherv 3 1 2 3 0 0"], 2 * 6 * 8),
    ],
)
def test_collectives_of_parts_of_different_sizes(tmp_path: Path, lines: list[str], sent: int) -> None:
    blocks = in_turn(TiTrace(write(tmp_path / "t", *lines)))
    assert column(blocks, "size")[column(blocks, "kind") == SEND].sum() == sent


def test_alltoallv_sends_what_each_rank_has_for_each(tmp_path: Path) -> None:
    # Rank 0 counts in doubles what it sends and in ints what it receives, the others the other way round.
    lines = [
        "alltoallv 3 0 1 2 14 0 6 8 0 1",
        "alltoallv 12 6 5 1 12 1 5 7 1 1",
        "alltoallv 15 8 7 0 5 4 1 0 1 1",
    ]
    with pytest.raises(TsujiError, match="rank 0 sends 8 bytes to rank 1, which receives 4"):
        in_turn(TiTrace(write(tmp_path / "t", *lines)))
    lines[1] = "alltoallv 12 6 5 1 12 2 5 7 1 1"
    blocks = in_turn(TiTrace(write(tmp_path / "t", *lines)))
    assert [{row[1]: row[2] for row in graph(rank) if row[0] == SEND} for rank in blocks] == [
        {1: 8, 2: 16},
        {0: 24, 2: 4},
        {0: 32, 1: 28},
    ]


def test_algorithms_are_chosen_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "t", *["allreduce 16 0 0"] * 4)
    counts = {}
    for name in ("ring", "recursive_doubling", "rabenseifner"):
        blocks = in_turn(TiTrace(path, TraceOptions(collectives={"allreduce": name})))
        counts[name] = np.count_nonzero(column(blocks, "kind") == SEND)
    assert counts == {"ring": 24, "recursive_doubling": 8, "rabenseifner": 16}


def test_reductions_calculate_after_their_messages(tmp_path: Path) -> None:
    rows = graph(in_turn(TiTrace(write(tmp_path / "t", *["allreduce 16 50 0"] * 2)))[0])
    assert rows[-1][:3] == (CALC, 0, 5)
    assert rows[-1][4] == [0, 1]


def test_folder_list_and_archives_are_the_same_trace(tmp_path: Path) -> None:
    folder = write(tmp_path / "small", "send 1 1 1 0", "recv 0 1 1 0")
    (folder / "small.ti").write_text("small/rank0000.txt\nsmall/rank0001.txt\n")
    plain = tmp_path / "small.tar"
    with tarfile.open(plain, "w") as packed:
        packed.add(folder, "small")
    zst = tmp_path / "small.tar.zst"
    zst.write_bytes(zstandard.ZstdCompressor().compress(plain.read_bytes()))
    expected = [graph(rank) for rank in in_turn(TiTrace(folder))]
    assert len(expected) == 2
    for path in (folder / "small.ti", plain, zst):
        assert [graph(rank) for rank in in_turn(TiTrace(path))] == expected


def test_a_collective_after_several_messages_waits_for_all_of_them(tmp_path: Path) -> None:
    actions = "isend {0} 1 1 0; irecv {0} 1 1 0; waitall 2; barrier; compute 10"
    rows = graph(in_turn(TiTrace(write(tmp_path / "t", actions.format(1), actions.format(0))))[0])
    assert [(row[0], row[4]) for row in rows] == [
        (SEND, []),
        (RECV, []),
        (RECV, [0, 1]),
        (SEND, [0, 1]),
        (CALC, [2, 3]),
    ]


def test_a_join_takes_the_place_of_very_many_edges(tmp_path: Path) -> None:
    ranks = 40
    lines = ["alltoall 1 1 0 0; alltoall 1 1 0 0"] * ranks
    trace = TiTrace(write(tmp_path / "t", *lines), TraceOptions(collectives={"alltoall": "simple_spread"}))
    blocks = in_turn(trace)
    rows = graph(blocks[3])
    messages = 2 * (ranks - 1)
    assert rows[messages] == (CALC, 0, 0, 0, list(range(messages)))
    assert all(row[4] == [messages] for row in rows[messages + 1 :])
    assert blocks[3][0].cpu[messages] == 1
