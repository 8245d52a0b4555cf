"""A request for output VCs in one int64, as lists of requests hold it: an input VC, an output, and VCs behind it.

Bits: VCs behind the output (0 to 15, one each), output (16 to 23), input VC (24 to 31), input port (32 to 39), switch
(40 to 55). So the order of a switch's requests, as numbers, is that of its input VCs.
"""

from __future__ import annotations

from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.params.parts import MAX_VCS

_ALL_VCS = (1 << MAX_VCS) - 1
_OF_SWITCH = (1 << 40) - 1


@compiled
def request_word(s: int, i: int, v: int, o: int, vcs: int = 0) -> int:
    """Return the request of input VC (i, v) of a switch for output `o`, and for VCs (mask) behind it, if for any."""
    return s << 40 | i << 32 | v << 24 | o << 16 | vcs


@compiled
def request_switch(word: int) -> int:
    """Return the switch."""
    return assume_u32(word >> 40)


@compiled
def request_port(word: int) -> int:
    """Return the input port."""
    return assume_u32(word >> 32 & 255)


@compiled
def request_vc(word: int) -> int:
    """Return the input VC."""
    return assume_u32(word >> 24 & 255)


@compiled
def request_out(word: int) -> int:
    """Return the output."""
    return assume_u32(word >> 16 & 255)


@compiled
def request_vcs(word: int) -> int:
    """Return the VCs (mask) behind it."""
    return word & _ALL_VCS


@compiled
def with_vcs(word: int, vcs: int) -> int:
    """Return the request with other VCs (mask)."""
    return word & ~_ALL_VCS | vcs


@compiled
def within_switch(word: int) -> int:
    """Return the request without its switch, as lists of one switch hold it."""
    return word & _OF_SWITCH
