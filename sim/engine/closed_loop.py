"""The closed loop: replies to requests, and windows that bound the outstanding packets of a node.

Both are events of later cycles: a reply is created `reply_delay` cycles after the tail of its request is visible at the
node, and a window opens in the cycle after the tail of a packet, or of its reply, is visible. Cycles are those at the
switch end of a node's cable, where the node's actions are seen one round trip of the cable later.

Each kind is a ring sorted by time; new events are nearly in order already.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from models.node.terminal import NO_PACKET
from sim.engine.schedule import enlist_sender, schedule_later
from sim.engine.state import IS_REPLY, MOST_PACKETS, NOBODY, RELEASES, REPLIES, Engine
from sim.engine.threads.mail import RELEASE, is_elsewhere, post_mail

PLACE_BITS = (MOST_PACKETS - 1).bit_length()
PLACE_MASK = MOST_PACKETS - 1


@compiled
def _append(e: Engine, queues: np.ndarray, node: int, packet: int) -> None:
    """Append a packet to a node's queue."""
    queue = queues[node]
    e.packets[packet].next = NO_PACKET
    if queue.first == NO_PACKET:
        queue.first = packet
    else:
        e.packets[queue.last].next = packet
    queue.last = packet


@compiled
def _join(e: Engine, packet: int, cycle: int) -> None:
    """Append a packet to its node's source queue in this cycle."""
    node = e.packets[packet].source
    _append(e, e.queues, node, packet)
    enlist_sender(e, node, cycle)


@compiled
def enqueue_packet(e: Engine, packet: int, cycle: int) -> None:
    """Append a packet that is born in this cycle to its source queue, or hold it until the node's window opens."""
    if e.window:
        node = e.packets[packet].source
        if e.outstanding[node] == e.window:
            _append(e, e.held, node, packet)
            return
        e.outstanding[node] += 1
    _join(e, packet, cycle)


@compiled_noinline
def on_packet_done(e: Engine, packet: int, local: int, at: int) -> None:
    """Schedule reply or release of a packet whose tail is visible at a node's port in cycle `at`.

    NOBODY for the port: it was dropped. Replies that a node sends in one cycle are in the order of these ports, so that
    nothing depends on the numbers of packets.
    """
    answer = e.reply[packet]
    if answer >= 0 and local != NOBODY:
        schedule_later(e, REPLIES, at + e.reply_delay + e.k.node_delay, local << PLACE_BITS | answer)
    elif e.window:
        row = e.packets[packet]
        _release(e, row.destination if answer == IS_REPLY else row.source, at + 1 + e.k.node_delay)


@compiled
def _release(e: Engine, node: int, at: int) -> None:
    """Schedule the opening of a node's window for cycle `at`."""
    home = e.home[node * e.switches.k.node_ports]
    if e.hooks.parts and is_elsewhere(e, home):
        post_mail(e, RELEASE, at, home, node)
    else:
        schedule_later(e, RELEASES, at, node)


@compiled_noinline
def release_due_events(e: Engine, cycle: int) -> None:
    """Open the windows and create the replies due in this cycle."""
    mask = e.later_at.shape[1] - 1
    ends = e.later_ends
    while ends[RELEASES, 0] < ends[RELEASES, 1] and e.later_at[RELEASES, ends[RELEASES, 0] & mask] <= cycle:
        node = e.later_what[RELEASES, ends[RELEASES, 0] & mask]
        ends[RELEASES, 0] += 1
        held = e.held[node]
        packet = held.first
        if packet == NO_PACKET:
            e.outstanding[node] -= 1
        else:
            held.first = e.packets[packet].next
            _join(e, packet, cycle)
    while ends[REPLIES, 0] < ends[REPLIES, 1] and e.later_at[REPLIES, ends[REPLIES, 0] & mask] <= cycle:
        packet = e.later_what[REPLIES, ends[REPLIES, 0] & mask] & PLACE_MASK
        ends[REPLIES, 0] += 1
        e.packets[packet].birth = cycle
        _join(e, packet, cycle)


def longer_rings(e: Engine, packets: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rings of replies and releases with their content, enlarged to one event per packet."""
    size = 1 << packets.bit_length()
    longer = np.zeros((2, size), np.int64), np.zeros((2, size), np.int64)
    for kind, (first, end) in enumerate(e.later_ends):
        held = np.arange(first, end)
        for ring, old in zip(longer, (e.later_at, e.later_what), strict=True):
            ring[kind, held & (size - 1)] = old[kind, held & (old.shape[1] - 1)]
    return longer
