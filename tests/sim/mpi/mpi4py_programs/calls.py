"""Calls of mpi4py with results that do not depend on the library: prints what each rank got, in the order of ranks.

It uses nothing that mpi4py has not, and runs on 4 ranks: under MPI, and on a simulated network.
"""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size


def plain(value):
    """Return a value in a form that prints the same everywhere."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


def show(name, value):
    """Print a value of every rank."""
    values = comm.gather(plain(value))
    if rank == 0:
        for number, each in enumerate(values):
            print(f"{name} [{number}]: {each}")


def error(function, *arguments, **named):
    """Return the class of the error that a call raises."""
    try:
        function(*arguments, **named)
    except MPI.Exception as raised:
        known = ("BUFFER", "COUNT", "TYPE", "TAG", "COMM", "RANK", "ROOT", "GROUP", "OP", "ARG", "DIMS", "TRUNCATE")
        names = [f"ERR_{name}" for name in known if raised.Get_error_class() == getattr(MPI, f"ERR_{name}")]
        return names[0] if names else "another class"
    except Exception as raised:
        return next(kind.__name__ for kind in (TypeError, ValueError, Exception) if isinstance(raised, kind))
    return "no error"


def collectives():
    """Nonblocking collectives of buffers, several under way at once."""
    data = np.arange(4.0) + 10 * rank
    root_data = np.arange(6.0) if rank == 1 else np.zeros(6)
    total, largest, ranks = np.empty(4), np.empty(4), np.empty((size, 4))
    exchanged, part, all_of_root = np.empty(size, int), np.empty(2), np.empty((size, 4)) if rank == 2 else None
    some, running, before = np.empty(1), np.empty(4), np.full(4, -1.0)
    spread = np.arange(2.0 * size) if rank == 3 else None
    product = np.empty(4) if rank == 0 else None
    requests = [
        comm.Iallreduce(data, total),
        comm.Ibcast(root_data, root=1),
        comm.Iallreduce(data, largest, op=MPI.MAX),
        comm.Iallgather(data, ranks),
        comm.Ialltoall(np.arange(size) + 100 * rank, exchanged),
        comm.Iscatter(spread, part, root=3),
        comm.Igather(data, all_of_root, root=2),
        comm.Ireduce_scatter_block(np.arange(float(size)), some),
        comm.Iscan(data, running),
        comm.Iexscan(data, before),
        comm.Ireduce(data, product, op=MPI.PROD),
        comm.Ibarrier(),
    ]
    data_before = comm.allreduce(rank)  # a blocking one while they are under way
    MPI.Request.Waitall(requests)
    results = [total, root_data, largest, ranks, exchanged, part, all_of_root, some, running, before, product]
    show("nonblocking", [*results, data_before, [bool(request) for request in requests]])


def uneven():
    """Collectives of parts of different sizes."""
    counts = [number + 1 for number in range(size)]
    mine = np.full(rank + 1, float(rank))
    everything, at_root = np.empty(sum(counts)), np.empty(sum(counts))
    comm.Allgatherv(mine, [everything, counts])
    comm.Igatherv(mine, [at_root, counts] if rank == 1 else None, root=1).Wait()
    show("allgatherv, gatherv", (everything, at_root if rank == 1 else None))
    begins = np.cumsum([0, *counts[:-1]])
    got = np.empty(rank + 1)
    comm.Iscatterv([everything, counts, begins, MPI.DOUBLE] if rank == 0 else None, got).Wait()
    show("scatterv", got)
    sent, received = np.arange(float(sum(counts))), np.zeros(size * (rank + 1))
    comm.Ialltoallv([sent, (counts, None)], [received, ([rank + 1] * size, None), MPI.DOUBLE]).Wait()
    show("alltoallv", received)
    reduced = np.empty(rank + 1)
    comm.Ireduce_scatter(sent, reduced, counts).Wait()
    show("reduce_scatter", reduced)
    in_place = np.full((size, 2), float(rank))
    comm.Iallgather(MPI.IN_PLACE, in_place).Wait()
    show("in place", in_place)
    columns = [MPI.DOUBLE.Create_vector(size, 1, size).Commit()] * size
    matrix, turned = np.arange(float(size * size)).reshape(size, size) + 100 * rank, np.zeros((size, size))
    offsets = [8 * number for number in range(size)]
    rows = [MPI.DOUBLE.Create_contiguous(size).Commit()] * size
    comm.Alltoallw(
        [matrix, ([1] * size, offsets), columns], [turned, ([1] * size, [8 * size * k for k in range(size)]), rows]
    )
    show("alltoallw", turned)


def operations():
    """Functions as operations."""
    show(
        "lower case", (comm.allreduce(str(rank), lambda a, b: a + b), comm.reduce(rank + 1, lambda a, b: a * b, root=1))
    )
    show("scan", (comm.scan([rank], lambda a, b: a + b), comm.exscan([rank], lambda a, b: a + b)))

    def joined(left, right, datatype):
        x, y = np.frombuffer(left, "d"), np.frombuffer(right, "d")
        y[:] = x + y + x * y

    op = MPI.Op.Create(joined, commute=True)
    result = np.empty(3)
    comm.Allreduce(np.array([1.0, 0.0, 3.0]) * (rank == 0), result, op)
    show("op", (result, op.Is_commutative(), op.is_predefined, MPI.SUM.is_predefined))

    def first_of(left, right, datatype):
        right[:] = left[:]

    first = MPI.Op.Create(first_of)
    result, part = np.empty(2), np.empty(2)
    comm.Allreduce(np.full(2, float(rank)), result, first)
    comm.Reduce_scatter(np.arange(2.0 * size) + 100 * rank, part, op=first)
    show("first", (result, part))
    flags = np.empty(2, int)
    comm.Allreduce(np.array([2, rank]), flags, MPI.LAND)
    show(
        "logical", (flags, comm.allreduce(rank, MPI.LOR), MPI.LXOR(1, 1), comm.allreduce((rank % 2, rank), MPI.MAXLOC))
    )
    inout = np.arange(3.0)
    MPI.PROD.Reduce_local(np.full(3, 2.0), inout)
    show("reduce_local", inout)


def messages():
    """Messages between two ranks: replaced buffers, persistent requests, matched probes, tests of some."""
    status = MPI.Status()
    buffer = np.full(3, float(rank))
    comm.Sendrecv_replace(buffer, right, 5, left, 5, status)
    show("replace", (buffer, status.source, status.tag, status.Get_count(MPI.DOUBLE), status.count))
    out, into = np.empty(2), np.empty(2)
    send, receive = comm.Send_init(out, right, 3), comm.Recv_init(into, left, 3)
    seen = [bool(send), send.Test()]
    for turn in range(3):
        out[:] = 10 * rank + turn
        MPI.Prequest.Startall([receive, send])
        MPI.Request.Waitall([receive, send])
        seen.append(into.tolist())
    show("persistent", (seen, bool(send), send.Wait(), isinstance(send, MPI.Request)))
    send.Free()
    receive.Free()
    total = np.empty(1)
    again = comm.Allreduce_init(out, into, op=MPI.MIN) if hasattr(comm, "Allreduce_init") else None
    if again is not None:
        again.Start()
        again.Wait()
        again.Free()
        show("persistent minimum", into)
    comm.isend({"from": rank}, right, 8).wait()
    message = comm.mprobe(MPI.ANY_SOURCE, 8, status)
    kept = bool(message)
    show("mprobe", (message.recv(), status.source, kept, bool(message)))
    comm.Send(np.arange(rank + 1.0), right, 9)
    found = None
    while found is None:
        found = comm.Improbe(left, 9, status)
    part = np.empty(status.Get_count(MPI.DOUBLE))
    found.Irecv(part).Wait()
    show("improbe", (part, comm.improbe(left, 9)))
    requests = [comm.irecv(source=left, tag=tag) for tag in (1, 2)]
    comm.send("one", right, 1)
    comm.send("two", right, 2)
    got = {}
    while (over := MPI.Request.testsome(requests))[0] is not None:
        got.update(zip(*over, strict=True))
    null = MPI.REQUEST_NULL
    show("testsome", (sorted(got.items()), MPI.Request.Testsome([null]), MPI.Request.Waitany([null]) == MPI.UNDEFINED))
    mixed = [comm.Ibarrier(), comm.irecv(source=left, tag=4), comm.isend(rank, right, 4)]
    show("mixed", MPI.Request.waitall(mixed))
    comm.Isendrecv(np.full(1, 1.0 * rank), right, 6, total, left, 6).Wait()
    nobody = comm.irecv(source=MPI.PROC_NULL)
    nobody_is = bool(nobody), nobody.wait(status), status.source == MPI.PROC_NULL, status.count
    show("isendrecv, nobody", (total, nobody_is, comm.mprobe(MPI.PROC_NULL).recv()))


def groups():
    """Groups and communicators of them."""
    everyone = comm.Get_group()
    odd, first = everyone.Incl([3, 1]), everyone.Range_incl([(0, 1, 1)])
    sets = [MPI.Group.Union(odd, first), MPI.Group.Intersection(odd, first), MPI.Group.Difference(odd, first)]
    sets += [everyone.Excl([0, 2]), everyone.Range_excl([(3, 0, -2)])]
    show("groups", [(each.size, each.Translate_ranks(None, everyone)) for each in sets])
    outside = odd.Translate_ranks([0, 1], first)
    compared = [odd.Compare(everyone.Incl([1, 3])) == MPI.SIMILAR, odd.Compare(odd.Dup()) == MPI.IDENT]
    empty = everyone.Incl([])
    show("compare", (outside[0] == MPI.UNDEFINED, outside[1], compared, empty.size, empty == MPI.GROUP_EMPTY))
    of_odd = comm.Create(odd)
    within = (of_odd.rank, of_odd.allgather(rank)) if of_odd != MPI.COMM_NULL else None
    show("create", (within, bool(of_odd)))
    alone = comm.Create_group(odd, tag=7).allreduce(rank) if odd.rank != MPI.UNDEFINED else None
    show("create_group", alone)
    reverse = comm.Split(0, -rank)
    same = [comm.Compare(other) for other in (comm, comm.Dup(), reverse)]
    show("comparison", (reverse.rank, same == [MPI.IDENT, MPI.CONGRUENT, MPI.SIMILAR], MPI.COMM_SELF.size))
    names = comm.name, MPI.COMM_SELF.Get_name(), comm.is_inter, comm.topology == MPI.UNDEFINED
    reverse.Set_name("reverse")
    show("names", (names, reverse.Get_name()))


def grids():
    """Grids, their parts, and collectives between neighbours."""
    cart = comm.Create_cart([2, 2], periods=[True, False])
    rows, columns = cart.Sub([False, True]), cart.Sub([True, False])
    show("sub", (rows.dims, rows.periods, rows.coords, rows.allgather(rank), columns.topo, columns.allgather(rank)))
    none = cart.Sub([False, False])
    shifts = [side == MPI.PROC_NULL or side for side in cart.Shift(1, 1)]
    show("grid", (none.size, none.dims, shifts, cart.Dup().dims, cart.ndim, cart.topology == MPI.CART))
    ring = comm.Create_cart([size], periods=[True])
    show("neighbours", (ring.neighbor_allgather(rank), ring.neighbor_alltoall([f"{rank}-", f"{rank}+"])))
    got = np.full((cart.indegree, 2), -1.0)
    cart.Neighbor_allgather(np.full(2, float(rank)), got)
    show("neighbours of a grid", (got, cart.degrees))
    sent, parts = np.arange(4.0) + 10 * rank, np.full(4, -1.0)
    ring.Ineighbor_alltoall(sent, parts).Wait()
    show("neighbours' parts", parts)
    graph = comm.Create_dist_graph_adjacent([left], [right])
    show(
        "graph", (graph.neighbor_alltoall([rank]), graph.inedges, graph.outedges, graph.Get_dist_neighbors_count()[:2])
    )


def types():
    """Derived types, and arrays in other orders than C's."""
    matrix = np.arange(24.0).reshape(4, 6) + 100 * rank
    column = MPI.DOUBLE.Create_vector(4, 1, 6).Commit()
    got = np.zeros((4, 6))
    comm.Sendrecv([matrix.reshape(-1)[2:], 1, column], right, 0, [got, 1, column], left, 0)
    show("column", (got[:, 0], got[:, 1:].sum(), column.size, column.Get_extent()))
    block = MPI.DOUBLE.Create_subarray([4, 6], [2, 3], [1, 2]).Commit()
    got = np.zeros(6)
    comm.Sendrecv([matrix, block], right, 0, got, left, 0)
    show("block", (got, block.size, block.extent))
    some = MPI.INT.Create_indexed([2, 1], [1, 5]).Commit()
    picked, into = np.arange(6, dtype="i"), np.zeros(6, "i")
    comm.Sendrecv([picked, 1, some], right, 0, [into, 1, some], left, 0)
    show("indexed", (into, some.Get_extent(), some.lb, some.ub))
    interleaved = MPI.DOUBLE.Create_resized(0, 8 * size).Commit()
    spread, pieces = np.arange(8.0), np.zeros(2)
    one = MPI.DOUBLE.Create_vector(2, 1, size).Create_resized(0, 8).Commit()
    comm.Scatter([spread, 1, one] if rank == 0 else None, pieces)
    show("scatter of columns", (pieces, interleaved.extent))
    fortran = np.asfortranarray(np.arange(6.0).reshape(2, 3)) + rank
    comm.Bcast(fortran, root=2)
    flat = np.zeros(6)
    comm.Sendrecv(fortran, right, 0, flat, left, 0)
    show("fortran", flat)
    data = bytearray(b"abcd") if rank == 0 else bytearray(4)
    comm.Bcast([data, 2, MPI.CHAR])
    show("bytes", (bytes(data), MPI.DOUBLE.Get_name(), MPI.DOUBLE.size, MPI.INT.is_predefined))


