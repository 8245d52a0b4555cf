"""Sample sort, as in NAS IS: splitters from samples, then keys go to their rank by an all-to-all of uneven parts.

Argument: keys per rank (2000).
"""

import sys
from itertools import pairwise

import numpy as np
from mpi4py import MPI

count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
keys = np.sort(np.random.default_rng(rank).exponential(size=count))
comm.compute(flops=count * np.log2(max(2, count)))
samples = np.sort(np.concatenate(comm.allgather(keys[:: max(1, count // ranks)][:ranks].copy())))
splitters = samples[ranks::ranks][: ranks - 1]
parts = comm.alltoallv(np.split(keys, np.searchsorted(keys, splitters)))
mine = np.sort(np.concatenate(parts))
comm.compute(flops=len(mine) * np.log2(max(2, ranks)))
ends = comm.allgather((float(mine[0]), float(mine[-1])) if len(mine) else None)
ends = [pair for pair in ends if pair is not None]
assert all(before[1] <= after[0] for before, after in pairwise(ends))
assert comm.allreduce(len(mine)) == count * ranks
