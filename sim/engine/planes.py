"""Several planes: networks side by side on the same nodes; each node's selector chooses the plane of a packet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.errors import TsujiError
from models.params.planes import PlaneParams
from sim.engine.network import Network
from sim.engine.plane_choice import PlaneChooser, are_cubes, plane_addresses
from sim.engine.stalls.stall import StalledError
from sim.packets import Delivered, Packets
from sim.topology.hypercube import Hypercube
from sim.topology.side_by_side import side_by_side


class PlaneNetwork:
    """Planes, each a network at reset, that share only nodes: a node has one queue and one port per plane.

    Parameters
    ----------
    params : PlaneParams
        Generators of each plane, and the rule for ties. If planes are no hypercubes: enough bits to number the nodes,
        and the same generators for all planes.
    networks : sequence of Network
        One network per plane: hypercubes of these generators, or identical copies of any network.

    Attributes
    ----------
    topology : SideBySide
        The planes' switches, one plane after the other, without links between planes.

    Raises
    ------
    TsujiError
        If a network is not the plane that `params` describes, or has other nodes than the first plane.
    """

    def __init__(self, params: PlaneParams, networks: Sequence[Network]) -> None:
        if len(networks) != len(params.planes):
            raise TsujiError(f"planes = {len(params.planes)}: {len(networks)} networks; each plane needs one")
        first = networks[0].topology
        cubes = are_cubes(params, first)
        for plane, network in enumerate(networks):
            topology = network.topology
            if cubes:
                wanted = params.generators(plane)
                if not isinstance(topology, Hypercube) or topology.generators != wanted:
                    raise TsujiError(f"planes[{plane}]: {topology.name} is no hypercube of generators {list(wanted)}")
            elif not np.array_equal(topology.links, first.links):
                raise TsujiError(f"planes[{plane}]: {topology.name} must be as the first plane; hypercubes may differ")
            if not np.array_equal(topology.node_switch, first.node_switch):
                raise TsujiError(f"planes[{plane}]: {topology.name} has other nodes than the first plane")
            if network.cycle:
                raise TsujiError(f"planes[{plane}]: {topology.name} has run for {network.cycle} cycles already")
        self.networks = tuple(networks)
        self.topology = side_by_side([network.topology for network in networks])
        self._chooser = PlaneChooser(params, plane_addresses(params, [network.topology for network in networks]))
        self._last_birth = 0

    @property
    def cycle(self) -> int:
        """Next cycle to simulate."""
        return self.networks[0].cycle

    @property
    def simd(self) -> bool:
        """Whether 64 switches are advanced at a time, in every plane."""
        return all(network.simd for network in self.networks)

    @property
    def threads(self) -> int:
        """Threads that advance it: those of one plane after the other."""
        return max(network.threads for network in self.networks)

    @property
    def processes(self) -> int:
        """Processes that advance it, each a part of every plane."""
        return self.networks[0].processes

    @property
    def flit_hops(self) -> int:
        """Flits sent over links between switches so far."""
        return sum(network.flit_hops for network in self.networks)

    @property
    def dropped(self) -> int:
        """Packets the switches dropped so far."""
        return sum(network.dropped for network in self.networks)

    @property
    def in_flight(self) -> int:
        """Packets offered and neither delivered nor dropped."""
        return sum(network.in_flight for network in self.networks)

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
        # Checked before any selector has seen a packet, because each packet changes a selector's register.
        earliest = max(self.cycle, self._last_birth)
        packets = packets.checked(self.topology.nodes, earliest, self.networks[0].classes)
        if not len(packets):
            return
        self._last_birth = int(packets.birth[-1])
        chosen = self._chooser.choose_planes(packets)
        for plane, network in enumerate(self.networks):
            network.offer(packets[chosen == plane])

    def expect(self, end: int) -> None:
        """Say in which cycle the run is expected to end, as `Network.expect`."""
        for network in self.networks:
            network.expect(end)

    def advance(self, cycles: int) -> Delivered:
        """Simulate `cycles`; return the packets whose tail was ejected, in order of ejection, lower planes first.

        Raises
        ------
        StalledError
            If in a plane, which the message names, no flit moves any more, or packets are deadlocked.
        """
        parts = []
        for plane, network in enumerate(self.networks):
            try:
                parts.append(network.advance(cycles))
            except StalledError as error:
                raise StalledError(f"plane {plane}: {error}") from error
        delivered = Delivered.join(parts)
        return delivered[np.argsort(delivered.eject, kind="stable")]

    def counters(self, at: int | None = None) -> np.ndarray:
        """Return the counters of every switch of `topology`, int64 [switches, ports, Counter]; 0 at missing ports.

        `at` as in `Network.counters`.
        """
        return self._joined([network.counters(at) for network in self.networks])

    def wakes(self, at: int | None = None) -> np.ndarray:
        """Return what happened at output links of `topology` [S, P, 3], as `Network.wakes`; 0 at missing ports."""
        return self._joined([network.wakes(at) for network in self.networks])

    def flits_sent(self) -> np.ndarray:
        """Return the flits that each output port of `topology` sent since reset, int64 [switches, ports, vcs]."""
        sent = [network.flits_sent() for network in self.networks]
        vcs = max(values.shape[2] for values in sent)
        return np.concatenate([
            np.pad(values, ((0, 0), (0, self.topology.ports - values.shape[1]), (0, vcs - values.shape[2])))
            for values in sent
        ])  # fmt: skip

    def busy_cycles(self, at: int | None = None) -> np.ndarray:
        """Return the cycles since reset in which each output link of `topology` carried a flit, int64 [S, P]."""
        return self._joined([network.busy_cycles(at) for network in self.networks])

    def _joined(self, counted: Sequence[np.ndarray]) -> np.ndarray:
        """Return the planes' arrays [switches, ports, ...], joined; 0 at ports that a plane lacks."""
        return np.concatenate(
            [
                np.pad(values, ((0, 0), (0, self.topology.ports - values.shape[1]), *[(0, 0)] * (values.ndim - 2)))
                for values in counted
            ]
        )
