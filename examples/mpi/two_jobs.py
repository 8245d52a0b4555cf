"""Two jobs that interfere on one network: even ranks exchange halos, odd ranks run all-to-all.

Each job has a communicator of its own. Rank 0 prints the time of each; compare with --arg halo and --arg alltoall,
which run one of them alone.
"""

import sys

from mpi4py import MPI

STEPS = 5

world = MPI.COMM_WORLD
only = sys.argv[1] if len(sys.argv) > 1 else "both"
name = ("halo", "alltoall")[world.Get_rank() % 2]
comm = world.Split(world.Get_rank() % 2, world.Get_rank())
rank, ranks = comm.Get_rank(), comm.Get_size()
begin = MPI.Wtime()
for _ in range(STEPS if only in (name, "both") else 0):
    if name == "halo":
        for step in (1, -1):
            comm.sendrecv(None, (rank + step) % ranks, source=(rank - step) % ranks, bytes=8192)
    else:
        comm.alltoall([None] * ranks, bytes=8192)
times = world.gather((name, MPI.Wtime() - begin))
if times:
    for each in ("halo", "alltoall"):
        took = [time for job, time in times if job == each]
        if took:
            print(f"{each:>10} {max(took) * 1e6:10.3f} µs")
