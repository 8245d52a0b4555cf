"""Reductions of growing vectors to a root, to all, and of lower ranks; rank 0 prints the times."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
for elements in (1, 128, 8192):
    vector = np.full(elements, float(rank))
    for name, reduction in (("reduce", comm.reduce), ("allreduce", comm.allreduce), ("scan", comm.scan)):
        comm.barrier()
        begin = MPI.Wtime()
        total = reduction(vector)
        if total is not None:
            first = rank if name == "scan" else ranks - 1
            assert (total == first * (first + 1) / 2).all()
        comm.barrier()
        if rank == 0:
            print(f"{name:>10} of {elements:>6,} doubles {(MPI.Wtime() - begin) * 1e6:10.3f} µs")
