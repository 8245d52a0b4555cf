"""Ports from a list of cables: those to neighbours in order of their numbers, then the ports of nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.topology.base import NOBODY, Int64


class Wiring(NamedTuple):
    """Arrays of a `Topology`.

    Attributes
    ----------
    peer_switch, peer_port, node_switch, node_port
        As in `Topology`.
    cable : array [S, P]
        Number of the cable at each port; -1 without a cable.
    """

    peer_switch: Int64
    peer_port: Int64
    node_switch: Int64
    node_port: Int64
    cable: Int64


def wire(cables: Int64, population: Int64) -> Wiring:
    """Return the ports of a network; node ports begin after the greatest number of links of any switch.

    Parameters
    ----------
    cables : array [C, 2]
        Switches at the ends of each cable; parallel cables get adjacent ports.
    population : array [S]
        Nodes of each switch.
    """
    switches, count = len(population), len(cables)
    here, there = np.concatenate((cables, cables[:, ::-1])).T.reshape(2, -1)
    number = np.tile(np.arange(count), 2)
    order = np.lexsort((number, there, here))
    degree = np.bincount(here, minlength=switches)
    port = np.empty(2 * count, np.int64)
    port[order] = np.arange(2 * count) - np.repeat(np.cumsum(degree) - degree, degree)
    links = int(degree.max(initial=0))
    shape = switches, links + int(population.max(initial=0))
    peer_switch, peer_port, cable = (np.full(shape, NOBODY, np.int64) for _ in range(3))
    peer_switch[here, port] = there
    peer_port[here, port] = np.roll(port, count)
    cable[here, port] = number
    node_switch = np.repeat(np.arange(switches), population)
    local = np.arange(len(node_switch)) - np.repeat(np.cumsum(population) - population, population)
    return Wiring(peer_switch, peer_port, node_switch, links + local, cable)
