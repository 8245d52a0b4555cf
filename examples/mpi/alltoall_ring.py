"""All-to-all by the ring algorithm, one of the three programs of paper B: in round i to rank + i, from rank − i.

Arguments: bytes for each rank (2048), nanoseconds that a rank calculates in each round (0), and k to run only every
k-th round (1: all), for a first look at a large network.
"""

import sys

from mpi4py import MPI

size = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
pace = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
every = int(sys.argv[3]) if len(sys.argv) > 3 else 1

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
for step in range(1, ranks, every):
    to, source = (rank + step) % ranks, (rank - step) % ranks
    received = comm.sendrecv((rank, to), to, source=source, bytes=size)
    assert received == (source, rank)
    if pace:
        comm.compute(pace * 1e-9)
