"""State of the compiled engine: a network's links, nodes, packets and schedule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.jit.specialise import Known
from models.jit.struct_pointer import struct_pointer
from models.state.registers import Records, SwitchState
from sim.engine.batched.bundles import Bundles
from sim.messages.state import Messages

NOBODY = -1
IS_REPLY = -2  # in `reply`
MOST_EVENTS = 1 << 32  # room of the lists of flits and credits on links, in all
MOST_PACKETS = 1 << 30  # at a time: with its tail bit, a flit is 31 bits
REPLIES, RELEASES = 0, 1  # in `later_at`

PACKET = np.dtype(
    [
        ("birth", np.int64),
        ("enter", np.int64),
        ("eject", np.int64),
        ("source", np.int32),
        ("destination", np.int32),
        ("tag", np.int64),
        ("flits", np.int32),
        ("hops", np.int32),
        ("next", np.int64),
        ("flight", np.int32),  # cycles its head spends on links; not kept where all links have one latency
        ("lag", np.int32),  # cycles from its head to its tail in an idle network, because of slow links
    ],
    align=True,
)

CLOCK = np.dtype(
    [
        ("cycle", np.int64),
        ("arrival", np.int64),  # next of `arrivals` to be born
        ("awake", np.int64),  # switches on the wake wheel
        ("delivered", np.int64),
        ("dropped", np.int64),
        ("logged", np.int64),
    ],
    align=True,
)


EVENT = np.dtype(  # a flit that arrives at a switch or a node
    [
        ("to", np.int64),  # a place (`sim/engine/address.py`)
        ("flit", np.int64),
    ],
    align=True,
)


NIC_QUEUE = np.dtype([("first", np.int32), ("last", np.int32)], align=True)  # messages, linked

NODE = np.dtype(
    [
        ("turn", np.int32),  # the interface whose packet comes next
        ("next", np.int32),  # the one that the next message takes
        ("queued", np.int32),  # packets in the source queue
        ("waiting", np.int32),  # messages in the queues of its interfaces
    ],
    align=True,
)

POOL = np.dtype(
    [("free", np.int64), ("packets", np.int64), ("flits", np.int64), ("passages", np.int64)],
    align=True,
)

PASSAGE = np.dtype(
    [
        ("cycle", np.int64),
        ("birth", np.int64),
        ("tag", np.int64),
        ("switch", np.int32),
        ("port", np.int32),
        ("source", np.int32),  # nodes
        ("destination", np.int32),
        ("sender", np.int32),  # ranks
        ("receiver", np.int32),
        ("flits", np.int32),
        ("vc", np.int16),
        ("leaves", np.int16),
    ],
    align=True,
)


@struct_pointer
class Ranks(NamedTuple):
    """Ranks on nodes, and the network interfaces that cut their messages into packets. R ranks, N nodes, I interfaces.

    Where no messages are sent, these have no room for any.
    """

    x: Messages
    node: np.ndarray  # int64 [R]
    interfaces: int  # of a node
    spread: bool  # whether messages take them in turn; else operations say which
    nodes: Records  # NODE [N]
    queues: Records  # NIC_QUEUE [N·I]: messages that are not all in packets
    pool: Records  # POOL [1]: free packets, and those sent
    free: np.ndarray  # int64 [capacity], a stack
    reserve: int  # packets that there must be room for: in a cycle a port starts one, and as many may be handed over
    part_of: np.ndarray  # int64 [capacity]: of each packet, message << 1 | whether it is the last one
    flit_bytes: int
    packet_bytes: int
    address: np.ndarray  # int64 [N]: first of each node's
    group: np.ndarray  # int64 [N]: packets within one take path 1, all others path 0; empty: they are drawn
    path_first: int  # paths that are drawn
    path_count: int
    path_key: np.ndarray  # uint64 [N]
    path_drawn: np.ndarray  # uint64 [N]: how often
    watched: np.ndarray  # bool [S; 0 without a history]: switches whose packets are noted
    history_begin: int
    history_end: int
    passages: Records  # PASSAGE: what was noted


@struct_pointer
class Constants(NamedTuple):
    """Parameters of a network that the inner loops read."""

    need: int  # credits that a head needs
    slots: int  # of the wheels of flits and credits, a power of two
    latency: int  # of every link, if `plain`
    credit_lag: int  # cycles that a credit takes more than a flit
    plain: bool  # whether all links have that latency, and none is slower than a switch sends
    closed: bool  # whether there are replies or windows
    exceeds_cache: bool  # whether the switches' state exceeds the cache: then it is prefetched
    logs: bool  # whether there is a log
    of_port: int  # most packets that a node has under way on one local port
    of_node: int  # most that it has under way
    think_time: int  # least cycles from a packet of a node that it takes to the next
    node_delay: int  # cycles from a switch to a node and back
    paced: bool  # whether one of the latter two can hold back a node


class Hooks(NamedTuple):
    """What a network does besides; always constants of compiled code, so that it costs nothing where it is not done."""

    messages: bool  # whether ranks send messages, which come in packets (`sim.engine.messages`)
    history: bool  # whether packets that pass chosen switches are noted


@struct_pointer
class Engine(NamedTuple):
    """State of a network. Shapes: S switches, P ports, N nodes of L node_ports, W slots of the wheel."""

    k: Constants
    hooks: Known  # of Hooks
    switches: SwitchState
    delay: np.ndarray  # int64 [S, P]: latency of each link
    interval: np.ndarray  # int64 [S, P]: cycles in which a link carries a flit
    line_free: np.ndarray  # int64 [S, P]: first cycle in which it can take the next flit
    catch_up: np.ndarray  # int64 [S]: cycles by which each switch's route computation, caches warm, delays heads only
    clock: Records  # CLOCK [1]
    link: np.ndarray  # int64 [S, P]: place of the port or source at its other end, or NOBODY
    bundles: Bundles  # batched: where flits and credits become visible
    home: np.ndarray  # int64 [N·L]: place of each local port
    queues: Records  # QUEUE [N]
    nodes: Records  # NODE [N]
    sources: Records  # SOURCE [N·L]: node · node_ports + n is the number of its n-th local port
    sending: Records  # SENDING [N·L, V]
    packets: Records  # PACKET [capacity]
    arrivals: np.ndarray  # int64: packets by birth
    # Flits and credits on links: two lists a slot, of bodies and of heads, of credits to switches and to sources. List
    # n begins at index n · room. Batched: only heads and flits to nodes are listed; all else are pins
    # (`models.batched.link`).
    flit: Records  # EVENT [(2·W + 2)·flit_room]; list 2·W, twice as long: flits that are ejected in this cycle
    flits: np.ndarray  # int64 [2·W + 1]: ends of the lists
    flit_room: int
    credit: np.ndarray  # int64 [2·W·credit_room]: places (`sim/engine/address.py`)
    credits: np.ndarray  # int64 [2·W]
    credit_room: int
    # Due in this cycle and the next: two lists each of switches that may move, of switches with lookups, of nodes that
    # may send; `…_mark`: the latest cycle for which each was listed.
    listed: np.ndarray  # int64
    begins: np.ndarray  # int64 [6]
    ends: np.ndarray  # int64 [6]
    mover_mark: np.ndarray  # int64 [S]
    router_mark: np.ndarray  # int64 [S]
    sender_mark: np.ndarray  # int64 [N]
    wake_first: np.ndarray  # int64 [wake slots]: lists of switches by the cycle they wake in
    wake_next: np.ndarray  # int64 [S]
    wake_previous: np.ndarray  # int64 [S]
    wake_at: np.ndarray  # int64 [S]
    waits_mark: np.ndarray  # int64 [S; 0 without head delay]: the latest cycle in which a head delay began
    waits: np.ndarray  # int64 [a power of two; 0 without head delay]: ring of cycle << 16 | switch: a delay ends
    waits_ends: np.ndarray  # int64 [2]: first, and behind the last, counted from the first ever
    delivered: np.ndarray  # int64 [capacity]: packets whose tail was ejected
    arrived: Records  # PACKET [capacity]: copies of them
    dropped: np.ndarray  # int64 [capacity]
    sent: np.ndarray  # int64 [S, P, V]: flits sent on each output link, or to nodes, by output VC; not batched
    # Closed loop; else empty.
    reply: np.ndarray  # int64 [capacity]: packet that answers each, IS_REPLY of an answer, NO_PACKET of others
    reply_delay: int
    window: int  # most packets of a node that are outstanding; 0: any number
    outstanding: np.ndarray  # int64 [N]: how many are outstanding
    held: Records  # QUEUE [N]: packets that wait for their node's window
    later_at: np.ndarray  # int64 [2, a power of two]: rings of replies and releases, by time: cycle
    later_what: np.ndarray  # int64 [2, the same]: packet, or node
    later_ends: np.ndarray  # int64 [2, 2]: first of each ring, and behind the last, counted from the first ever
    log: np.ndarray  # int64 [entries, 5]: kind, cycle, local port, vc << 1 | tail, packet; empty: no log
    shown_by: np.ndarray  # int64 [W, S]: crossbars whose look-ahead arrives in a cycle; empty without look-ahead
    shown: np.ndarray  # int64 [W, S, V]: their `open`
    shows: np.ndarray  # int64 [W]
    reserves_at: np.ndarray  # int64 [W, S·P]: switches and ports at which words of reservation arrive in a cycle
    reserves: np.ndarray  # int64 [W, S·P]: these words; both empty without reservation
    reserve_count: np.ndarray  # int64 [W]: how many
    paths: int  # addresses of a node
    threshold: int  # of the choice between them
    path_out: np.ndarray  # int8 [S, N·paths]: first output of each path, where sources choose; else empty
    path_hops: np.ndarray  # int16 [S, N·paths]: switches on it
    ranks: Ranks  # where messages come from
