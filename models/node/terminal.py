"""Network interface of a node: packet queue, credit-controlled sources, sinks (microarchitecture.md, section 13).

A node has one source and one sink per local port. Several of its packets may be under way, each on a VC of its own. In
each cycle the sources decide, in the order of their numbers, which of them take the first packet of the queue; then
each sends a flit.

A source decides in cycle t; its flit is visible on the switch's local input in t + 1. Its link carries one flit per
`speedup` cycles, so the source decides again at least `speedup` cycles after a flit. The sink returns the credit of a
flit visible in t so that the switch sees the credit in t + 1. Links of latency 0 connect a node to its switch.
"""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import round_robin_next
from models.jit.bit_sets import first_from
from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.state.layout import Place, blocks
from models.state.registers import Records

NO_PACKET = -1

QUEUE = np.dtype(
    [
        ("first", np.int64),  # waiting packets, linked; NO_PACKET when empty
        ("last", np.int64),
    ],
    align=True,
)

NODE = np.dtype(  # only used if an `Injection` limits the node as a whole
    [
        ("next_take", np.int64),  # first cycle in which the node may take a packet
        ("under_way", np.int64),  # packets
    ],
    align=True,
)

SOURCE = np.dtype(
    [
        ("ready", np.int64),  # first cycle in which its link can take a flit
        ("owned", np.int32),  # VCs of packets under way
        ("credited", np.int32),  # VCs with a credit
        ("roomy", np.int32),  # VCs with the credits that a head needs
        ("under_way", np.int16),  # packets
        ("claim_pointer", np.int16),  # VC at which the search for a free one starts
        ("send_pointer", np.int16),  # VC at which the search for a flit starts
    ],
    align=True,
)

SENDING = np.dtype(  # per VC
    [
        ("packet", np.int64),  # under way, if the VC is owned
        ("left", np.int32),  # flits of the packet not yet sent
        ("sent", np.int32),  # flits of the packet sent
        ("credits", np.int64),
    ],
    align=True,
)


def new_queues(nodes: int) -> np.ndarray:
    """Return the queues of waiting packets [nodes], empty."""
    queues = np.zeros(nodes, QUEUE).view(np.recarray)
    queues.first = queues.last = NO_PACKET
    return queues


def new_sources(count: int, vcs: int, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Return sources [count] at reset, and per VC the packet that a source sends [count, vcs]."""
    block = blocks((count,), ([Place("sources", SOURCE), Place("sending", SENDING, (vcs,))],))
    sources: Records = block["sources"]
    sending: Records = block["sending"]
    sources.credited = sources.roomy = (1 << vcs) - 1
    sending.packet = NO_PACKET
    sending.credits = depth
    return sources, sending


@compiled
def source_rests(sources: np.ndarray, n: int, cycle: int) -> bool:
    """Return whether the link of source `n` is still busy in `cycle`, so that the source decides nothing."""
    ready: int = sources[n].ready
    return cycle < ready


@compiled
def source_can_take(sources: np.ndarray, n: int, of_port: int, cycle: int) -> bool:
    """Return whether source `n` can claim a VC for a packet in `cycle`."""
    source = sources[n]
    free = int(source.roomy) & ~int(source.owned)
    can: bool = (free != 0) & (source.under_way < of_port) & (cycle >= source.ready)
    return can


@compiled
def source_to_take(sources: np.ndarray, first: int, n: int, count: int, of_port: int, cycle: int) -> bool:
    """Return whether source `n` is to take the next packet, among the `count` sources of a node from `first` on.

    It is if it can take one, and no source that can has fewer packets under way.
    """
    if not source_can_take(sources, n, of_port, cycle):
        return False
    fewer = 0
    for other in range(first, first + count):
        idler = sources[other].under_way < sources[n].under_way
        fewer |= int(idler and source_can_take(sources, other, of_port, cycle))
    return fewer == 0


@compiled
def source_take(sources: np.ndarray, sending: np.ndarray, n: int, packet: int, size: int, vcs: int) -> None:
    """Take `packet` of `size` flits: claim a VC of source `n` for it."""
    source = sources[n]
    v = first_from(int(source.roomy) & ~int(source.owned), int(source.claim_pointer))
    sending[n, v].packet = packet
    sending[n, v].left = size
    sending[n, v].sent = 0
    source.owned |= 1 << v
    source.under_way += 1
    source.claim_pointer = round_robin_next(v, vcs)


@compiled
def source_may_send(sources: np.ndarray, n: int) -> bool:
    """Return whether a packet under way at source `n` has a credit for its next flit."""
    return int(sources[n].owned) & int(sources[n].credited) != 0


@compiled
def source_choose(sources: np.ndarray, n: int) -> int:
    """Return the VC on which source `n` sends next: round robin among the VCs that may send."""
    source = sources[n]
    return assume_u32(first_from(int(source.owned) & int(source.credited), int(source.send_pointer)))


@compiled
def source_send(sources: np.ndarray, sending: np.ndarray, n: int, v: int, need: int, vcs: int) -> bool:
    """Send the next flit of source `n` on VC `v`; return whether it is the tail."""
    source = sources[n]
    row = sending[n, v]
    left = int(row.credits) - 1
    row.credits = left
    if left == 0:
        source.credited &= ~(1 << v)
    if left < need:
        source.roomy &= ~(1 << v)
    row.left -= 1
    row.sent += 1
    source.send_pointer = round_robin_next(v, vcs)
    if row.left == 0:
        source.owned &= ~(1 << v)
        source.under_way -= 1
        return True
    return False


@compiled
def source_credit(sources: np.ndarray, sending: np.ndarray, n: int, v: int, need: int) -> None:
    """Accept a credit for VC `v` visible in this cycle; it can be used in the next cycle."""
    left = int(sending[n, v].credits) + 1
    sending[n, v].credits = left
    sources[n].credited |= 1 << v
    if left >= need:
        sources[n].roomy |= 1 << v
