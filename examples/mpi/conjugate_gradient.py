"""Poisson's equation on a square by conjugate gradients, with what mpi4py offers for it; runs under MPI, too.

A grid of ranks, halos by persistent requests with a type for columns, and one reduction under way while the halo moves.
`mpiexec -n 4 python conjugate_gradient.py` prints the same. Arguments: points of a rank's square along an edge (16),
steps (30).
"""

import sys

import numpy as np
from mpi4py import MPI

points = int(sys.argv[1]) if len(sys.argv) > 1 else 16
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 30

world = MPI.COMM_WORLD
grid = world.Create_cart(MPI.Compute_dims(world.Get_size(), 2), periods=[False, False])
calculate = getattr(grid, "compute", lambda flops: None)  # a simulated network must be told the time of calculations

# A rank's points of the search direction, with a border of its neighbours' points, or of zeros at the edge.
direction = np.zeros((points + 2, points + 2))
column = MPI.DOUBLE.Create_vector(points, 1, points + 2).Commit()
flat = direction.reshape(-1)


def row_at(row):
    """Return the inner points of a row as a buffer."""
    return direction[row, 1:-1]


def column_at(number):
    """Return the inner points of a column as a buffer."""
    return [flat[points + 2 + number :], 1, column]


north, south = grid.Shift(0, 1)
west, east = grid.Shift(1, 1)
halo = [
    grid.Recv_init(row_at(0), north, 0),
    grid.Recv_init(row_at(points + 1), south, 1),
    grid.Recv_init(column_at(0), west, 2),
    grid.Recv_init(column_at(points + 1), east, 3),
    grid.Send_init(row_at(points), south, 0),
    grid.Send_init(row_at(1), north, 1),
    grid.Send_init(column_at(points), east, 2),
    grid.Send_init(column_at(1), west, 3),
]


def started_sum(value):
    """Start a sum over all ranks; return the request and where the sum will be."""
    total = np.empty(1)
    return grid.Iallreduce(np.array([value]), total), total


x = np.zeros((points, points))
residual = np.full((points, points), 1.0 / (world.Get_size() * points**2))
direction[1:-1, 1:-1] = residual
request, total = started_sum((residual * residual).sum())
request.Wait()
square = total[0]
first = square
for _ in range(steps):
    MPI.Prequest.Startall(halo)
    request, height = started_sum(x.max())  # while the halo moves
    MPI.Request.Waitall([*halo, request])
    inner = direction[1:-1, 1:-1]
    applied = 4 * inner - direction[:-2, 1:-1] - direction[2:, 1:-1] - direction[1:-1, :-2] - direction[1:-1, 2:]
    calculate(flops=7 * points**2)
    length = square / grid.allreduce(float((inner * applied).sum()))
    x += length * inner
    residual -= length * applied
    calculate(flops=4 * points**2)
    request, total = started_sum((residual * residual).sum())
    request.Wait()
    direction[1:-1, 1:-1] = residual + total[0] / square * inner
    square = total[0]
for each in halo:
    each.Free()

# The mean of each row of ranks, at its first rank.
rows = grid.Sub([False, True])
means = rows.gather(x.mean())
leaders = grid.Get_group().Incl([grid.Get_cart_rank([row, 0]) for row in range(grid.dims[0])])
of_leaders = grid.Create(leaders)
if of_leaders != MPI.COMM_NULL:
    by_row = of_leaders.gather(sum(means) / len(means))
    if of_leaders.Get_rank() == 0:
        print(f"residual {(square / first) ** 0.5:.4e}; means of rows of ranks:", *(f"{mean:.4e}" for mean in by_row))
