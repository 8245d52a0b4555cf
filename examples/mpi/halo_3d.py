"""Halo exchange in three dimensions, one dimension after the other, as many solvers do it.

Arguments: points of a rank's cube along an edge (16), steps (5), variables at a point (5).
"""

import sys

import numpy as np
from mpi4py import MPI

points = int(sys.argv[1]) if len(sys.argv) > 1 else 16
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 5
variables = int(sys.argv[3]) if len(sys.argv) > 3 else 5

world = MPI.COMM_WORLD
comm = world.Create_cart(MPI.Compute_dims(world.Get_size(), 3), periods=[True] * 3)
face = np.full((points, points, variables), float(comm.Get_rank()))
for _ in range(steps):
    for dimension in range(3):
        below, above = comm.Shift(dimension, 1)
        from_below, from_above = np.empty_like(face), np.empty_like(face)
        comm.Sendrecv(face, above, 0, from_below, below, 0)
        comm.Sendrecv(face, below, 1, from_above, above, 1)
        assert from_below[0, 0, 0] == below
        assert from_above[0, 0, 0] == above
    comm.compute(flops=10 * variables * points**3)
