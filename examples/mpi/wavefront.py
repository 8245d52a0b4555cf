"""A wavefront, as in LU or Sn transport: each rank waits for its neighbours above and to the left.

Arguments: consecutive planes (8), bytes of an edge (1024), nanoseconds of work per plane (2000).
"""

import sys

from mpi4py import MPI

planes = int(sys.argv[1]) if len(sys.argv) > 1 else 8
size = int(sys.argv[2]) if len(sys.argv) > 2 else 1024
work = float(sys.argv[3]) if len(sys.argv) > 3 else 2000.0

world = MPI.COMM_WORLD
comm = world.Create_cart(MPI.Compute_dims(world.Get_size(), 2))
above, below = comm.Shift(0, 1)
left, right = comm.Shift(1, 1)
row, column = comm.Get_coords(comm.Get_rank())
for plane in range(planes):
    steps = max(comm.recv(source=above, tag=plane) or 0, comm.recv(source=left, tag=plane) or 0)
    assert steps == row + column  # the path from the corner
    comm.compute(work * 1e-9)
    comm.send(steps + 1, below, plane, bytes=size)
    comm.send(steps + 1, right, plane, bytes=size)
