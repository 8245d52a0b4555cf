"""All-to-all by pairwise exchange, one of the three programs of paper B: one partner per round, rank XOR round.

Arguments: bytes for each rank (2048), nanoseconds that a rank calculates in each round (0), and the number of rounds
whose messages may be under way at once (1; 0: all).
"""

import sys

from mpi4py import MPI

size = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
pace = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
window = int(sys.argv[3]) if len(sys.argv) > 3 else 1

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
power = ranks & (ranks - 1) == 0
under_way = []


def finish():
    """Wait for the messages of the oldest round."""
    peer, receive, send = under_way.pop(0)
    assert receive.wait() == (peer, rank)
    send.wait()


for step in range(1 if power else 0, ranks):
    peer = rank ^ step if power else (step - rank) % ranks
    if peer != rank:
        under_way.append((peer, comm.irecv(source=peer), comm.isend((rank, peer), peer, bytes=size)))
    if len(under_way) == window:
        finish()
    if pace:
        comm.compute(pace * 1e-9)
while under_way:
    finish()
