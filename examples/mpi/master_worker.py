"""Master and workers: rank 0 sends tasks of different lengths to idle workers; results arrive in any order.

Destinations depend on the order of arrivals, which no trace can express. Argument: tasks per worker (6).
"""

import random
import sys

from mpi4py import MPI

READY, TASK, END = 1, 2, 3

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
tasks = (int(sys.argv[1]) if len(sys.argv) > 1 else 6) * (ranks - 1)
if rank == 0:
    draw = random.Random(7)
    lengths = [draw.uniform(1e-6, 20e-6) for _ in range(tasks)]
    results = {}
    status = MPI.Status()
    for number in range(tasks + ranks - 1):
        done = comm.recv(source=MPI.ANY_SOURCE, tag=READY, status=status)
        if done is not None:
            results[done] = status.Get_source()
        if number < tasks:
            comm.send((number, lengths[number]), dest=status.Get_source(), tag=TASK)
        else:
            comm.send(None, dest=status.Get_source(), tag=END)
    if ranks > 1:
        assert sorted(results) == list(range(tasks))
        shares = [list(results.values()).count(worker) for worker in range(1, ranks)]
        print(f"{tasks} tasks in {MPI.Wtime() * 1e6:.3f} µs; each worker did {min(shares)} to {max(shares)}")
else:
    done = None
    status = MPI.Status()
    while True:
        comm.send(done, dest=0, tag=READY)
        task = comm.recv(source=0, tag=MPI.ANY_TAG, status=status)
        if status.Get_tag() == END:
            break
        done, length = task
        comm.compute(length)
