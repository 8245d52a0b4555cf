"""Deadlock freedom of dimension order on a torus or mesh, by symmetry: one ring of each dimension is checked.

A packet corrects its dimensions one after the other, so a channel depends on channels of its own dimension and of later
ones only: a cycle of the channel dependency graph (`fixed_routes`) stays in one ring or row. All rings of a dimension
are translates of each other, and on each of them direction and VCs of a packet depend only on the two coordinates at
which it enters and leaves. So the whole graph has a cycle if, and only if, that of a single ring has one. Checking all
pairs of a torus of 16,384 nodes would take a minute; this takes the time of one ring.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.routing.base import Tables
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.deadlock.fixed_routes import Channel
from sim.topology.torus import Grid, grid

Rule = Callable[[Grid], Tables]


def check(topology: Grid, rule: Rule) -> None:
    """Refuse dimension-order routes that can deadlock.

    Parameters
    ----------
    topology : Grid
        The torus or mesh.
    rule : callable
        Returns the routes of one ring or row.

    Raises
    ------
    DeadlockError
        If they can; the message names a cycle of channels, link by link.
    """
    for dimension in range(len(topology.radix)):
        deadlock.refuse(topology, find_cycle(topology, rule, dimension))


def find_cycle(topology: Grid, rule: Rule, dimension: int) -> list[Channel]:
    """Return a cycle of channels of a dimension, in the ring or row through switch 0; empty if there is none."""
    ring = ring_of(topology, dimension)
    step = int(np.prod(topology.radix[:dimension]))
    return [
        channel._replace(switch=channel.switch * step, port=channel.port + 2 * dimension)
        for channel in deadlock.find_cycle(ring, rule(ring))
    ]


def ring_of(topology: Grid, dimension: int) -> Grid:
    """Return one ring or row of a dimension as a topology."""
    return grid((topology.radix[dimension],), wrap=topology.rings[dimension])
