"""One training step of a transformer, split by data, tensor and pipeline, with one forward and one backward in turn.

Ranks of a tensor group are consecutive and share every layer: an all-reduce of activations after attention and after
the feed-forward network. Stages of the pipeline pass activations and their gradients on. Data groups combine the
gradients of each layer after its last backward pass, while earlier layers still calculate.

Arguments: ranks that share data (2), tensor (2), micro-batches (4), layers of a stage (2), hidden size (256), tokens of
a micro-batch (64). Where the first two do not divide the ranks, all ranks are stages.
"""

import sys

import numpy as np
from mpi4py import MPI

defaults = [2, 2, 4, 2, 256, 64]
data, tensor, batches, layers, hidden, tokens = [*map(int, sys.argv[1:]), *defaults[len(sys.argv) - 1 :]]

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
if ranks % (data * tensor):
    data = tensor = 1
stages = ranks // (data * tensor)
stage = rank // (data * tensor)
before, behind = rank - data * tensor, rank + data * tensor
tensor_group = comm.Split(rank // tensor, rank)
data_group = comm.Split(stage * tensor + rank % tensor, rank)

ATTENTION = (8 * tokens * hidden**2 + 4 * tokens**2 * hidden) / tensor  # floating-point operations, forward
FEED_FORWARD = 16 * tokens * hidden**2 / tensor
activations = np.ones(tokens * hidden, np.float32)
weights = 12 * hidden**2 // tensor  # of a layer
gradients = [np.zeros(weights, np.float32) for _ in range(layers)]
combined = [np.zeros(weights, np.float32) for _ in range(layers)]
started = []


def layer_part(flops: float) -> None:
    """Calculate a part of a layer, and combine its activations in the tensor group."""
    comm.compute(flops=flops)
    if tensor > 1:
        total = np.empty_like(activations)
        tensor_group.Allreduce(activations, total)
        assert total[0] == tensor


def forward(batch: int) -> None:
    """Take a micro-batch from the stage before, and pass it on."""
    if stage:
        comm.Recv(np.empty_like(activations), before, batch)
    for _ in range(layers):
        layer_part(ATTENTION)
        layer_part(FEED_FORWARD)
    if stage < stages - 1:
        started.append(comm.Isend(activations, behind, batch))


def backward(batch: int) -> None:
    """Take the gradients of a micro-batch from the stage behind, and pass them on; twice the work of forward."""
    if stage < stages - 1:
        comm.Recv(np.empty_like(activations), behind, batches + batch)
    for layer in reversed(range(layers)):
        layer_part(2 * FEED_FORWARD)
        layer_part(2 * ATTENTION)
        gradients[layer] += 1
        if batch == batches - 1 and data > 1:
            started.append(data_group.Iallreduce(gradients[layer], combined[layer]))
    if stage:
        started.append(comm.Isend(activations, before, batches + batch))


ahead = min(stages - stage - 1, batches)  # micro-batches that are forward before the first one is backward
for batch in range(ahead):
    forward(batch)
for batch in range(batches):
    if batch + ahead < batches:
        forward(batch + ahead)
    backward(batch)
MPI.Request.Waitall(started)
comm.compute(flops=layers * weights * 10 / data)  # the optimiser
assert data == 1 or all((each == data * batches).all() for each in combined)
