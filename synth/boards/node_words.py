"""What a host reads of a board's node: numbers of its words and of its tables."""

from __future__ import annotations

from enum import IntEnum

NUMBER_BITS = 12
TABLE_SHIFT = 10  # bits of a number below the table
MOST_NODES = 1 << TABLE_SHIFT


class Table(IntEnum):
    """Highest bits of a number."""

    WORDS = 0
    HISTOGRAM = 1  # packet latency by bin (`synth.boards.latency_bin`), of packets born after the measurement began
    SENT = 2  # packets by destination
    RECEIVED = 3  # packets without error by source


class Word(IntEnum):
    """Words of a node. All count from the network's reset on; errors and lost births stop at the highest count."""

    PACKETS_OUT = 0  # packets whose tail was sent
    PACKETS_IN = 1  # packets that arrived, those with errors included
    LATENCY_LOW = 2  # sum of the latencies in the histogram, cycles, low and high 32 bits
    LATENCY_HIGH = 3
    BIRTHS_OUT = 4  # sum of the birth cycles of packets sent, modulo 2^BIRTH_BITS
    BIRTHS_IN = 5  # the same of packets received without error
    LOST_BIRTHS = 6  # packets that found the queue full; the run is invalid if there is one
    WRONG_SIZE = 7  # packets of another number of flits
    WRONG_CRC = 8  # of others: packets with a bit changed
    WRONG_DESTINATION = 9  # of others: packets to another node
    WRONG_SEQUENCE = 10  # of others: packets out of order, with those of their source; not an error with several VCs


def number_of(table: Table, place: int) -> int:
    """Return the number at which a place of a table is read."""
    return table << TABLE_SHIFT | place
