"""Messages of programs arrive, and collectives return the values that MPI specifies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.mpi.comm import COMM_NULL, Comm
from sim.mpi.constants import ANY_SOURCE, ANY_TAG, CONGRUENT, IDENT, IN_PLACE, PROC_NULL, UNDEFINED, UNEQUAL
from sim.mpi.datatype import DATATYPES
from sim.mpi.errors import ERROR_CLASSES, MpiError
from sim.mpi.group import Group
from sim.mpi.op import OPS
from sim.mpi.request import Request
from sim.mpi.status import Status
from sim.schedule.collectives.registry import algorithms
from tests.sim.mpi.programs import FAST, run


def test_objects_are_those_that_were_sent() -> None:
    def program(comm: Comm) -> Any:
        if comm.rank == 0:
            content = {"a": [1, 2]}
            array = np.arange(3)
            requests = [comm.isend(content, 1, 5), comm.isend(array, 1, 6)]
            content["a"].append(3)  # after it was sent
            array[:] = 0
            Request.waitall(requests)
            return None
        status = Status()
        second = comm.recv(source=0, tag=6, status=status)
        assert (status.source, status.tag, status.count) == (0, 6, 24)
        return comm.recv(source=ANY_SOURCE, tag=ANY_TAG), second.tolist()

    assert run(program, 2)[1][1] == ({"a": [1, 2]}, [0, 1, 2])


def test_messages_of_a_pair_do_not_overtake_each_other() -> None:
    def program(comm: Comm) -> Any:
        if comm.rank == 0:
            for number in range(20):
                comm.send(number, 1, tag=number % 2, bytes=1 if number % 3 else 100_000)
            return None
        return [comm.recv(source=0, tag=ANY_TAG) for _ in range(20)]

    assert run(program, 2, FAST)[1][1] == list(range(20))


def test_any_tag_takes_no_message_of_a_collective_or_another_communicator() -> None:
    def program(comm: Comm) -> Any:
        other = comm.Dup()
        if comm.rank == 0:
            other.send("other", 1)
            comm.isend("after", 1, tag=3)
            comm.barrier()
            return None
        comm.compute(1e-3)  # until all messages have arrived
        request = comm.irecv(source=ANY_SOURCE, tag=ANY_TAG)
        comm.barrier()
        return request.wait(), other.recv(source=ANY_SOURCE, tag=ANY_TAG)

    assert run(program, 2)[1][1] == ("after", "other")


def test_probe_and_iprobe_see_what_is_there() -> None:
    def program(comm: Comm) -> Any:
        if comm.rank == 0:
            comm.compute(50e-6)
            comm.send([1] * 10, 1, tag=4)
            return None
        looks = 0
        while not comm.iprobe(source=0):
            looks += 1
        status = Status()
        comm.probe(source=0, tag=4, status=status)
        return looks, status.source, status.tag, comm.recv(source=0, tag=4)

    looks, *rest = run(program, 2)[1][1]
    assert 400 < looks < 700  # 100 ns each, until 50 µs + o + L have passed
    assert rest == [0, 4, [1] * 10]


def test_test_waitany_waitsome() -> None:
    def program(comm: Comm) -> Any:
        if comm.rank:
            comm.compute(comm.rank * 20e-6)
            comm.send(comm.rank, 0)
            return None
        requests = [comm.irecv(source=peer) for peer in (3, 2, 1)]
        assert requests[2].test() == (False, None)
        order = [Request.waitany(requests), Request.waitsome(requests), Request.waitany(requests)]
        assert Request.waitany(requests) == (UNDEFINED, None)
        assert Request.testall(requests)[0]
        return order

    assert run(program, 4)[1][0] == [(2, 1), ([1], [2]), (0, 3)]


def test_partners_that_are_no_rank() -> None:
    def program(comm: Comm) -> Any:
        comm.send(1, PROC_NULL)
        comm.isend(1, PROC_NULL).wait()
        return comm.recv(source=PROC_NULL), comm.sendrecv(1, PROC_NULL, source=PROC_NULL)

    result, values = run(program, 1)
    assert values == [(None, None)]
    assert result.messages == 0


CHOICES = [(collective, name) for collective, known in algorithms().items() for name in known]


@pytest.mark.parametrize("ranks", [1, 2, 5, 8])
@pytest.mark.parametrize(("collective", "name"), CHOICES)
def test_collectives_return_what_they_should(collective: str, name: str, ranks: int) -> None:
    n = ranks
    root = n // 2

    def program(comm: Comm) -> Any:
        r = comm.rank
        comm.compute((r * 7 % 5) * 1e-6)
        array = np.arange(11.0).reshape(1, 11) * (r + 1)
        if collective == "bcast":
            big = comm.bcast(np.arange(3000.0) if r == root else None, root)
            assert (big == np.arange(3000.0)).all()
            assert comm.bcast({"r": r}, root) == {"r": root}
        elif collective == "allreduce":
            assert np.allclose(comm.allreduce(array), np.arange(11.0).reshape(1, 11) * n * (n + 1) / 2)
            assert comm.allreduce(r, OPS["MAX"]) == n - 1
            assert comm.allreduce([r], lambda a, b: a + b) == list(range(n))
            assert comm.allreduce((-r, r), OPS["MAXLOC"]) == (0, 0)
        elif collective == "reduce":
            total = comm.reduce(array, root=root)
            assert (total is None) == (r != root)
            assert total is None or np.allclose(total, np.arange(11.0).reshape(1, 11) * n * (n + 1) / 2)
            ordered = comm.reduce(str(r), lambda a, b: a + b, root)
            assert ordered == ("".join(map(str, range(n))) if r == root else None)
        elif collective == "scan":
            assert comm.scan(r + 1) == (r + 1) * (r + 2) // 2
            assert comm.exscan(r + 1) == (r * (r + 1) // 2 if r else None)
        elif collective == "gather":
            assert comm.gather("x" * r, root) == (["x" * k for k in range(n)] if r == root else None)
        elif collective == "scatter":
            assert comm.scatter([[k] for k in range(n)] if r == root else None, root) == [r]
        elif collective == "allgather":
            assert comm.allgather(r * r) == [k * k for k in range(n)]
        elif collective.startswith("alltoall"):
            exchange = comm.alltoall if collective == "alltoall" else comm.alltoallv
            assert exchange([(r, k) for k in range(n)]) == [(k, r) for k in range(n)]
        elif collective == "reduce_scatter":
            assert comm.reduce_scatter([10 * k + r for k in range(n)]) == 10 * r * n + n * (n - 1) // 2
        else:
            comm.barrier()

    run(program, ranks, FAST, collectives={collective: name})


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_buffers(ranks: int) -> None:
    n = ranks

    def program(comm: Comm) -> None:
        r = comm.rank
        mine, total = np.full(4, float(r)), np.empty(4)
        comm.Allreduce(mine, total)
        assert (total == n * (n - 1) / 2).all()
        comm.Allreduce(IN_PLACE, mine, op=OPS["MAX"])
        assert (mine == n - 1).all()
        everything = np.empty((n, 2), np.int32)
        comm.Allgather([np.full(2, r, np.int32), DATATYPES["INT"]], everything)
        assert everything[:, 1].tolist() == list(range(n))
        sent, got = np.arange(n) + 100 * r, np.empty(n, int)
        comm.Alltoall(sent, got)
        assert got.tolist() == [100 * k + r for k in range(n)]
        counts = [k + 1 for k in range(n)]
        parts = np.concatenate([np.full(k + 1, 10 * r + k) for k in range(n)])
        uneven = np.zeros(n * (r + 1), int)
        comm.Alltoallv([parts, counts, DATATYPES["LONG"]], [uneven, [r + 1] * n, DATATYPES["LONG"]])
        assert uneven.tolist() == [10 * k + r for k in range(n) for _ in range(r + 1)]
        root_buffer = np.zeros(n) if r == 0 else None
        comm.Gather(np.array([float(r)]), root_buffer)
        if root_buffer is not None:
            assert root_buffer.tolist() == list(range(n))
        part = np.zeros(1)
        comm.Scatter(np.arange(float(n)) if r == 0 else None, part)
        assert part[0] == r
        text = bytearray(b"root") if r == 0 else bytearray(4)
        comm.Bcast(text)
        assert text == b"root"
        reduced = np.zeros(2)
        comm.Reduce_scatter(np.arange(2.0 * n), reduced, [2] * n)
        assert reduced.tolist() == [n * 2.0 * r, n * (2.0 * r + 1)]
        other = np.zeros(4)
        comm.Sendrecv(np.full(4, float(r)), (r + 1) % n, recvbuf=other, source=(r - 1) % n)
        assert (other == (r - 1) % n).all()
        running = np.zeros(1)
        comm.Scan(np.array([1.0]), running)
        assert running[0] == r + 1

    run(program, ranks)


def test_split_and_grids() -> None:
    def program(comm: Comm) -> Any:
        part = comm.Split(comm.rank % 2, -comm.rank)
        assert part is not None
        assert part.allgather(comm.rank) == [rank for rank in (5, 4, 3, 2, 1, 0) if rank % 2 == comm.rank % 2]
        assert (comm.Split(UNDEFINED if comm.rank else 0) == COMM_NULL) == (comm.rank > 0)
        cart = comm.Create_cart([2, 3], periods=[False, True])
        assert cart is not None
        assert cart.Get_cart_rank(cart.coords) == cart.rank
        return cart.Shift(0, 1), cart.Shift(1, 1)

    values = run(program, 6)[1]
    assert values[0] == ((PROC_NULL, 3), (2, 1))
    assert values[5] == ((2, PROC_NULL), (4, 3))


def test_communicators_of_groups() -> None:
    def program(comm: Comm) -> Any:
        odd = comm.group.Incl([3, 1])
        whole = comm.Create(odd)
        assert bool(whole) == (comm.rank % 2 == 1)
        if comm.rank % 2 == 0:
            assert comm.Create_group(odd) == COMM_NULL
            with pytest.raises(MpiError, match="COMM_NULL: no communicator"):
                whole.Get_rank()
            return None
        parts = [comm.Create_group(odd, tag) for tag in (1, 1, 2)]
        assert len({part.number for part in parts}) == 3
        assert [comm.Compare(other) for other in (comm, whole)] == [IDENT, UNEQUAL]
        assert whole.Compare(parts[0]) == CONGRUENT
        return whole.allgather(comm.rank), parts[0].rank

    assert run(program, 4)[1] == [None, ([3, 1], 1), None, ([3, 1], 0)]


def test_parts_of_a_grid() -> None:
    def program(comm: Comm) -> Any:
        cart = comm.Create_cart([2, 3, 2], periods=[False, True, False])
        plane = cart.Sub([True, False, True])
        assert (plane.dims, plane.periods, cart.Dup().dims) == ([2, 2], [0, 0], [2, 3, 2])
        assert plane.coords == [cart.coords[0], cart.coords[2]]
        return plane.allgather(cart.rank)

    values = run(program, 12)[1]
    assert values[0] == values[1] == values[6] == [0, 1, 6, 7]
    assert values[5] == [4, 5, 10, 11]


def test_neighbours() -> None:
    """In a ring of two, each rank is both neighbours of the other: what it sends upwards arrives from below."""

    def program(comm: Comm) -> Any:
        ring = comm.Create_cart([comm.size], periods=[True])
        line = comm.Create_cart([comm.size], periods=[False])
        graph = comm.Create_dist_graph_adjacent([0] if comm.rank else [], [1] if comm.rank == 0 else [])
        up_down = ring.neighbor_alltoall(["down", "up"])
        return up_down, line.neighbor_allgather(comm.rank), graph.neighbor_allgather("x"), graph.degrees

    values = run(program, 2)[1]
    assert values == [(["up", "down"], [None, 1], [], (0, 1)), (["up", "down"], [0, None], ["x"], (1, 0))]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda comm: comm.Split(-5), "ERR_ARG"),
        (lambda comm: comm.Create(Group([7])), "ERR_GROUP"),
        (lambda comm: comm.Create_cart([3]), "ERR_ARG"),
        (lambda comm: comm.Create_cart([2]).Shift(1), "ERR_ARG"),
        (lambda comm: comm.Create_cart([2]).Get_coords(2), "ERR_RANK"),
        (lambda comm: comm.Create_dist_graph_adjacent([2], []), "ERR_RANK"),
    ],
)
def test_classes_of_errors(call: Any, name: str) -> None:
    def program(comm: Comm) -> None:
        with pytest.raises(MpiError) as caught:
            call(comm)
        assert caught.value.Get_error_class() == ERROR_CLASSES[name]

    run(program, 2)
