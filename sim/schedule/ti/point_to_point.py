"""Lines of messages in time-independent traces: their fields, and what a bad line should have been."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sim.schedule.goal import MOST_TIME
from sim.schedule.operations import ANY, RECV, SEND
from sim.schedule.ti import collective_lines
from sim.schedule.ti.fields import ANY_SOURCE, ANY_TAG, check_fields, check_message, read_count, read_whole
from sim.schedule.ti.types import TYPE_SIZES

WAIT = 0  # besides the kinds SEND and RECV of messages
NO_EFFECT = ("comm_size", "comm_split", "comm_dup", "location")
"""Actions that take no time and send nothing, in SimGrid, too."""

USAGE = {
    "init": "init [1]",
    "finalize": "finalize",
    "compute": "compute <flops>",
    "sleep": "sleep <seconds>",
    "send": "send <destination> <tag> <count> [<type>]",
    "isend": "isend <destination> <tag> <count> [<type>]",
    "recv": "recv <source> <tag> <count> [<type>]",
    "irecv": "irecv <source> <tag> <count> [<type>]",
    "sendRecv": "sendRecv <count> <destination> <count> <source> [<type> [<type>]]",
    "wait": "wait <source> <destination> <tag>",
    "test": "test <source> <destination> <tag>",
    "waitall": "waitall [<requests>]",
    "location": "location <file> <line>",
    "comm_size": "comm_size [<ranks>]",
    "comm_split": "comm_split …",
    "comm_dup": "comm_dup …",
}


class Message(NamedTuple):
    """A send, a receive, or a wait for one.

    Attributes
    ----------
    blocking : bool
        Whether later actions wait for its end.
    kind : int
        `SEND`, `RECV` or `WAIT`.
    peer, tag, size : int
        Other rank, tag and bytes; of a wait source, tag and destination.
    """

    blocking: bool
    kind: int
    peer: int
    tag: int
    size: int


def read_message(action: str, fields: Sequence[bytes], ranks: int, default: int) -> Message:
    """Return the message of a line `send`, `isend`, `recv` or `irecv`; `default` is the type where it says none.

    A blocking receive may have a negative count, for a size that the receiver does not know.

    Raises
    ------
    ValueError
        If a field is invalid; the message names it.
    """
    check_fields(fields, 3, 4)
    kind = SEND if action.endswith("send") else RECV
    peer, tag = _source(fields[0]), _tag(fields[1])
    size = _bytes(fields[2], _type(fields, 3, default))
    check_message(kind == RECV, peer, tag, ranks)
    if size < 0 and action != "recv":
        raise ValueError("the count is negative")
    return Message(action in ("send", "recv"), kind, peer, tag, size if kind == SEND else 0)


def read_exchange(fields: Sequence[bytes], ranks: int, default: int) -> tuple[int, int, int]:
    """Return destination, source and bytes sent of a line `sendRecv`.

    Raises
    ------
    ValueError
        If a field is invalid; the message names it.
    """
    check_fields(fields, 4, 6)
    to, source = read_whole("destination", fields[1]), _source(fields[3])
    size = _bytes(fields[0], _type(fields, 4, default))
    received = _bytes(fields[2], _type(fields, 5, default))
    check_message(False, to, 0, ranks)
    check_message(True, source, 0, ranks)
    if size < 0 or received < 0:
        raise ValueError("the count is negative")
    return to, source, size


def read_request(fields: Sequence[bytes]) -> Message:
    """Return the wait of a line `wait`, or of a line `test`, which has the same fields.

    Raises
    ------
    ValueError
        If a field is invalid; the message names it.
    """
    check_fields(fields, 3, 3)
    source, destination = _source(fields[0]), read_whole("destination", fields[1])
    return Message(False, WAIT, source, _tag(fields[2]), destination)


def expected(rank: int, action: str) -> str:
    """Return what a bad line of an action should have been."""
    if action in collective_lines.FORMS:
        usage = collective_lines.usage(action)
    elif action in USAGE:
        usage = USAGE[action]
    else:
        usage = "one of " + ", ".join(sorted([*USAGE, *collective_lines.FORMS]))
    return f"expected `{rank} {usage}`"


def _source(text: bytes) -> int:
    value = read_whole("rank", text)
    return ANY if value == ANY_SOURCE else value


def _tag(text: bytes) -> int:
    value = read_whole("tag", text)
    return ANY if value == ANY_TAG else value


def _type(fields: Sequence[bytes], place: int, default: int) -> int:
    """Return the bytes of an element."""
    number = read_whole("type", fields[place]) if place < len(fields) else default
    if number not in TYPE_SIZES:
        raise ValueError(f"type {number} is not one of 0 to {max(TYPE_SIZES)} that have a size")
    return TYPE_SIZES[number]


def _bytes(count: bytes, unit: int) -> int:
    size = read_count("count", count) * unit
    if size > MOST_TIME:
        raise ValueError(f"{size} bytes: must be at most {MOST_TIME}")
    return size
