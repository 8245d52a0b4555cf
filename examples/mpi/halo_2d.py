"""Halo exchange in two dimensions: Jacobi's method on a periodic grid, communication overlapped with the interior.

Arguments: points of a rank's square along an edge (64), steps (10).
"""

import sys

import numpy as np
from mpi4py import MPI

points = int(sys.argv[1]) if len(sys.argv) > 1 else 64
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 10

world = MPI.COMM_WORLD
comm = world.Create_cart(MPI.Compute_dims(world.Get_size(), 2), periods=[True, True])
field = np.zeros((points + 2, points + 2))
field[1:-1, 1:-1] = comm.Get_rank()
north, south = comm.Shift(0, 1)
west, east = comm.Shift(1, 1)

for _ in range(steps):
    borders = [np.empty(points) for _ in range(4)]
    requests = [
        comm.Irecv(borders[0], source=north, tag=0),
        comm.Irecv(borders[1], source=south, tag=1),
        comm.Irecv(borders[2], source=west, tag=2),
        comm.Irecv(borders[3], source=east, tag=3),
        comm.Isend(field[-2, 1:-1].copy(), dest=south, tag=0),
        comm.Isend(field[1, 1:-1].copy(), dest=north, tag=1),
        comm.Isend(field[1:-1, -2].copy(), dest=east, tag=2),
        comm.Isend(field[1:-1, 1].copy(), dest=west, tag=3),
    ]
    comm.compute(flops=4 * (points - 2) ** 2)
    MPI.Request.Waitall(requests)
    field[0, 1:-1], field[-1, 1:-1], field[1:-1, 0], field[1:-1, -1] = borders
    comm.compute(flops=4 * (4 * points - 4))
    field[1:-1, 1:-1] = (field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:]) / 4

total = comm.allreduce(float(field[1:-1, 1:-1].sum()))
expected = points**2 * comm.Get_size() * (comm.Get_size() - 1) / 2
assert abs(total - expected) < 1e-6 * max(1.0, expected), (total, expected)
