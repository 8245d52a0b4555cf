"""A place of a network in one number: switch << 16 | port << 8 | VC, or of a source: SOURCE_BIT | its number << 8 | VC.

A source's number is that of its local port among all; VC is 0 where a link as a whole is meant.
"""

from __future__ import annotations

from models.jit.compiled import compiled

SWITCH_SHIFT, PORT_SHIFT, SOURCE_SHIFT = 16, 8, 60
SOURCE_BIT = 1 << SOURCE_SHIFT
SEEN_SHIFT, LATEST = 40, (1 << 16) - 1  # where a flit that is given to a node says in which cycle that sees it
LOW_BITS = 255
MOST_SWITCHES = 1 << 16  # with port and VC, a place is 32 bits
MOST_PLACES = 1 << 32


@compiled
def switch_of(place: int) -> int:
    """Return the switch of a place."""
    return place >> SWITCH_SHIFT


@compiled
def port_of(place: int) -> int:
    """Return the port of a place."""
    return (place >> PORT_SHIFT) & LOW_BITS


@compiled
def vc_of(place: int) -> int:
    """Return the VC of a place."""
    return place & LOW_BITS


@compiled
def is_source(place: int) -> int:
    """Return 1 for the place of a source, 0 for one of a switch."""
    return place >> SOURCE_SHIFT


@compiled
def source_of(place: int) -> int:
    """Return the number of a source, of its place."""
    return (place >> PORT_SHIFT) & (MOST_PLACES - 1)


@compiled
def seen_at(cycle: int) -> int:
    """Return what is added to a node's place: in which cycle it sees a flit, but for multiples of 2^16."""
    return (cycle & LATEST) << SEEN_SHIFT


@compiled
def seen_of(place: int) -> int:
    """Return what `seen_at` added."""
    return place >> SEEN_SHIFT & LATEST
