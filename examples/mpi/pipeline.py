"""A pipeline: items pass from rank to rank; each works on one while it receives the next (irecv before the work).

Arguments: items (12), bytes of one (4096), nanoseconds of work on it (3000).
"""

import sys

from mpi4py import MPI

items = int(sys.argv[1]) if len(sys.argv) > 1 else 12
size = int(sys.argv[2]) if len(sys.argv) > 2 else 4096
work = float(sys.argv[3]) if len(sys.argv) > 3 else 3000.0

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
coming = comm.irecv(source=rank - 1) if rank else None
leaving = None
for item in range(items):
    stages = coming.wait() if coming else 0
    assert stages == rank
    if rank and item < items - 1:
        coming = comm.irecv(source=rank - 1)
    comm.compute(work * 1e-9)
    if leaving:
        leaving.wait()
    if rank < ranks - 1:
        leaving = comm.isend(stages + 1, rank + 1, bytes=size)
if leaving:
    leaving.wait()
