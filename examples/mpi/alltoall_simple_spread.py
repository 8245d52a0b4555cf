"""All-to-all by simple spread, one of the three programs of paper B: all messages are posted at once.

Arguments: bytes for each rank (2048), nanoseconds that a rank calculates between sends (0), and the number of messages
that it sends in a row (1).
"""

import sys

from mpi4py import MPI

size = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
pace = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
in_a_row = int(sys.argv[3]) if len(sys.argv) > 3 else 1

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
receives = [comm.irecv(source=(rank - step) % ranks) for step in range(1, ranks)]
sends = []
for step in range(1, ranks):
    to = (rank + step) % ranks
    sends.append(comm.isend((rank, to), to, bytes=size))
    if pace and step % in_a_row == 0:
        comm.compute(pace * 1e-9)
received = MPI.Request.waitall(receives)
assert received == [((rank - step) % ranks, rank) for step in range(1, ranks)]
MPI.Request.waitall(sends)
