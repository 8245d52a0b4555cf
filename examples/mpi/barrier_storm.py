"""Barriers one after the other, with work of different lengths between them: rank 0 prints the time per barrier."""

import random

from mpi4py import MPI

BARRIERS = 20

comm = MPI.COMM_WORLD
draws = [random.Random(rank) for rank in range(comm.Get_size())]
longest = 0.0
for _ in range(BARRIERS):
    work = [draw.uniform(0.0, 5e-6) for draw in draws]
    longest += max(work)
    comm.compute(work[comm.Get_rank()])
    comm.barrier()
if comm.Get_rank() == 0:
    print(f"{BARRIERS} barriers: {(MPI.Wtime() - longest) / BARRIERS * 1e6:.3f} µs each, without the longest work")
