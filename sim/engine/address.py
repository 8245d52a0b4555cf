"""A place in a network as one number: switch << 10 | port << 4 | VC; of a source SOURCE_BIT | its number << 4 | VC.

A source is numbered as its local port among all local ports; VC is 0 if the place is a whole link.
"""

from __future__ import annotations

from models.jit.compiled import compiled

SWITCH_SHIFT, PORT_SHIFT, SOURCE_SHIFT = 10, 4, 60
SOURCE_BIT = 1 << SOURCE_SHIFT
SEEN_SHIFT, LATEST = 40, (1 << 16) - 1  # bits of an ejected flit's place that say in which cycle the node sees the flit
MOST_PLACES = 1 << 32
MOST_SWITCHES = MOST_PLACES >> SWITCH_SHIFT
PORT_MASK = (1 << SWITCH_SHIFT - PORT_SHIFT) - 1
VC_MASK = (1 << PORT_SHIFT) - 1


@compiled
def switch_of(place: int) -> int:
    """Return the switch of a place."""
    return place >> SWITCH_SHIFT


@compiled
def port_of(place: int) -> int:
    """Return the port of a place."""
    return (place >> PORT_SHIFT) & PORT_MASK


@compiled
def vc_of(place: int) -> int:
    """Return the VC of a place."""
    return place & VC_MASK


@compiled
def is_source(place: int) -> int:
    """Return 1 for the place of a source, 0 for one of a switch."""
    return place >> SOURCE_SHIFT


@compiled
def source_of(place: int) -> int:
    """Return the number of the source at a place."""
    return (place >> PORT_SHIFT) & (MOST_PLACES - 1)


@compiled
def seen_at(cycle: int) -> int:
    """Return the field to add to a node's place: the cycle in which it sees a flit, modulo 2^16."""
    return (cycle & LATEST) << SEEN_SHIFT


@compiled
def seen_of(place: int) -> int:
    """Return the field that `seen_at` added."""
    return place >> SEEN_SHIFT & LATEST
