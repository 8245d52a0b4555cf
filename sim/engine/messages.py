"""Messages of ranks as packets: injection by a node's interfaces, and handling of packets that arrive.

A node has one queue of messages per network interface. Interfaces take turns in adding the next packet of their first
message to the node's source queue, which holds at most one packet per local port: a port never waits for a packet, and
a long message needs no more memory than a short one. This is the network of `sim.messages.process`; its events are due
at the beginning of a cycle.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from sim.engine.closed_loop import enqueue_packet
from sim.engine.state import NOBODY, Engine
from sim.lib.splitmix import splitmix64
from sim.messages.events import new_stamp, push
from sim.messages.state import DATA, DELIVERED, EAGER, GRANT, LEFT

_scramble = compiled(splitmix64)


@compiled
def asks(e: Engine) -> bool:
    """Return whether Python must act before time goes on: report, read operations, or enlarge arrays."""
    clock = e.ranks.x.clock[0]
    pool = e.ranks.pool[0]
    room = pool.free < e.ranks.reserve or (e.hooks.history and pool.passages + history_room(e) > len(e.ranks.passages))
    return bool(clock.ready > 0 or clock.hungry > 0 or clock.free_messages == 0 or room)


@compiled
def history_room(e: Engine) -> int:
    """Return the most passages that one cycle can add: each head is seen twice, each tail once."""
    return 2 * int(e.switches.k.ports) * len(e.ranks.watched) + len(e.sources)


@compiled
def is_quiet(e: Engine) -> bool:
    """Return whether no packet is in flight and nothing is due."""
    return bool(e.ranks.x.clock[0].events == 0 and e.ranks.pool[0].free == len(e.ranks.free))


@compiled
def sender_of(e: Engine, message: int) -> int:
    """Return the node that sends in this phase of a message."""
    m = e.ranks.x.messages[message]
    return int(e.ranks.node[m.destination if m.phase == GRANT else m.source])


@compiled_noinline
def stays_at_node(e: Engine, message: int, cycle: int) -> bool:
    """Return whether both ranks of a message are on one node; it then takes as long as its flits."""
    r = e.ranks
    m = r.x.messages[message]
    bears = m.phase == EAGER or m.phase == DATA
    m.left = m.amount if bears else 0
    if r.node[m.source] != r.node[m.destination]:
        return False
    at = cycle + max(1, _flits(e, m.left))
    if _is_awaited(e, message):
        push(r.x, at, new_stamp(r.x), LEFT, message)
    push(r.x, at, new_stamp(r.x), DELIVERED, message)
    return True


@compiled
def hand_over(e: Engine, message: int, cycle: int) -> None:
    """Hand the part of a message that its phase sends to the network."""
    if not stays_at_node(e, message, cycle):
        queue_message(e, message, cycle)


@compiled_noinline
def queue_message(e: Engine, message: int, cycle: int) -> None:
    """Put the part of a message that its phase sends into the queue of an interface."""
    r = e.ranks
    m = r.x.messages[message]
    node = sender_of(e, message)
    m.packets = max(1, -(-m.left // r.packet_bytes))
    nic = int(m.nic) % r.interfaces
    if r.spread:
        nic = int(r.nodes[node].next)
        r.nodes[node].next = (nic + 1) % r.interfaces
    queue = r.queues[node * r.interfaces + nic]
    m.next = NOBODY
    if queue.first == NOBODY:
        queue.first = message
    else:
        r.x.messages[queue.last].next = message
    queue.last = message
    r.nodes[node].waiting += 1
    _fill(e, node, cycle)


@compiled
def _flits(e: Engine, size: int) -> int:
    """Return the number of flits that carry `size` bytes."""
    return -(-size // e.ranks.flit_bytes)


@compiled
def _is_awaited(e: Engine, message: int) -> bool:
    """Return whether the send of a message ends when that has left the node."""
    phase = e.ranks.x.messages[message].phase
    return bool(phase == DATA or (phase == EAGER and not e.ranks.x.k.buffered))


@compiled_noinline
def _fill(e: Engine, node: int, cycle: int) -> None:
    """Append packets of a node's messages to its source queue while it has room."""
    r = e.ranks
    state = r.nodes[node]
    while state.waiting and state.queued < e.switches.k.node_ports:
        turn = int(state.turn)
        while r.queues[node * r.interfaces + turn].first == NOBODY:
            turn = (turn + 1) % r.interfaces
        state.turn = (turn + 1) % r.interfaces
        _cut_packet(e, node, node * r.interfaces + turn, cycle)


