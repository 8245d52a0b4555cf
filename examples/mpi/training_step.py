"""A step of data-parallel training: the gradients of each layer are combined by a ring all-reduce, last layer first.

The ring is written out. Arguments: layers (4), parameters of one (4096).
"""

import sys

import numpy as np
from mpi4py import MPI

layers = int(sys.argv[1]) if len(sys.argv) > 1 else 4
parameters = int(sys.argv[2]) if len(sys.argv) > 2 else 4096

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
to, source = (rank + 1) % ranks, (rank - 1) % ranks


def ring_allreduce(gradient: np.ndarray, tag: int) -> np.ndarray:
    """Return the sum over all ranks."""
    parts = np.array_split(gradient.copy(), ranks)
    for step in range(ranks - 1):
        sent, received = (rank - step) % ranks, (source - step) % ranks
        parts[received] = parts[received] + comm.sendrecv(parts[sent], to, tag, source=source, recvtag=tag)
    for step in range(ranks - 1):
        sent, received = (to - step) % ranks, (rank - step) % ranks
        parts[received] = comm.sendrecv(parts[sent], to, tag, source=source, recvtag=tag)
    return np.concatenate(parts)


comm.compute(flops=2 * layers * parameters * 32)  # forward
for layer in reversed(range(layers)):
    comm.compute(flops=4 * parameters * 32)  # backward, a batch of 32
    gradient = np.arange(parameters) * float(rank + 1)
    combined = ring_allreduce(gradient, layer) if ranks > 1 else gradient
    assert np.allclose(combined, np.arange(parameters) * ranks * (ranks + 1) / 2)
