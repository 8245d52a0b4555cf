"""Sets of a switch's input VCs as bit masks, so that a visit loops over members only.

A bit is an input VC. The VCs of a port are adjacent, padded to a power of two; where the ports need more than a word,
all VCs of a port are in the same word.
"""

from __future__ import annotations

import numpy as np

from models.jit.bits import assume_u32, count_trailing_zeros
from models.jit.compiled import compiled
from models.params.parts import MAX_VCS
from models.state.declare import Sizes
from models.state.registers import SwitchState

WORD_BITS = 3 * MAX_VCS  # whole ports, however many VCs they have; fewer than 64, so that no word is negative


def vc_shift(vcs: int) -> int:
    """Return the bits of a VC in the number of an input VC."""
    return (vcs - 1).bit_length()


def vc_words(ports: int, vcs: int) -> int:
    """Return the words of a set."""
    return -(-(ports << vc_shift(vcs)) // WORD_BITS)


def words_of(n: Sizes) -> tuple[int, ...]:
    """Return the shape of a set."""
    return (vc_words(n.ports, n.vcs),)


def words_of_outputs(n: Sizes) -> tuple[int, ...]:
    """Return the shape of a set for each output, and one for the drain port."""
    return (n.ports + 1, *words_of(n))


@compiled
def vc_number(st: SwitchState, i: int, v: int) -> int:
    """Return the number of input VC (i, v)."""
    return i << st.k.vc_shift | v


@compiled
def port_of_number(st: SwitchState, n: int) -> int:
    """Return the input port of a number."""
    return n >> st.k.vc_shift


@compiled
def vc_of_number(st: SwitchState, n: int) -> int:
    """Return the VC of a number."""
    return n & ((1 << st.k.vc_shift) - 1)


@compiled
def vc_word(st: SwitchState, n: int) -> int:
    """Return the word of a set that holds a number."""
    return 0 if st.k.vc_words == 1 else n // WORD_BITS


@compiled
def vc_bit(st: SwitchState, n: int) -> int:
    """Return the bit of a number in its word."""
    return n if st.k.vc_words == 1 else n % WORD_BITS


@compiled
def numbered(word: int, bit: int) -> int:
    """Return the number of a bit of a word: what goes through a set goes through its words and their lowest bits."""
    return assume_u32(word * WORD_BITS + bit)


@compiled
def insert(st: SwitchState, members: np.ndarray, s: int, i: int, v: int) -> None:
    """Put input VC (i, v) into a set, an array [switches, words]."""
    n = vc_number(st, i, v)
    members[s, vc_word(st, n)] |= 1 << vc_bit(st, n)


@compiled
def remove(st: SwitchState, members: np.ndarray, s: int, i: int, v: int, gone: int = 1) -> None:
    """Take input VC (i, v) out of a set if `gone` is 1."""
    n = vc_number(st, i, v)
    members[s, vc_word(st, n)] &= ~(gone << vc_bit(st, n))


@compiled
def contains(st: SwitchState, members: np.ndarray, s: int, i: int, v: int) -> bool:
    """Return whether input VC (i, v) is in a set."""
    n = vc_number(st, i, v)
    return int(members[s, vc_word(st, n)]) >> vc_bit(st, n) & 1 == 1


@compiled
def vcs_within(st: SwitchState, members: np.ndarray, s: int, i: int) -> int:
    """Return the VCs (mask) of input port `i` that are in a set."""
    n = vc_number(st, i, 0)
    return int(members[s, vc_word(st, n)]) >> vc_bit(st, n) & ((1 << st.k.vcs) - 1)


@compiled
def vcs_of_port(st: SwitchState, i: int) -> int:
    """Return all VCs of input port `i`, as a mask of their word."""
    return ((1 << st.k.vcs) - 1) << vc_bit(st, vc_number(st, i, 0))


@compiled
def ports_of_vcs(st: SwitchState, k: int, vcs: int) -> int:
    """Return the input ports (mask) of which any VC is in a mask of word `k`."""
    ports = 0
    while vcs:
        i = port_of_number(st, numbered(k, count_trailing_zeros(vcs)))
        ports |= 1 << i
        vcs &= ~vcs_of_port(st, i)
    return ports


@compiled
def ports_within(st: SwitchState, members: np.ndarray, s: int) -> int:
    """Return the input ports (mask) of which any VC is in a set."""
    ports = 0
    for k in range(st.k.vc_words):
        ports |= ports_of_vcs(st, k, int(members[s, k]))
    return ports


@compiled
def any_within(st: SwitchState, members: np.ndarray, s: int) -> bool:
    """Return whether any input VC is in a set."""
    every = int(members[s, 0])
    for k in range(1, st.k.vc_words):
        every |= int(members[s, k])
    return every != 0
