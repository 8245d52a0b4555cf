"""The processes of an MPI program, one of which this is: what all of them know, and how they end.

All processes run the same program with the same configuration, and so take the same decisions. Each call of a method
that exchanges anything is made by all of them, in the same order.

A process that waits calls MPI at intervals: it gives its processor away between two calls if others may need it, and it
can be interrupted.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import stat
import sys
import termios
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from models.errors import TsujiError

SPINS = 200  # looks before a process that waits gives way, if each has a processor
YIELDS = 2000  # looks after which it sleeps between two
SLEEP_S = 1e-4
GRACE_S = 5.0  # seconds that a process which fails waits for the others to fail as well
READ_S = 10.0  # seconds that the launcher has to read what a process prints before it ends all
PASSED_ON_S = 0.05  # seconds that the launcher then has to pass it on
STAGGER_S = 0.5  # seconds that each process waits longer than the one before it, so that only one speaks


class Processes:
    """The processes.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        Communicator of all processes.

    Attributes
    ----------
    comm : mpi4py.MPI.Comm
        Communicator of the exchanges of networks.
    least : mpi4py.MPI.Op
        The operation by which a reduction finds the least number.
    rank, size : int
        Number of this process, and how many there are.
    """

    def __init__(self, world: Any) -> None:
        from mpi4py import MPI

        self._mpi: Any = MPI
        self._world = world
        self.comm: Any = world.Dup()
        self.least: Any = MPI.MIN
        self.rank, self.size = int(world.rank), int(world.size)
        self._here: Any = self.comm.Split_type(MPI.COMM_TYPE_SHARED)
        self._spins = SPINS if self._here.size <= (os.cpu_count() or 1) else 0
        self._waits = False

    def wait(self, requests: Sequence[Any], until: float = float("inf")) -> bool:
        """Wait until requests of MPI are complete; return False at the time `until` of the monotonic clock."""
        looks = 0
        self._waits = True
        while not self._mpi.Request.Testall(requests):
            looks += 1
            if looks > YIELDS:
                time.sleep(SLEEP_S)
            elif looks > self._spins:
                os.sched_yield()
            if until < float("inf") and time.monotonic() > until:
                return False
        self._waits = False
        return True

    def of_all(self, what: Any) -> list[Any]:
        """Return what each process gives, in their order."""
        mine = np.frombuffer(pickle.dumps(what, pickle.HIGHEST_PROTOCOL), np.uint8)
        sizes = np.empty(self.size, np.int64)
        self.wait([self.comm.Iallgather(np.array([len(mine)]), sizes)])
        ends = np.cumsum(sizes)
        found = np.empty(ends[-1], np.uint8)
        self.wait([self.comm.Iallgatherv(mine, [found, sizes, ends - sizes, self._mpi.BYTE])])
        return [pickle.loads(found[end - size : end].data) for size, end in zip(sizes, ends, strict=True)]

    def total(self, number: int) -> int:
        """Return the sum of the numbers that the processes give."""
        found = np.empty(1, np.int64)
        self.wait([self.comm.Iallreduce(np.array([number], np.int64), found)])
        return int(found[0])

    def first_here(self, work: Callable[[], None]) -> None:
        """Do a piece of work that leaves files for other processes: one process of each machine before the others."""
        if self._here.rank == 0:
            work()
        self.wait([self._here.Ibarrier()])
        if self._here.rank:
            work()

    def check_same(self, what: dict[str, Any]) -> None:
        """Refuse processes that differ.

        Parameters
        ----------
        what : dict
            What must be the same in all of them, by name.

        Raises
        ------
        TsujiError
            If anything is not; the message names it and two processes.
        """
        found = self.of_all(what)
        for name in what:
            for rank, each in enumerate(found):
                if each[name] != found[0][name]:
                    raise TsujiError(f"mpirun -n {self.size}: processes 0 and {rank} have a different {name}")

    def end(self, code: int, speak: Callable[[], None]) -> int:
        """Return the exit code for all processes, given that of this one; end them if one has failed alone.

        Parameters
        ----------
        code : int
            Exit code; 0: this process has not failed.
        speak : callable
            Tells what has failed in this process; called in one process at most.
        """
        codes = np.zeros(self.size, np.int64)
        broken = int(self._waits)  # a process that has left an exchange cannot end as usual
        limit = time.monotonic() + GRACE_S + STAGGER_S * self.rank if code else float("inf")
        mine = np.array([code << 1 | broken])
        if not self.wait([self._world.Iallgather(mine, codes)], limit):
            speak()
            self._abort(code)
        failed = np.flatnonzero(codes >> 1)
        if len(failed) and failed[0] == self.rank:
            speak()
        if (codes & 1).any():
            if failed[0] != self.rank:
                time.sleep(GRACE_S)  # the process that has spoken ends all, as soon as its words are read
            self._abort(int(codes[failed[0]] >> 1))
        return int(codes[failed[0]] >> 1) if len(failed) else 0

    def _abort(self, code: int) -> NoReturn:
        """End all processes; what this one has printed comes first."""
        for stream in sys.stdout, sys.stderr:
            stream.flush()
            _wait_read(stream.fileno())
        self._world.Abort(code)
        os._exit(code)  # the launcher may take a while


def _wait_read(descriptor: int) -> None:
    """Wait at most READ_S until a pipe has been read: a launcher that sees the end first leaves the rest unread."""
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return
    limit = time.monotonic() + READ_S
    while time.monotonic() < limit and any(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))):
        time.sleep(SLEEP_S)
    time.sleep(PASSED_ON_S)
