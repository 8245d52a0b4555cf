"""A network: model switches wired into a topology, advanced by the compiled engine."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from models.batched.lpi import end_wants
from models.errors import TsujiError
from models.jit.specialise import Known
from models.node.terminal import NO_PACKET
from models.params import LinkParams, SwitchParams
from models.route.route_cache import copy_caches
from sim.config.run import RunParams
from sim.engine.allocate import new_engine
from sim.engine.batched.choice import Simd
from sim.engine.calls import Workers
from sim.engine.closed_loop import longer_rings
from sim.engine.counters import busy_cycles, flits_sent, read_counters, read_wakes
from sim.engine.dispatch import EngineCall, Specialise
from sim.engine.fit import crossbars_that_fit
from sim.engine.interfaces import with_history
from sim.engine.packet_pool import ORIGIN, longer, put_packets, take_packets
from sim.engine.path_draw import PathByGroup, PathDraw
from sim.engine.processes.processes import Processes
from sim.engine.program import program_tables
from sim.engine.stalls.stall import Watch
from sim.engine.state import IS_REPLY, MOST_PACKETS, NOBODY, POOL, Ranks
from sim.engine.threads.count import Threads
from sim.lib.array_check import check_int, check_ints
from sim.messages.state import Messages
from sim.packets import LAST_CYCLE, Delivered, Packets
from sim.routing.base import Tables
from sim.routing.paths import hops
from sim.topology.base import Int64, Topology
from sim.topology.link_times import LinkTimes
from sim.traffic.closed_loop import OPEN_LOOP, ClosedLoop
from sim.traffic.injection import ONE_A_PORT, Injection

FREE = (POOL.names or ()).index("free")


class Network:
    """A network of switches, links and nodes, at reset; cycle 0 is the first with reset released.

    Parameters
    ----------
    params : SwitchParams
        Parameters of every switch.
    link : LinkParams
        Parameters of all links between switches, in addition to those of `topology`, and of the cables of nodes.
    topology : Topology
        Switches, their links and nodes.
    tables : Tables or None
        Routes to program into the switches' tables; None if they compute them.
    seed : int
        Seed of the path draws of packets, if `tables` has several paths to a node or `params` draws ties.
    log : int
        Number of events at the nodes' ports to keep as rows of `log`; 0: none.
    stall_cycles : int
        Cycles in which no flit moves after which `advance` raises StalledError (0: never; `sim.engine.stalls.stall`).
    loop : ClosedLoop
        Replies and windows.
    injection : Injection
        How nodes send their packets.
    specialise : bool or "auto"
        Whether to compile the engine for these parameters of the switches, latency of links, replies or windows,
        injection, log and size of the state; "auto": once it pays (`sim.engine.dispatch`; the default of
        `tsuji.build`).
    threads : int or "auto"
        Threads that advance it (`sim.engine.threads.count`); the attribute of this name says how many do.
    processes : Processes or None
        Processes under MPI, each of which builds it and advances a part; the attribute of this name is their number.
    simd : bool or "auto"
        Whether to advance 64 switches at a time (`sim.engine.batched.choice`); the attribute says whether it does.

    Raises
    ------
    TsujiError
        If the switch does not fit the topology, or a route leads to an unconnected port.
    """

    def __init__(
        self,
        params: SwitchParams,
        link: LinkParams,
        topology: Topology,
        tables: Tables | None,
        log: int = 0,
        seed: int = 0,
        stall_cycles: int = RunParams().stall_cycles,
        loop: ClosedLoop = OPEN_LOOP,
        injection: Injection = ONE_A_PORT,
        specialise: Specialise = False,
        threads: Threads = 1,
        processes: Processes | None = None,
        simd: Simd = "auto",
    ) -> None:
        crossbars = crossbars_that_fit(params, topology, tables is not None)
        if tables is not None:
            tables = tables.checked(topology, params.vcs)
        self.params, self.topology = params, topology
        times = LinkTimes.of(params, link, topology)
        self._node_latency = times.node
        workers = Workers(threads, processes, params, topology, times, loop, log, simd)
        self.threads, self.processes, self.simd = workers.threads, workers.processes, workers.batched
        self._workers = workers
        how = crossbars, loop, injection, log, workers.window, workers.batched
        self._engine = new_engine(params, topology, times, *how)
        self._free = np.empty(0, np.int64)  # a stack, so that places stay in the cache; the first `_unused` are free
        self._unused = 0  # the rest of it is stale
        self._origin = np.empty(0, np.int64)  # closed loop: birth of the request that each packet answers
        self._reply_size, self._dropped = loop.reply_size, 0
        self._watch = Watch(topology, self._engine.switches, stall_cycles and stall_cycles + times.stillness(params))
        if tables is not None:
            program_tables(self._engine, params, topology, tables)
        more: dict[str, Any] = {"paths": 1 << params.tie_bits if tables is None else tables.paths}
        if tables is not None and tables.threshold is not None:
            path_hops = hops(topology, tables).astype(np.int16)
            more |= {
                "threshold": tables.threshold,
                "path_out": np.ascontiguousarray(tables.out),
                "path_hops": path_hops,
            }
        self._engine = self._engine._replace(**more)
        self.classes = 1 if tables is None else tables.classes
        of_class = self._engine.paths // self.classes
        self._draw: PathDraw | PathByGroup = PathDraw(topology.nodes, len(self._engine.path_out) and 1, of_class, seed)
        if tables is not None and tables.groups is not None:
            self._draw = PathByGroup(tables.groups)
        self._specialise: Specialise = specialise
        self._call = workers.call(specialise)
        self._now, self._drops = (self._engine.clock.view(np.ndarray)[name] for name in ("cycle", "dropped"))
        self._place(Packets.none())  # compile it now

    @property
    def cycle(self) -> int:
        """Next cycle to simulate."""
        return int(self._now[0])

    @property
    def flit_hops(self) -> int:
        """Flits sent over links between switches so far."""
        return int(self.flits_sent()[self.topology.peer_switch != NOBODY].sum())

    @property
    def dropped(self) -> int:
        """Packets dropped by switches so far: their destination is unknown, or the route is not allowed."""
        return self._dropped

    @property
    def in_flight(self) -> int:
        """Packets offered and neither delivered nor dropped, and replies still to be created."""
        unused = self._pool[FREE] if self._engine.hooks.messages else self._unused
        return len(self._engine.packets) - int(unused)

    @property
    def log(self) -> np.ndarray:
        """Events at the local ports, int64 [events, 5]: kind, cycle, place in `local_ends`, vc << 1 | tail, packet."""
        return self._engine.log[: self._engine.clock[0].logged]

    def idle(self) -> bool:
        """Return whether no packet is in flight."""
        return self.in_flight == 0

    def offer(self, packets: Packets) -> None:
        """Add packets, in order of birth, none born before `cycle` or before the last one offered.

        Raises
        ------
        TsujiError
            If a birth is out of order, or a node or size out of range; the message names index and value.
        """
        e = self._engine
        waiting = e.arrivals[e.clock[0].arrival :]
        earliest = int(e.packets.birth[waiting[-1]]) - self._node_latency if len(waiting) else self.cycle
        packets = packets.checked(self.topology.nodes, earliest, self.classes)
        n = len(packets)
        if n == 0:
            return
        self._grow(2 * n if self._reply_size else n)
        places = self._place(packets)
        if self._reply_size:
            to, size = packets.source, np.full(n, self._reply_size)
            replies = replace(packets, source=packets.destination, destination=to, size=size)
            answers = self._place(replies)
            self._engine.reply[places], self._engine.reply[answers] = answers, IS_REPLY
        self._engine.clock[0].arrival = 0
        self._engine = self._engine._replace(arrivals=np.concatenate((waiting, places)))

    def _place(self, packets: Packets) -> np.ndarray:
        """Write packets into the pool, with births at the switch end of their node's cable; return their places [n]."""
        e = self._engine
        self._unused -= len(packets)
        places = self._free[self._unused : self._unused + len(packets)][::-1].copy()
        path = packets.message_class * (e.paths // self.classes) + self._draw.draw(packets)
        tags = self.topology.addresses[packets.destination] * e.paths + path
        births = packets.birth + self._node_latency
        put_packets(e.packets, places, births, packets.source, packets.destination, packets.size, tags)
        if e.k.closed:
            e.reply[places] = NO_PACKET
            self._origin[places] = packets.birth
        return places

    def _release(self, places: np.ndarray) -> None:
        """Free places of the pool."""
        self._free[self._unused : self._unused + len(places)] = places
        self._unused += len(places)

    def _grow(self, n: int) -> None:
        """Make room for `n` more packets."""
        e = self._engine
        size = len(e.packets)
        if self._unused >= n:
            return
        if size + n > MOST_PACKETS:
            raise TsujiError(f"{size} packets are in flight; at most {MOST_PACKETS} are kept, with those offered")
        # A quarter more: room for packets that are still in flight when as many are offered again.
        more = min(max(n + n // 4, size, 1024), MOST_PACKETS - size)
        free = np.empty(size + more, np.int64)
        free[:more] = np.arange(size + more - 1, size - 1, -1)
        free[more : more + self._unused] = self._free[: self._unused]
        self._free, self._unused = free, self._unused + more
        # What a call has delivered or dropped that was interrupted before it was taken is kept, too.
        kept = ("packets", "delivered", "arrived", "dropped")
        longer_ones: dict[str, Any] = {name: longer(getattr(e, name), more) for name in kept}
        self._engine = e._replace(**longer_ones)
        if e.k.closed:
            self._origin = np.concatenate((self._origin, np.zeros(more, np.int64)))
            later_at, later_what = longer_rings(e, size + more)
            reply = np.concatenate((e.reply, np.zeros(more, np.int64)))
            self._engine = self._engine._replace(reply=reply, later_at=later_at, later_what=later_what)

    def carry(self, ranks: Ranks) -> None:
        """Let nodes send the messages of ranks (`sim.engine.messages`) instead of offered packets."""
        assert self.idle()
        assert not self._engine.k.closed
        if self._node_latency:
            raise TsujiError(
                f"link.node_latency = {self._node_latency}: what messages of a workload take beside the network are "
                "the overheads of [workload]; leave it out"
            )
        e = self._engine
        draw = self._draw
        paths = {"group": draw.groups} if isinstance(draw, PathByGroup) else draw.columns
        address = self.topology.addresses.astype(np.int64) * e.paths
        ranks = ranks._replace(address=address, reserve=2 * len(e.sources), **paths)
        self._engine = e._replace(hooks=Known(e.hooks.values._replace(messages=True)), ranks=ranks)
        self._pool = ranks.pool.view(np.ndarray).view(np.int64)
        self._workers.carry_messages()
        self.threads = self._workers.threads
        self._call = self._workers.call(self._specialise)
        self._more_packets()

    def advance_messages(self, x: Messages, end: int) -> None:
        """Simulate until cycle `end`, until Python must act (`sim.engine.messages.asks`), or until all is done.

        Parameters
        ----------
        x : Messages
            Message layer of the ranks; its arrays may have been replaced since the last call.
        end : int
            Cycle.

        Raises
        ------
        StalledError
            As `advance`.
        """
        if x is not self._engine.ranks.x:
            self._engine = self._engine._replace(ranks=self._engine.ranks._replace(x=x))
        while True:
            self._call(self._engine, end)
            if self._watch.is_due(self.cycle):
                self._watch.look(self._engine, self._call)
            if self._drops[0]:
                self._dropped += int(self._drops[0])
                self._drops[0] = 0
            if not self._call.short_of_packets(self._engine):
                return
            self._more_packets()

    def watch_buffers(self, switches: Int64, begin: int, end: int) -> None:
        """Record the packets of messages that pass chosen switches in cycles `begin` to `end` − 1, for `passages`."""
        if self.threads > 1:
            raise TsujiError(f"run.threads = {self.threads}: one thread only with a history of buffers; use 1")
        watched = np.zeros(self.topology.switches, np.bool_)
        watched[check_ints("switches", switches, (None,), 0, len(watched) - 1)] = True
        begin, end = check_int("begin", begin, 0), check_int("end", end, begin + 1, 1 << 62)
        self._engine = with_history(self._engine, watched, begin, end)
        self._call = EngineCall(self._specialise)

    def passages(self) -> np.ndarray:
        """Return the passages recorded since the last call, `sim.engine.state.PASSAGE` [n]."""
        pool = self._engine.ranks.pool[0]
        noted = self._engine.ranks.passages[: pool.passages].copy()
        pool.passages = 0
        return np.asarray(noted)

    def _more_packets(self) -> None:
        """Make room for more packets of messages."""
        ranks, size = self._engine.ranks, len(self._engine.packets)
        free = self._call.free_packets(self._engine)
        self._free, self._unused = np.concatenate((free, np.empty(size - len(free), np.int64))), len(free)
        least = 4 * len(self._engine.sources)
        if self.threads == 1 or self._unused < max(least, size // 2):  # else it is enough to divide them anew
            self._grow(max(least, size))
        part_of = np.zeros(len(self._free), np.int64)
        part_of[: len(ranks.part_of)] = ranks.part_of
        ranks.pool[0].free = self._unused
        self._engine = self._engine._replace(ranks=ranks._replace(free=self._free, part_of=part_of))

    @property
    def packets_sent(self) -> tuple[int, int]:
        """Packets of messages sent so far, and the number of their flits."""
        pool = self._engine.ranks.pool[0]
        return int(pool.packets), int(pool.flits)

    def expect(self, end: int) -> None:
        """Say in which cycle the run is expected to end: whether to specialise the engine depends on it."""
        self._call.expect(end)

    def advance(self, cycles: int) -> Delivered:
        """Simulate `cycles` cycles; return the packets whose tail was ejected, in order of ejection.

        Raises
        ------
        TsujiError
            If `cycles` is no whole number, or too large.
        StalledError
            If no flit moves any more, or packets are deadlocked.
        """
        cycles = check_int("cycles", cycles, 0, LAST_CYCLE - self.cycle)
        e = self._engine
        clock = e.clock[0]
        self._call(e, self.cycle + cycles)
        self._watch.look(e, self._call)
        arrived = e.delivered[: clock.delivered]
        lost = e.dropped[: clock.dropped]
        columns = np.empty((len(fields(Delivered)), len(arrived)), np.int64)
        latency = e.k.latency * (2 if self.params.reserves else 1)  # the request to a crossbar takes it once more
        take_packets(e.arrived, self.params.speedup, latency, e.k.plain, e.paths, self.classes, columns)
        self._release(arrived)
        if len(lost):
            self._release(lost)
            self._dropped += len(lost)
        if e.k.closed:
            columns[ORIGIN] = self._origin[arrived]
            unasked = e.reply[lost]
            self._release(unasked[unasked >= 0])
        clock.delivered = clock.dropped = 0
        return Delivered(*columns).at_nodes(self._node_latency, replies=self._engine.k.closed)

    def flits_sent(self) -> np.ndarray:
        """Return a copy of the flits sent on each port, links and nodes, since reset, int64 [switches, ports, vcs].

        Flits that bypassed a switch count; heads that were sent to a wrong output do not.
        """
        return self._call.merged(flits_sent(self._engine))

    def busy_cycles(self, at: int | None = None) -> np.ndarray:
        """Return the cycles since reset in which each output link carried a flit [S, P]; `at` as in `counters`."""
        return self._call.merged(busy_cycles(self._engine, self._idle_until(at)))

    def counters(self, at: int | None = None) -> np.ndarray:
        """Return the counters of every switch before the events of cycle `at`, int64 [switches, ports, Counter].

        `at` may be later than the present cycle while nothing is in flight; nothing may then be sent before it.
        """
        values: np.ndarray = np.empty(self._engine.switches.counters.shape, np.int64)
        read_counters(self._engine.switches, self._idle_until(at), values)
        return self._call.merged(values)

    def take_caches(self, other: Network) -> None:
        """Begin with the contents of the route caches of an equal network, before the first cycle."""
        assert not self.cycle
        copy_caches(other._engine.switches, self._engine.switches)

    def wakes(self, at: int | None = None) -> np.ndarray:
        """Return what happened at output links, int64 [switches, ports, 3], as `sim.engine.counters.read_wakes`.

        Flits in the buffer of an output wait, too; a link for which several packets wait counts once. `at` as in
        `counters`.
        """
        state = self._engine.switches
        values: np.ndarray = np.zeros((*state.counters.shape[:2], 3), np.int64)
        if state.k.lpi:
            read_wakes(state, self._idle_until(at), values)
        return self._call.merged(values)

    def _idle_until(self, at: int | None) -> int:
        """Return `at`, checked that nothing happens until then."""
        if at is None or at == self.cycle:
            return self.cycle
        if not self.idle():
            raise TsujiError(f"at = {at}: must be {self.cycle}, the cycle, or None while anything is in flight")
        end_wants(self._engine.switches, self.cycle)
        return check_int("at", at, self.cycle, LAST_CYCLE)
