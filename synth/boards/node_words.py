"""What a host reads of a board's node: numbers of its words and of its tables."""

from __future__ import annotations

from enum import IntEnum

NUMBER_BITS = 12
TABLE_SHIFT = 10  # bits of a number below the table
MOST_NODES = 1 << TABLE_SHIFT


class Table(IntEnum):
    """Highest bits of a number."""

    WORDS = 0
    HISTOGRAM = 1  # packet latency by bin (`synth.boards.latency_bin`), of the measured packets
    SENT = 2  # packets by destination
    RECEIVED = 3  # packets without error by source


class Word(IntEnum):
    """Words of a node. All count from the network's reset on; `_IN` are packets at their destination."""

    BORN = 0  # packets, those that found the queue full included
    LOST_BIRTHS = 1  # packets that found the queue full; the run is invalid if there is one
    PACKETS_OUT = 2
    PACKETS_IN = 3
    FLITS_IN = 4
    MEASURED = 5  # packets whose latency counts: born after the measurement began, without error
    LATENCY_LOW = 6  # sum of their latencies, cycles, low and high 32 bits
    LATENCY_HIGH = 7
    BIRTHS_OUT = 8  # sum of the birth cycles of packets sent, and of packets received without error, modulo 2^32
    BIRTHS_IN = 9
    WRONG_SIZE = 10  # packets of another number of flits
    WRONG_CRC = 11  # of others: packets with a bit changed
    WRONG_DESTINATION = 12  # of others: packets to another node
    WRONG_SEQUENCE = 13  # of others: packets out of order, with those of their source; not an error with several VCs


def number_of(table: Table, place: int) -> int:
    """Return the number at which a place of a table is read."""
    return table << TABLE_SHIFT | place
