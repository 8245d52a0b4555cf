"""Network interface of a node: a queue whose packets sources send under credits, and sinks that take a flit a cycle.

A node has a source and a sink on each of its local ports. In every cycle they decide in the order of
their numbers: one that sends nothing takes the first packet of the node's queue, if it can claim a VC for it.

A source decides in cycle t; the flit is visible on the switch's local input in t+1. It sends one packet at a time, on
the first VC, in cyclic order after the last one used, that has the credits a head needs. Its link carries a flit in
`speedup` cycles, so that it decides again so many cycles after a flit at the earliest. The sink returns the credit of
a flit visible in t so that the switch sees it in t+1. Latency 0 links join a node to its switch.
"""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import round_robin_next
from models.jit.bits import first_from
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

SOURCE = np.dtype(
    [
        ("packet", np.int64),  # being sent, or NO_PACKET
        ("left", np.int32),  # flits of it not yet sent
        ("sent", np.int32),  # flits of it sent
        ("vc", np.int16),
        ("vc_pointer", np.int16),
        ("credited", np.int32),  # VCs with a credit
        ("roomy", np.int32),  # VCs with the credits a head needs
        ("ready", np.int64),  # first cycle in which its link can take a flit
    ],
    align=True,
)


def new_queues(nodes: int) -> np.ndarray:
    """Return the queues of waiting packets [nodes], empty."""
    queues = np.zeros(nodes, QUEUE).view(np.recarray)
    queues.first = queues.last = NO_PACKET
    return queues


def new_sources(count: int, vcs: int, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Return sources [count] at reset, and their credits, int32 [count, vcs]."""
    block = blocks((count,), ([Place("sources", SOURCE), Place("credits", np.int32, (vcs,))],))
    sources: Records = block["sources"]
    credits = block["credits"]
    sources.packet = NO_PACKET
    sources.credited = sources.roomy = (1 << vcs) - 1
    credits[:] = depth
    return sources, credits


@compiled
def source_rests(sources: np.ndarray, n: int, cycle: int) -> bool:
    """Return whether the link is still busy with the flit before, so that nothing is decided in `cycle`."""
    ready: int = sources[n].ready
    return cycle < ready


@compiled
def source_may_start(sources: np.ndarray, n: int) -> bool:
    """Return whether a packet can claim a VC of source `n` in this cycle."""
    may: bool = sources[n].packet == NO_PACKET and sources[n].roomy != 0
    return may


@compiled
def source_start(sources: np.ndarray, n: int, packet: int, size: int, vcs: int) -> None:
    """Begin a packet of `size` flits: claim its VC."""
    source = sources[n]
    v = first_from(int(source.roomy), int(source.vc_pointer))
    source.packet = packet
    source.left = size
    source.sent = 0
    source.vc = v
    source.vc_pointer = round_robin_next(v, vcs)


@compiled
def source_may_send(sources: np.ndarray, n: int) -> bool:
    """Return whether the packet being sent has a credit for its next flit."""
    source = sources[n]
    return source.packet != NO_PACKET and (int(source.credited) >> int(source.vc)) & 1 == 1


@compiled
def source_send(sources: np.ndarray, credits: np.ndarray, n: int, need: int) -> bool:
    """Send the next flit; return whether it is the tail."""
    source = sources[n]
    v = int(source.vc)
    left = int(credits[n, v]) - 1
    credits[n, v] = left
    if left == 0:
        source.credited &= ~(1 << v)
    if left < need:
        source.roomy &= ~(1 << v)
    source.left -= 1
    source.sent += 1
    if source.left == 0:
        source.packet = NO_PACKET
        return True
    return False


@compiled
def source_credit(sources: np.ndarray, credits: np.ndarray, n: int, v: int, need: int) -> None:
    """Take a credit visible in this cycle; it can be used in the next."""
    left = int(credits[n, v]) + 1
    credits[n, v] = left
    sources[n].credited |= 1 << v
    if left >= need:
        sources[n].roomy |= 1 << v
