"""State of the neighbours that drive a switch in the batch harness, and their source of random numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.jit.compiled import compiled
from models.jit.struct_pointer import struct_pointer

ALWAYS = 1 << 16  # odds are out of this

# Of a scene: cycles it lasts yet, tags in use, longest packet, odds of operations, one in how many of them flushes,
# whether waking hints come to all links at once; and of all scenes: how much rarer a large cache is flushed than a
# small one, so that it fills.
LASTS, TAGS_IN_USE, LONGEST, OPERATIONS, FLUSHES, WAKES, RARER = range(7)
SMALL_CACHE = 64  # entries


@struct_pointer
class Driver(NamedTuple):
    """The neighbours of the switch. Shapes: P ports, V VCs."""

    random: np.ndarray  # uint64 [1]: xorshift state
    credits: np.ndarray  # int64 [P, V]: credits to send to the switch
    left: np.ndarray  # int64 [P, V]: flits left of the packet being sent, 0 between packets
    sent: np.ndarray  # int64 [P, V]: flits of it sent
    target: np.ndarray  # int64 [P, V]: its tag
    last: np.ndarray  # int64 [P]: tag of the packet begun last
    owed: np.ndarray  # int64 [P, V]: flits taken from the switch whose credit is not returned
    mood: np.ndarray  # int64 [P, 2]: odds a cycle of sending, of returning a credit
    scene: np.ndarray  # int64 [7]: what LASTS and its followers name
    tags: np.ndarray  # int64 [T]: destination tags that may occur
    handle: np.ndarray  # int64 [1]: last handle given
    programmed: np.ndarray  # int64 [1]: tags that have been programmed in turn at the start
    counted: np.ndarray  # int64 [COUNTERS]: what resets have cleared from the counters, all ports together


@compiled
def draw(driver: Driver, below: int) -> int:
    """Return a random number from 0 to below − 1."""
    x = driver.random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    driver.random[0] = x
    return int(x >> np.uint64(33)) % below


@compiled
def draw_mask(driver: Driver, bits: int) -> int:
    """Return random bits, at most 62."""
    if bits < 31:
        return draw(driver, 1 << bits)
    return draw(driver, 1 << 31) << bits - 31 | draw(driver, 1 << bits - 31)
