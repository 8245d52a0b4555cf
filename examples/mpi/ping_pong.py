"""Ping-pong: two ranks send a message back and forth, sizes up to 64 KiB; rank 0 prints half the round-trip time."""

from mpi4py import MPI

REPEATS = 4

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
size = 1
while size <= 1 << 16:
    comm.barrier()
    begin = MPI.Wtime()
    for _ in range(REPEATS):
        if rank == 0:
            comm.send(None, dest=1, tag=0, bytes=size)
            comm.recv(source=1, tag=0)
        elif rank == 1:
            comm.recv(source=0, tag=0)
            comm.send(None, dest=0, tag=0, bytes=size)
    if rank == 0:
        half = (MPI.Wtime() - begin) / (2 * REPEATS)
        print(f"{size:>8,} bytes {half * 1e6:10.3f} µs")
    size *= 4
