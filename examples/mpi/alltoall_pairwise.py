"""All-to-all by pairwise exchange, one of the three programs of paper B: one partner per round, rank XOR round.

Arguments: bytes for each rank (2048), nanoseconds that a rank calculates in each round (0).
"""

import sys

from mpi4py import MPI

size = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
pace = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
power = ranks & (ranks - 1) == 0
for step in range(1 if power else 0, ranks):
    peer = rank ^ step if power else (step - rank) % ranks
    if peer != rank:
        received = comm.sendrecv((rank, peer), peer, source=peer, bytes=size)
        assert received == (peer, rank)
    if pace:
        comm.compute(pace * 1e-9)