@compiled
def _cut_packet(e: Engine, node: int, line: int, cycle: int) -> None:
    """Append the next packet of the first message in an interface's queue to the node's source queue."""
    r = e.ranks
    queue = r.queues[line]
    message = int(queue.first)
    m = r.x.messages[message]
    part = min(m.left, r.packet_bytes)
    m.left -= part
    last = m.left == 0
    if last:
        queue.first = m.next
        r.nodes[node].waiting -= 1
    pool = r.pool[0]
    pool.free -= 1
    packet = int(r.free[pool.free])
    flits = max(e.switches.k.header_flits, _flits(e, part))
    to = r.node[m.source if m.phase == GRANT else m.destination]
    row = e.packets[packet]
    row.birth = cycle
    row.source = node
    row.destination = to
    row.tag = r.address[to] + _path(e, node, to)
    row.flits = flits
    row.hops = 0
    row.flight = 0
    row.lag = 0
    r.part_of[packet] = message << 1 | int(last)
    pool.packets += 1
    pool.flits += flits
    r.nodes[node].queued += 1
    enqueue_packet(e, packet, cycle)


@compiled
def _path(e: Engine, node: int, to: int) -> int:
    """Return which of several paths a packet takes (`sim.engine.path_draw`)."""
    r = e.ranks
    if len(r.group):
        return int(r.group[node] == r.group[to])
    if r.path_count == 1:
        return r.path_first
    value = _scramble(r.path_key[node] + r.path_drawn[node])
    r.path_drawn[node] += np.uint64(1)
    return r.path_first + int(value % np.uint64(r.path_count))


@compiled
def on_packet_start(e: Engine, node: int, cycle: int) -> None:
    """Record that a port has taken a packet from a node's source queue: another one may join the queue."""
    e.ranks.nodes[node].queued -= 1
    _fill(e, node, cycle)


@compiled
def _enter_found(e: Engine, at: int, place: int, what: int, message: int) -> None:
    """Enter an event that was found in this cycle at a place of a node's port.

    Its stamp follows from the place, so that the order of events does not depend on that in which switches and nodes
    are visited. A part of a network only lists it.
    """
    x = e.ranks.x
    stamp = x.clock[0].stamp + place
    if not e.hooks.parts:
        push(x, at, stamp, what, message)
        return
    number = e.part.number
    n = e.part.found_end[number, 0]
    event = e.part.found[number, n]
    event.at = at
    event.stamp = stamp
    event.what = what
    event.slot = message
    e.part.found_end[number, 0] = n + 1


@compiled
def end_cycle(e: Engine) -> None:
    """Let the stamps of later events follow those of the events found in a cycle."""
    e.ranks.x.clock[0].stamp += 2 * len(e.sources)


@compiled_noinline
def on_packet_sent(e: Engine, packet: int, local: int, cycle: int) -> None:
    """Record that the tail of a packet from a local port is visible at the node's switch in the next cycle."""
    part = e.ranks.part_of[packet]
    if part & 1 and _is_awaited(e, part >> 1):
        _enter_found(e, cycle + 1, local, LEFT, part >> 1)


@compiled
def free_packet(e: Engine, packet: int) -> None:
    """Free the record of a packet."""
    pool = e.ranks.pool[0]
    e.ranks.free[pool.free] = packet
    pool.free += 1


@compiled_noinline
def on_packet_arrival(e: Engine, packet: int, local: int, at: int) -> None:
    """Record that a packet's tail is visible at a node's port in cycle `at`: its rank sees it in the next cycle."""
    r = e.ranks
    message = r.part_of[packet] >> 1
    free_packet(e, packet)
    m = r.x.messages[message]
    m.packets -= 1
    if m.packets == 0:
        _enter_found(e, at + 1, len(e.sources) + local, DELIVERED, message)
