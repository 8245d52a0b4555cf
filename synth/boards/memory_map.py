"""Addresses of a prototype's words: what stands where for the host, the same for hardware and host.

An address has a region in its highest four bits and a place below it.
"""

from __future__ import annotations

from enum import IntEnum

from models import formats
from models.params import SwitchParams
from synth.boards.node_words import NUMBER_BITS

REGION_SHIFT = 20
NODE_SHIFT = NUMBER_BITS  # words of a node
SWITCH_SHIFT, PORT_SHIFT = 11, 6  # words of a switch, of its port: two per counter
MOST_NODES = 1 << (REGION_SHIFT - NODE_SHIFT)
MOST_SWITCHES = 1 << (REGION_SHIFT - SWITCH_SHIFT)
MOST_PORTS = 1 << (SWITCH_SHIFT - PORT_SHIFT)
IDENTIFICATION = 0x7453_756A


class Region(IntEnum):
    """Highest bits of an address."""

    CONTROL = 0
    PROGRAM = 1  # writes only: an entry of a route table
    NODE = 2
    COUNTER = 3


class Control(IntEnum):
    """Words of the control region."""

    IDENTIFICATION = 0  # read only: that this is a prototype
    DESIGN = 1  # read only: CRC of its configuration
    RESET = 2  # 1: network and nodes are in reset, and tables can be programmed; 1 after power-up
    NOW = 3  # read only: cycles since reset ended
    IDLE = 4  # read only: 1 if no packet waits at a node or is being sent
    SEED = 5  # of the traffic
    THRESHOLD = 6  # of the traffic
    MEASURE = 7  # first cycle whose packets count for latencies
    STOP = 8  # first cycle in which no packet is created


def control(word: Control) -> int:
    """Return the address of a word of the control region."""
    return Region.CONTROL << REGION_SHIFT | word


def program_words(params: SwitchParams) -> int:
    """Return the number of words of a table's entry; one more, the number of the switch, writes it."""
    return -(-formats.width(formats.program(params)) // 32)


def program() -> int:
    """Return the address of the first word of an entry."""
    return Region.PROGRAM << REGION_SHIFT


def node(number: int, word: int = 0) -> int:
    """Return the address of a word of a node."""
    return Region.NODE << REGION_SHIFT | number << NODE_SHIFT | word


def counter(switch: int, port: int, number: int = 0) -> int:
    """Return the address of a counter; the word behind it is the cycle for which the counter was read last."""
    return Region.COUNTER << REGION_SHIFT | switch << SWITCH_SHIFT | port << PORT_SHIFT | number << 1
