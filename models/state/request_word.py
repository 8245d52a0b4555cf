"""A request for output VCs in one int64, as lists of requests hold it: an input VC, an output, and VCs behind it.

Bits: VCs behind the output (0 to 15, one each), output (16 to 23), input VC (24 to 31), input port (32 to 39), switch
(40 to 55). So the order of a switch's requests, as numbers, is that of its input VCs.
"""

from __future__ import annotations

from typing import NamedTuple

from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.params.parts import MAX_VCS

_ALL_VCS = (1 << MAX_VCS) - 1
_OF_SWITCH = (1 << 40) - 1


class Request(NamedTuple):
    """What a request says."""

    switch: int
    port: int  # of the input VC
    vc: int
    out: int
    vcs: int  # mask of those behind the output


@compiled
def request_word(s: int, i: int, v: int, o: int, vcs: int = 0) -> int:
    """Return the request of input VC (i, v) of a switch for output `o`, and for VCs (mask) behind it, if for any."""
    return s << 40 | i << 32 | v << 24 | o << 16 | vcs


@compiled
def request_of(word: int) -> Request:
    """Return what a request says."""
    port, vc, out = assume_u32(word >> 32 & 255), assume_u32(word >> 24 & 255), assume_u32(word >> 16 & 255)
    return Request(assume_u32(word >> 40), port, vc, out, word & _ALL_VCS)


@compiled
def with_vcs(word: int, vcs: int) -> int:
    """Return the request with other VCs (mask)."""
    return word & ~_ALL_VCS | vcs


@compiled
def within_switch(word: int) -> int:
    """Return the request without its switch, as lists of one switch hold it."""
    return word & _OF_SWITCH
