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

from models.allocate.arbiter import round_robin, round_robin_next
from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.state.layout import Place, blocks
from models.state.registers import Records
from models.transfer.output_unit import free_vcs, open_vcs, vcs_after_credit, vcs_after_spend

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
        ("free", np.int32),  # VCs of no packet under way
        ("credited", np.int32),  # VCs with a credit
        ("roomy", np.int32),  # VCs with the credits that a head needs
        ("claim_order", np.int32),  # round-robin arbiter over VCs for packets
        ("send_order", np.int32),  # that for flits
        ("under_way", np.int16),  # packets
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
    block, _ = blocks((count,), ([Place("sources", SOURCE), Place("sending", SENDING, (vcs,))],))
    sources: Records = block["sources"]
    sending: Records = block["sending"]
    sources.free = sources.credited = sources.roomy = (1 << vcs) - 1
    sending.packet = NO_PACKET
    sending.credits = depth
    return sources, sending


@compiled
def source_rests(sources: np.ndarray, n: int, cycle: int) -> bool:
    """Return whether the link of source `n` is still busy in `cycle`, so that the source decides nothing."""
    return cycle < int(sources[n].ready)


@compiled
def source_can_take(sources: np.ndarray, n: int, of_port: int, cycle: int) -> bool:
    """Return whether source `n` can claim a VC for a packet in `cycle`."""
    source = sources[n]
    return (_claimable(sources, n) != 0) & (int(source.under_way) < of_port) & (cycle >= int(source.ready))


@compiled
def _claimable(sources: np.ndarray, n: int) -> int:
    """Return the VCs of source `n` that a packet can claim."""
    return int(open_vcs(int(sources[n].roomy), int(sources[n].free), -1))


@compiled
def _sendable(sources: np.ndarray, n: int) -> int:
    """Return the VCs of source `n` whose packet has a credit for its next flit."""
    return int(sources[n].credited) & ~int(sources[n].free)


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
def source_take(sources: np.ndarray, sending: np.ndarray, n: int, packet: int, size: int) -> None:
    """Take `packet` of `size` flits: claim a VC of source `n` for it."""
    source = sources[n]
    v = round_robin(_claimable(sources, n), int(source.claim_order))
    sending[n, v].packet = packet
    sending[n, v].left = size
    sending[n, v].sent = 0
    source.free = free_vcs(int(source.free), 1 << v, 0)
    source.under_way += 1
    source.claim_order = round_robin_next(v)


@compiled
def source_may_send(sources: np.ndarray, n: int) -> bool:
    """Return whether a packet under way at source `n` has a credit for its next flit."""
    return _sendable(sources, n) != 0


@compiled
def source_choose(sources: np.ndarray, n: int) -> int:
    """Return the VC on which source `n` sends next: round robin among the VCs that may send."""
    return assume_u32(round_robin(_sendable(sources, n), int(sources[n].send_order)))


@compiled
def source_send(sources: np.ndarray, sending: np.ndarray, n: int, v: int, need: int) -> bool:
    """Send the next flit of source `n` on VC `v`; return whether it is the tail."""
    source = sources[n]
    row = sending[n, v]
    credits = int(row.credits) - 1
    row.credits = credits
    source.credited = vcs_after_spend(int(source.credited), v, credits, 1)
    source.roomy = vcs_after_spend(int(source.roomy), v, credits, need)
    row.left -= 1
    row.sent += 1
    source.send_order = round_robin_next(v)
    if row.left == 0:
        source.free = free_vcs(int(source.free), 0, 1 << v)
        source.under_way -= 1
        return True
    return False


@compiled
def source_credit(sources: np.ndarray, sending: np.ndarray, n: int, v: int, need: int) -> None:
    """Accept a credit for VC `v` visible in this cycle; it can be used in the next cycle."""
    credits = int(sending[n, v].credits) + 1
    sending[n, v].credits = credits
    sources[n].credited = vcs_after_credit(int(sources[n].credited), v, credits, 1)
    sources[n].roomy = vcs_after_credit(int(sources[n].roomy), v, credits, need)
