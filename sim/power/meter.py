"""Reads the activity of a network: states of links, flits, lookups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.errors import TsujiError
from models.formats import Counter
from models.params import SwitchParams
from sim.config.power import PowerParams
from sim.engine.counters import BY_HINT, HINT_USED, WAITED
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.packets import Int64
from sim.topology.base import NOBODY, Topology
from sim.topology.dimensions import link_dimensions
from sim.topology.side_by_side import SideBySide
from sim.topology.torus import Grid

STATES = ("active", "sleep", "lpi", "refresh", "wake")
LPI = STATES.index("lpi")
_PHASES = [Counter.LINK_ACT, Counter.LINK_SLEEP, Counter.LINK_LPI, Counter.LINK_REFRESH, Counter.LINK_WAKE]


@dataclass(frozen=True, eq=False)
class Links:
    """The L counted links, in order of switch and port.

    Attributes
    ----------
    switch, port : array [L]
        Output port that drives each link.
    to_switch, to_port, to_node : array [L]
        Far end of each link; -1 where it does not apply.
    plane, dimension, direction : array [L]
        Plane; dimension, -1 for none; direction in it, 1 up or -1 down, also for wraparound links, 0 for none.
    """

    switch: Int64
    port: Int64
    to_switch: Int64
    to_port: Int64
    to_node: Int64
    plane: Int64
    dimension: Int64
    direction: Int64

    def __len__(self) -> int:
        return len(self.switch)


@dataclass(frozen=True, eq=False)
class Reading:
    """Counts between two cycles.

    Attributes
    ----------
    begin, end : int
        Cycles.
    states : array [L, STATES]
        Cycles that each link was in each state.
    wakes, wake_delays, flits, busy : array [L]
        Wakes begun; cycles in which a flit waited for the link while it was not active; flits sent; cycles in which the
        link carried a flit.
    hint_wakes, hint_wakes_used : array [L]
        Wakes that a hint began before a flit wanted the link; of these, those after which one came in time.
    cache, cam : array [S]
        Lookups in each switch's caches, and in its CAM.
    packets, delivered : int
        Packets, and flits, delivered to nodes.
    """

    begin: int
    end: int
    states: Int64
    wakes: Int64
    wake_delays: Int64
    flits: Int64
    busy: Int64
    hint_wakes: Int64
    hint_wakes_used: Int64
    cache: Int64
    cam: Int64
    packets: int
    delivered: int

    @property
    def cycles(self) -> int:
        """Length of the interval, cycles."""
        return self.end - self.begin


class Meter:
    """Reads the activity of a network.

    Parameters
    ----------
    network : Network or PlaneNetwork
    switch : SwitchParams
        Parameters of the network's switches.
    power : PowerParams
        Power parameters, which say whether links to nodes are counted.

    Raises
    ------
    TsujiError
        If the switch has no counters.
    """

    def __init__(self, network: Network | PlaneNetwork, switch: SwitchParams, power: PowerParams) -> None:
        if not switch.counter_width:
            raise TsujiError("switch.counter_width = 0: power is read from the counters; must be 32 to 64")
        self._network = network
        self._sleeps = switch.lpi is not None
        self._mask = (1 << min(switch.counter_width, 63)) - 1
        topology = network.topology
        self._local = topology.port_node != NOBODY
        used = (topology.peer_switch != NOBODY) | (self._local & power.node_links)
        self._where = np.nonzero(used)
        self._before = self._raw(network.cycle)

    @property
    def topology(self) -> Topology:
        """Topology of the network."""
        return self._network.topology

    @property
    def read_at(self) -> int:
        """Cycle of the last reading."""
        return self._before[0]

    @cached_property
    def links(self) -> Links:
        """The links that are counted."""
        topology = self.topology
        planes = topology.planes if isinstance(topology, SideBySide) else (topology,)
        plane = np.repeat(np.arange(len(planes)), [each.switches for each in planes])
        dimension, direction = _directions(planes, topology.ports)
        columns = (topology.peer_switch, topology.peer_port, topology.port_node)
        to_switch, to_port, to_node = (column[self._where] for column in columns)
        switch, port = self._where
        way = dimension[self._where], direction[self._where]
        return Links(switch, port, to_switch, to_port, to_node, plane[switch], *way)

    @property
    def ports(self) -> Int64:
        """Ports in use of each switch [S]; each has a route cache if the switch has caches."""
        used = (self.topology.peer_switch != NOBODY) | self._local
        count: Int64 = used.sum(axis=1)
        return count

    def read(self, at: int) -> Reading:
        """Return the counts since the last reading, or since the beginning, until cycle `at`.

        `at` is the network's cycle, or a later one if nothing happens until then.
        """
        before, after = self._before, self._raw(at)
        self._before = after
        begin, end = before[0], after[0]
        counted = (after[1] - before[1]) & self._mask
        sent = (after[3] - before[3]).sum(axis=2)
        links = counted[self._where]
        wakes = (after[2] - before[2])[self._where]
        states = links[:, _PHASES]
        if not self._sleeps:
            states = np.zeros_like(states)
            states[:, 0] = end - begin
        return Reading(
            begin,
            end,
            states,
            links[:, Counter.LINK_WAKES],
            wakes[:, WAITED],
            sent[self._where],
            (after[4] - before[4])[self._where],
            wakes[:, BY_HINT],
            wakes[:, HINT_USED],
            counted[:, :, [Counter.CACHE_HITS, Counter.CACHE_MISSES]].sum(axis=(1, 2)),
            counted[:, :, Counter.CAM_REQUESTS].sum(axis=1),
            int(counted[self._local, Counter.PACKETS_OUT].sum()),
            int(sent[self._local].sum()),
        )

    def _raw(self, at: int) -> tuple[int, Int64, Int64, Int64, Int64]:
        """Return cycle, counters, wakes, flits and busy cycles of links since reset."""
        network = self._network
        return at, network.counters(at), network.wakes(at), network.flits_sent(), network.busy_cycles(at)


def link_directions(topology: Topology) -> tuple[Int64, Int64]:
    """Return dimension and direction of the link at each port of a topology of one plane, as in `Links` [S, P]."""
    return _directions((topology,), topology.ports)


def _directions(planes: tuple[Topology, ...], ports: int) -> tuple[Int64, Int64]:
    """Return dimension, -1 for none, and direction, 1 up or -1 down, of the link at each port [S, P]."""
    found = []
    for plane in planes:
        dimensions = link_dimensions(plane)
        if dimensions is None:
            dimensions = np.full(plane.peer_switch.shape, NOBODY)
        step = np.take_along_axis(
            plane.coordinates[plane.peer_switch] - plane.coordinates[:, None, :],
            np.maximum(dimensions, 0)[:, :, None],
            axis=2,
        )[:, :, 0]
        up = np.sign(step)
        if isinstance(plane, Grid):  # its even ports lead up, also where the link wraps around
            up = np.broadcast_to(1 - 2 * (np.arange(plane.ports) & 1), up.shape)
        up = np.where(dimensions == NOBODY, 0, up)
        more = ((0, 0), (0, ports - plane.ports))
        found.append((np.pad(dimensions, more, constant_values=NOBODY), np.pad(up, more)))
    return np.vstack([each for each, _ in found]), np.vstack([each for _, each in found])
