"""Begin and end of each operation of a program."""

import numpy as np
import pandas as pd
import pytest

import tsuji
from models.errors import TsujiError

IDEAL = {"L": 2500, "o": 1500, "g": 0, "G": 6, "O": 0, "S": 65535}


def program(comm):
    """Rank 0 calculates, then sends 101 bytes, for which rank 1 waits from the beginning."""
    if comm.rank == 0:
        comm.compute(2e-6)
        comm.send("x", 1, tag=3, bytes=101)
    else:
        comm.recv(source=0, tag=3)


def test_begins_ends_and_messages(tmp_path):
    result, _ = tsuji.mpi(program, 2, ideal=IDEAL, operations=tmp_path / "ops.parquet")
    rows = pd.read_parquet(tmp_path / "ops.parquet")
    calculate, send, receive = (rows[rows.kind == kind].iloc[0] for kind in ("calculate", "send", "receive"))
    assert len(rows) == 3
    assert (calculate["rank"], calculate.start_ns, calculate.end_ns, calculate.message) == (0, 0, 2000, -1)
    assert (send["rank"], send.peer, send.bytes, send.start_ns, send.end_ns) == (0, 1, 101, 2000, 3500)
    arrived = 2000 + 1500 + 2500 + 1500 + 100 * 6  # rank 1 has taken the last byte
    assert (receive["rank"], receive.peer, receive.bytes, receive.start_ns, receive.end_ns) == (1, 0, 101, 0, arrived)
    assert send.message == receive.message >= 0
    assert result.run_time_ns == arrived


def test_it_changes_nothing(tmp_path):
    def exchange(comm):
        for step in range(1, comm.size):
            comm.sendrecv(comm.rank, (comm.rank + step) % comm.size, source=(comm.rank - step) % comm.size)
        return comm.allreduce(comm.rank)

    plain, values = tsuji.mpi(exchange, 5, ideal=IDEAL)
    logged, same = tsuji.mpi(exchange, 5, ideal=IDEAL, operations=tmp_path / "ops.parquet")
    assert values == same
    assert plain.frame().drop(columns="slow_down", errors="ignore").equals(logged.frame())
    rows = pd.read_parquet(tmp_path / "ops.parquet")
    assert len(rows) == logged.operations
    assert rows.end_ns.max() == logged.run_time_ns
    assert sorted(rows[rows.kind == "send"].message) == sorted(rows[rows.kind == "receive"].message)


def test_rounds_of_a_collective_begin_when_the_one_before_is_over(tmp_path):
    def collective(comm):
        comm.barrier()

    tsuji.mpi(collective, 4, ideal=IDEAL, collectives={"barrier": "dissemination"}, operations=tmp_path / "ops.parquet")
    rows = pd.read_parquet(tmp_path / "ops.parquet")
    for _, own in rows.groupby("rank"):
        begins = sorted(own.start_ns.unique())
        assert len(begins) == 2
        first = own[own.start_ns == begins[0]]
        assert (begins[0], len(first)) == (0, 2)
        assert begins[1] == first.end_ns.max()


def test_messages_of_a_nonblocking_collective_lie_beside_a_calculation(tmp_path):
    def overlapped(comm):
        request = comm.Iallreduce(np.ones(1), np.empty(1))
        comm.compute(50e-6)
        request.Wait()

    result, _ = tsuji.mpi(overlapped, 2, ideal=IDEAL, operations=tmp_path / "ops.parquet")
    rows = pd.read_parquet(tmp_path / "ops.parquet")
    for _, own in rows.groupby("rank"):
        times = own.set_index("kind")[["start_ns", "end_ns"]]
        assert times.loc["send"].tolist() == [0, 1500]
        assert times.loc["calculate"].tolist() == [0, 51500]  # begins when the CPU is free
        assert times.loc["receive"].tolist() == [0, 51500 + 1500 + 7 * 6]
        calls = own.set_index("kind")["call"]
        assert calls[["send", "calculate", "receive"]].tolist() == ["Iallreduce", "compute", "Iallreduce"]
    assert sorted(rows[rows.kind == "send"].message) == sorted(rows[rows.kind == "receive"].message)
    assert result.run_time_ns == rows.end_ns.max()


def test_other_files_are_refused(tmp_path):
    with pytest.raises(TsujiError, match=r"--operations .*ops.csv: must end in .parquet"):
        tsuji.mpi(program, 2, ideal=IDEAL, operations=tmp_path / "ops.csv")
