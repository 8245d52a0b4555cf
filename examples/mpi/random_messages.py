"""Messages to random ranks, each answered; a rank serves others while it waits for answers, and ends when all have.

Arguments: messages per rank (8), bytes (512).
"""

import random
import sys

from mpi4py import MPI

ASK, ANSWER, OVER = 1, 2, 3

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
count = int(sys.argv[1]) if len(sys.argv) > 1 else 8
size = int(sys.argv[2]) if len(sys.argv) > 2 else 512
draw = random.Random(rank)
status = MPI.Status()
sends = []
missing = 0
for number in range(count if ranks > 1 else 0):
    peer = draw.choice([other for other in range(ranks) if other != rank])
    sends.append(comm.isend((rank, number), peer, ASK, bytes=size))
    missing += 1
over = 0
told = False
while over < ranks - 1 or not told:
    if not missing and not told:
        sends += [comm.isend(None, other, OVER) for other in range(ranks) if other != rank]
        told = True
        continue
    message = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
    if status.Get_tag() == ASK:
        sends.append(comm.isend(message, status.Get_source(), ANSWER, bytes=size))
    elif status.Get_tag() == ANSWER:
        assert message[0] == rank
        missing -= 1
    else:
        over += 1
MPI.Request.waitall(sends)