def windows():
    """Windows with fences."""
    memory = np.arange(4.0) + 10 * rank
    window = MPI.Win.Create(memory, disp_unit=8, comm=comm)
    window.Fence()
    window.Put(np.array([100.0 + rank]), right, 1)
    got = np.empty(2)
    window.Get(got, left, [2, 2, MPI.DOUBLE])
    window.Fence()
    show("put, get", (memory, got))
    window.Accumulate(np.full(2, 1.0 + rank), 0, (2, 2))
    window.Fence()
    window.Accumulate(np.full(1, float(rank)), size - 1, 0, op=MPI.MAX)
    window.Fence(MPI.MODE_NOSUCCEED)
    show("accumulate", (memory, window.group_size, window.Get_group().size))
    wrong = error(window.Put, np.ones(1), 99)
    window.Free()
    window = MPI.Win.Allocate(8 * size, disp_unit=8, comm=comm)
    own = np.frombuffer(window.tomemory(), "d")
    own[:] = rank
    window.Fence()
    old = np.zeros(1)
    window.Get_accumulate(np.full(1, 5.0), old, right, rank)
    window.Fence()
    show("get_accumulate", (old, own, wrong))
    window.Free()


def errors():
    """Bad arguments."""
    values = np.zeros(2)
    everyone = comm.Get_group()
    cart = comm.Create_cart([2, 2])
    wrong = {
        "rank": error(comm.send, 1, 99),
        "source": error(comm.recv, source=77),
        "tag": error(comm.send, 1, 0, tag=-5),
        "root": error(comm.Bcast, values, root=99),
        "incl": error(everyone.Incl, [9]),
        "excl": error(everyone.Excl, [9]),
        "dims": error(MPI.Compute_dims, 12, [5, 0]),
        "coordinates": error(cart.Get_coords, 99),
        "outside": error(cart.Get_cart_rank, [0, 7]),
        "too large": error(comm.Create_cart, [20, 20]),
        "null": error(MPI.COMM_NULL.Get_rank),
        "sub": error(cart.Sub, [True]),
        "objects": error(comm.alltoall, [1]),
        "no buffer": error(comm.Isend, None, rank, 7),
        "list": error(comm.Isend, [1, 2], rank, 7),
        "count": error(comm.Isend, [values, -1, MPI.DOUBLE], rank, 7),
        "two arguments": error(MPI.Op.Create(lambda a, b: a), 1, 2),
        "function": error(comm.Allreduce, values, values, lambda a, b: a),
        "type": error(comm.Isend, [values, 1, MPI.DOUBLE.Create_contiguous(2)], rank, 7),
    }
    show("errors", sorted(wrong.items()))
    request = comm.Isend(np.zeros(8), right, 5)
    show("truncated", error(comm.Recv, np.empty(2), left, 5))
    request.Wait()
    raised = MPI.Exception(MPI.ERR_RANK)
    show("exception", (isinstance(raised, RuntimeError), int(raised) == MPI.ERR_RANK, raised == MPI.ERR_RANK))


collectives()
uneven()
operations()
messages()
groups()
grids()
types()
windows()
errors()
