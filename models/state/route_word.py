"""A route in one int64: as caches, tables and route queues of the model hold it (microarchitecture.md, section 4).

Bits: ready (0), drop (1), out (2 to 7), vc_first (8 to 11), vc_last (12 to 15), wait (16: a chosen output that may not
be asked for yet), choices from 17 on, one bit per port. 0 is a route that is not ready. A choice that was made has none
left: there bit 17 says that the path behind the output may be asked for.
"""

from __future__ import annotations

from models.jit.compiled import compiled
from models.params.parts import MAX_CHOICES

READY, DROP = 1, 2
UNCHOSEN = (1 << 16) - 1  # the word without choices
WAIT_BIT = 1 << 16
MAY_ASK_BIT = 1 << 17


@compiled
def route_word(out: int, vc_first: int, vc_last: int, drop: int, choices: int = 0) -> int:
    """Return the word of a ready route."""
    return 1 | drop << 1 | out << 2 | vc_first << 8 | vc_last << 12 | choices << 17


@compiled
def route_drop(word: int) -> int:
    """Return 1 if the packet is to be drained."""
    return (word >> 1) & 1


@compiled
def route_out(word: int) -> int:
    """Return the output port."""
    return (word >> 2) & 63


@compiled
def route_followed(word: int) -> bool:
    """Return whether the route is ready, and leads to an output."""
    return word & 3 == 1


@compiled
def with_out(word: int, out: int) -> int:
    """Return the route with another output port."""
    return word & ~(63 << 2) | out << 2


@compiled
def route_first(word: int) -> int:
    """Return the first output VC the packet may take on that port."""
    return (word >> 8) & 15


@compiled
def route_last(word: int) -> int:
    """Return the last output VC the packet may take on that port."""
    return (word >> 12) & 15


@compiled
def route_vcs(word: int) -> int:
    """Return the mask of output VCs the packet may take on that port."""
    return (2 << route_last(word)) - (1 << route_first(word))


@compiled
def route_waits(word: int) -> int:
    """Return 1 if the path behind the output is not free."""
    return (word >> 16) & 1


@compiled
def route_may_ask(word: int) -> int:
    """Return 1 if the path behind an output that was chosen may be asked for."""
    return (word >> 17) & 1


@compiled
def route_choices(word: int) -> int:
    """Return the mask of outputs that adaptive routing may choose."""
    return word >> 17


@compiled
def with_choices(word: int, choices: int) -> int:
    """Return a route without choices, with the mask of outputs that adaptive routing may choose."""
    return word | choices << 17


@compiled
def with_one_choice(word: int, out: int) -> int:
    """Return the route with no output but `out` among those that may be chosen."""
    kept = 1 << (17 + out) if out < MAX_CHOICES else 0
    return word & ((1 << 17) - 1 | kept)


@compiled
def without_choice(word: int, out: int) -> int:
    """Return the route without an output among those that may be chosen; there are bits for MAX_CHOICES."""
    return word & ~(1 << (17 + out))
