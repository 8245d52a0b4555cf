"""All-to-all by the ring algorithm, one of the three programs of paper B: in round i to rank + i, from rank − i.

Arguments: bytes for each rank (2048), nanoseconds that a rank calculates in each round (0), the number of rounds whose
messages may be under way at once (1; 0: all), and k to run only every k-th round (1: all), for a first look at a large
network.
"""

import sys

from mpi4py import MPI

size = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
pace = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
window = int(sys.argv[3]) if len(sys.argv) > 3 else 1
every = int(sys.argv[4]) if len(sys.argv) > 4 else 1

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
under_way = []


def finish():
    """Wait for the messages of the oldest round."""
    source, receive, send = under_way.pop(0)
    assert receive.wait() == (source, rank)
    send.wait()


for step in range(1, ranks, every):
    to, source = (rank + step) % ranks, (rank - step) % ranks
    under_way.append((source, comm.irecv(source=source), comm.isend((rank, to), to, bytes=size)))
    if len(under_way) == window:
        finish()
    if pace:
        comm.compute(pace * 1e-9)
while under_way:
    finish()
