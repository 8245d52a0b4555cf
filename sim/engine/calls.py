"""Who advances a network: one thread, several threads, or several processes."""

from __future__ import annotations

from dataclasses import replace

from models.errors import TsujiError
from models.params import SwitchParams
from sim.engine.batched.choice import Simd, is_batched
from sim.engine.dispatch import EngineCall, Specialise
from sim.engine.processes.call import ProcessesCall
from sim.engine.processes.fit import check_processes
from sim.engine.processes.processes import Processes
from sim.engine.threads.call import PartsCall
from sim.engine.threads.count import Threads, thread_count
from sim.engine.threads.cut import Cut, cut_network
from sim.engine.threads.ranks_call import RanksCall
from sim.topology.base import Topology
from sim.topology.link_times import LinkTimes
from sim.traffic.closed_loop import ClosedLoop


class Workers:
    """The threads or processes that advance a network, each a part.

    Parameters
    ----------
    threads : int or "auto"
        Threads, as of `sim.engine.threads.count.thread_count`.
    processes : Processes or None
        Processes under MPI; None: this one.
    params, topology, times, log
        As of `thread_count`.
    loop : ClosedLoop
        Replies and windows.
    simd : bool or "auto"
        Whether to advance 64 switches at a time (`sim.engine.batched.choice`).

    Attributes
    ----------
    batched : bool
        Whether switches are advanced 64 at a time.
    threads, processes : int
        How many there are.
    cut : Cut or None
        The parts; None if there is one.

    Raises
    ------
    TsujiError
        If they cannot advance this network.
    """

    def __init__(
        self,
        threads: Threads,
        processes: Processes | None,
        params: SwitchParams,
        topology: Topology,
        times: LinkTimes,
        loop: ClosedLoop,
        log: int,
        simd: Simd = "auto",
    ) -> None:
        self._processes, self._times, self._messages, self._wanted = processes, times, False, threads
        asked = processes.size if processes else threads
        self.batched = is_batched(simd, params, topology, 1 if asked == "auto" else asked)
        if processes:
            check_processes(processes.size, threads, params, topology, times, log, self.batched)
            self.threads, self.processes = 1, processes.size
        else:
            self.threads, self.processes = thread_count(threads, params, topology, times, log, self.batched), 1
        parts = max(self.threads, self.processes)
        self.cut: Cut | None = cut_network(params, topology, times, loop, parts, self.batched)

    def carry_messages(self) -> None:
        """Let the parts carry messages of ranks, which a cycle after a packet arrives may send another one.

        If the number of threads is "auto", it becomes 1: with a window of one cycle more seldom pay.

        Raises
        ------
        TsujiError
            If there are several processes.
        """
        if self._processes:
            raise TsujiError(
                f"mpirun -n {self.processes}: one process only with messages of ranks; start it without mpirun, or "
                "with -n 1"
            )
        if self._wanted == "auto":
            self.threads, self.cut = 1, None
        if self.cut:
            self.cut = replace(self.cut, window=1)
            self._messages = True

    @property
    def window(self) -> int:
        """Cycles that parts advance by themselves; 0: there is one part."""
        return self.cut.window if self.cut else 0

    def call(self, specialise: Specialise) -> EngineCall | PartsCall | RanksCall | ProcessesCall:
        """Return what advances the network; `specialise` as of `EngineCall`."""
        if self.cut is None:
            return EngineCall(specialise)
        if self._processes:
            return ProcessesCall(specialise, self.cut, self._times, self._processes)
        kind = RanksCall if self._messages else PartsCall
        return kind(specialise, self.cut, self._times)
