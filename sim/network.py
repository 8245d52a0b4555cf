"""A network: model switches wired into a topology, advanced by the compiled engine."""

from __future__ import annotations

import numpy as np

from models.counters import read
from models.errors import TsujiError
from models.formats import COUNTERS, Counter
from models.lpi import lpi_catch_up
from models.params import LinkParams, SwitchParams
from models.route_table import table_program
from models.route_word import route_word
from models.state import NEVER, new_state
from models.switch import reset
from models.terminal import new_queues, new_sources
from sim.engine import run
from sim.engine_state import CLOCK, NOBODY, PACKET, SOURCE_BIT, Engine
from sim.packets import Delivered, Packets
from sim.routing.base import Tables
from sim.topology.base import Int64, Topology
from sim.topology.coordinates import CoordinateTopology
from sim.topology.hyper_crossbar import HyperCrossbar


class Network:
    """Switches, links and nodes, at reset; cycle 0 is the first with reset released.

    Parameters
    ----------
    params : SwitchParams
        Every switch.
    link : LinkParams
        Every link between switches; nodes sit at their switch.
    topology : Topology
        Who is wired to whom.
    tables : Tables or None
        Routes to program into the switches' tables; None if they compute them.
    log : int
        Events at the nodes' ports to keep (0: none): rows of `log`.

    Raises
    ------
    TsujiError
        If the switch does not fit the topology or a route leads nowhere.
    """

    def __init__(
        self, params: SwitchParams, link: LinkParams, topology: Topology, tables: Tables | None, log: int = 0
    ) -> None:
        needed, crossbars = topology.ports, None
        if isinstance(topology, HyperCrossbar) and params.computed:
            needed, crossbars = topology.exchanger_ports, topology.crossbar
        if params.ports != needed:
            raise TsujiError(f"switch.ports = {params.ports}: {topology.name} has switches of {needed} ports")
        if params.lanes != topology.lanes:
            raise TsujiError(f"switch.lanes = {params.lanes}: {topology.name} has {topology.lanes} local ports a node")
        if (tables is None) == params.has_cam:
            raise TsujiError(
                f'switch.routing = "{params.routing}": tables are {"needed" if tables is None else "unused"}'
            )
        self.params = params
        self.topology = topology
        switches, ports, nodes = topology.switches, topology.ports, topology.nodes
        # A crossbar's switch has other ports than an exchanger's; those that lead nowhere change nothing.
        state = new_state(params, switches, ports)
        if crossbars is not None:
            state.switch.crossbar = crossbars
        for s in range(switches):
            reset(state, s, -1)
        if params.computed:
            state.position[:] = _positions(topology, params)
        sources, source_credits = new_sources(nodes * params.lanes, params.vcs, params.depth)
        wired = topology.peer_switch >= 0
        target = np.where(wired, topology.peer_switch << 16 | topology.peer_port << 8, NOBODY)
        local_switch, local_port = topology.local_ends
        target[local_switch, local_port] = SOURCE_BIT | np.arange(len(local_port)) << 8
        slots = 1 << int(link.latency + params.link_lead + 1).bit_length()
        wheel = (slots, switches * ports)
        self._engine = Engine(
            switches=state,
            need=params.credit_need,
            latency=link.latency,
            clock=np.zeros(1, CLOCK).view(np.recarray),
            link=target,
            home=local_switch << 16 | local_port << 8,
            queues=new_queues(nodes),
            sources=sources,
            source_credits=source_credits,
            packets=np.zeros(0, PACKET).view(np.recarray),
            arrivals=np.empty(0, np.int64),
            flit_to=np.zeros(wheel, np.int64),
            flit=np.zeros(wheel, np.int64),
            flits=np.zeros(slots, np.int64),
            credit_to=np.zeros((slots, 2 * switches * ports), np.int64),
            credits=np.zeros(slots, np.int64),
            mover=np.zeros((2, switches), np.int64),
            mover_mark=np.full(switches, -1, np.int64),
            router=np.zeros((2, switches), np.int64),
            router_mark=np.full(switches, -1, np.int64),
            sender=np.zeros((2, nodes), np.int64),
            sender_mark=np.full(nodes, -1, np.int64),
            wake_first=np.full(_wake_slots(params), NOBODY, np.int64),
            wake_next=np.full(switches, NOBODY, np.int64),
            wake_previous=np.full(switches, NOBODY, np.int64),
            wake_at=np.full(switches, NEVER, np.int64),
            delivered=np.zeros(0, np.int64),
            dropped=np.zeros(0, np.int64),
            log=np.zeros((log, 5), np.int64),
            shown_by=np.zeros((slots, switches if params.lookahead else 0), np.int64),
            shown=np.zeros((slots, switches if params.lookahead else 0, params.vcs), np.int64),
            shows=np.zeros(slots, np.int64),
            counts=np.zeros(6, np.int64),
        )
        self._free = np.empty(0, np.int64)
        self._dropped = 0
        if tables is not None:
            self._program(tables)

    def _program(self, tables: Tables) -> None:
        """Write the routes into every switch's table."""
        out, found = tables.out, tables.found
        nowhere = found & (np.take_along_axis(self._engine.link, np.where(found, out, 0), axis=1) == NOBODY)
        if nowhere.any():
            s, node = np.argwhere(nowhere)[0]
            raise TsujiError(f"route at switch {s} to node {node}: port {out[s, node]} leads nowhere")
        state = self._engine.switches
        tags = self.topology.addresses
        entries = tags & (self.params.cam.entries - 1)
        if len(np.unique(entries)) != len(entries):
            raise TsujiError(
                f"cam.entries = {self.params.cam.entries}: {self.topology.nodes} nodes do not fit; use a power of two "
                f"of at least {int(tags.max()) + 1}"
            )
        choices = np.zeros(out.shape, np.int64) if tables.choices is None else tables.choices
        for s in range(self.topology.switches):
            for node in np.flatnonzero(found[s]):
                first, last = tables.vc_first[s, node], tables.vc_last[s, node]
                table_program(state, s, tags[node], 1, route_word(out[s, node], first, last, 0, choices[s, node]))

    @property
    def cycle(self) -> int:
        """Next cycle to simulate."""
        return int(self._engine.clock[0].cycle)

    @property
    def flit_hops(self) -> int:
        """Flits sent over links between switches so far."""
        return int(self._engine.clock[0].flit_hops)

    @property
    def dropped(self) -> int:
        """Packets the switches dropped so far: their destination is unknown, or the route is not allowed."""
        return self._dropped

    @property
    def in_flight(self) -> int:
        """Packets offered and neither delivered nor dropped."""
        return len(self._engine.packets) - len(self._free)

    @property
    def log(self) -> np.ndarray:
        """Events at the local ports, int64 [events, 5]: kind, cycle, place in `local_ends`, vc << 1 | tail, packet."""
        return self._engine.log[: self._engine.clock[0].logged]

    def idle(self) -> bool:
        """Return whether no packet is on its way."""
        return self.in_flight == 0

    def offer(self, packets: Packets) -> None:
        """Add packets, in order of birth, none born before `cycle` or before the last one offered.

        Raises
        ------
        TsujiError
            If a birth is out of order.
        """
        n = len(packets)
        if n == 0:
            return
        e = self._engine
        waiting = e.arrivals[e.clock[0].arrival :]
        earliest = e.packets.birth[waiting[-1]] if len(waiting) else self.cycle
        if packets.birth[0] < earliest or (np.diff(packets.birth) < 0).any():
            raise TsujiError(f"packets must be offered in order of birth, from cycle {earliest}")
        self._grow(n)
        e = self._engine
        places, self._free = self._free[:n], self._free[n:]
        pool = e.packets
        pool.birth[places] = packets.birth
        pool.source[places] = packets.source
        pool.destination[places] = packets.destination
        pool.tag[places] = self.topology.addresses[packets.destination]
        pool.flits[places] = packets.size
        pool.hops[places] = 0
        e.clock[0].arrival = 0
        self._engine = e._replace(arrivals=np.concatenate((waiting, places)))

    def _grow(self, n: int) -> None:
        """Make room for n more packets."""
        e = self._engine
        size = len(e.packets)
        if len(self._free) >= n:
            return
        more = max(n, size, 1024)
        pool = np.concatenate((e.packets, np.zeros(more, PACKET))).view(np.recarray)
        self._free = np.concatenate((self._free, np.arange(size, size + more)))
        self._engine = e._replace(
            packets=pool, delivered=np.zeros(size + more, np.int64), dropped=np.zeros(size + more, np.int64)
        )

    def advance(self, cycles: int) -> Delivered:
        """Simulate; return the packets whose tail was ejected, in order of ejection."""
        e = self._engine
        clock = e.clock[0]
        run(e, self.cycle + cycles)
        arrived = e.delivered[: clock.delivered]
        lost = e.dropped[: clock.dropped]
        rows = e.packets[arrived]
        columns = ("source", "destination", "birth", "enter", "eject", "hops")
        delivered = Delivered(
            size=rows["flits"].astype(np.int64), **{name: rows[name].astype(np.int64) for name in columns}
        )
        self._dropped += len(lost)
        self._free = np.concatenate((self._free, arrived, lost))
        clock.delivered = clock.dropped = 0
        return delivered

    def counters(self) -> np.ndarray:
        """Return the counters of every switch, int64 [switches, ports, Counter]."""
        state = self._engine.switches
        if self.params.lpi:
            for switch in range(self.topology.switches):
                lpi_catch_up(state, switch, self.cycle)
        values = state.counters.copy()
        if self.params.has_cam:
            for s in np.flatnonzero(state.switch.waiting):
                for p in range(self.params.ports):
                    values[s, p, Counter.CAM_STALLS] = read(state, int(s), p, int(Counter.CAM_STALLS), self.cycle)
        assert values.shape[2] == COUNTERS
        return values


def _positions(topology: Topology, params: SwitchParams) -> Int64:
    """Return where switches that compute routes are [S, dimensions].

    Raises
    ------
    TsujiError
        If the topology has no coordinates, or not those that the switches reckon with.
    """
    if not isinstance(topology, CoordinateTopology) or topology.routing != params.routing:
        raise TsujiError(f'switch.routing = "{params.routing}": no such routes on {topology.name}')
    for key, needed in topology.computed_params.items():
        value = getattr(params, key)
        if (list(value) if key == "radix" else value) != needed:
            raise TsujiError(f"switch.{key} = {value}: {topology.name} needs {needed}")
    return topology.positions


def _wake_slots(params: SwitchParams) -> int:
    """Return a power of two above the longest time a switch can sleep until a route or a link is due."""
    longest = max(params.cam.latency, params.cam.occupancy) if params.has_cam else 1
    if params.lpi:
        longest = max(longest, params.lpi.sleep + params.lpi.wake)
    return 1 << (longest + 1).bit_length()
