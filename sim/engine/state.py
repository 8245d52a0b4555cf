"""State of the compiled engine: links, nodes, packets and schedule of a network."""

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
MOST_EVENTS = 1 << 32  # total size of the lists of flits and credits on links
MOST_PACKETS = 1 << 30  # most packets at a time: with its tail bit, a flit is 31 bits
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
        ("flight", np.int32),  # cycles that its head spends on links; not kept if all links have one latency
        ("lag", np.int32),  # cycles from its head to its tail in an idle network that slow links add
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
        ("next", np.int32),  # the interface that the next message takes
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
    """Ranks on nodes, and the interfaces that cut their messages into packets. R ranks, N nodes, I interfaces per node.

    The arrays are empty if no messages are sent.
    """

    x: Messages
    node: np.ndarray  # int64 [R]
    interfaces: int  # per node
    spread: bool  # whether messages take interfaces in turn; else operations name them
    nodes: Records  # NODE [N]
    queues: Records  # NIC_QUEUE [N·I]: messages not yet fully cut into packets
    pool: Records  # POOL [1]: numbers of free packets and of packets sent
    free: np.ndarray  # int64 [capacity], a stack
    reserve: int  # free packets needed per cycle: each port may start one, and another may be handed over for it
    part_of: np.ndarray  # int64 [capacity]: message of each packet << 1 | whether it is the message's last packet
    flit_bytes: int
    packet_bytes: int
    address: np.ndarray  # int64 [N]: first address of each node
    group: np.ndarray  # int64 [N]: group; packets within one take path 1, all others path 0; empty: paths are drawn
    path_first: int  # first of the paths that are drawn
    path_count: int
    path_key: np.ndarray  # uint64 [N]
    path_drawn: np.ndarray  # uint64 [N]: number of draws
    watched: np.ndarray  # bool [S; 0 without a history]: switches whose packets are recorded
    history_begin: int
    history_end: int
    passages: Records  # PASSAGE: the passages recorded


MAIL = np.dtype(  # what a part of a network sends to another part over a link (`sim.engine.threads.mail`)
    [
        ("at", np.int64),  # cycle in which it is visible
        ("to", np.int64),  # a place (`sim/engine/address.py`)
        ("what", np.int64),  # a flit
        ("kind", np.int64),
    ],
    align=True,
)


@struct_pointer
class Part(NamedTuple):
    """What a part of a network shares with the other parts if several threads or processes advance it; else empty.

    C parts of S switches; a line is a list of mail from one part to another, of even or odd windows.
    """

    number: int  # of this part
    parts: int
    window: int  # cycles that the parts advance without waiting for one another
    spins: int  # pauses in which a thread waits before it sleeps
    apart: bool  # whether the other parts are in other processes (`sim.engine.processes`)
    owner: np.ndarray  # int16 [S]: part of each switch
    mail: Records  # MAIL
    mail_begin: np.ndarray  # int64 [2, C, C] by parity of the window, sender and receiver: first element of each line
    mail_end: np.ndarray  # int64 [2, C, C, 8]: end of each line; the others are padding, as of all that threads write
    barrier: np.ndarray  # int64 [16]: arrivals at the barrier since reset; from 8 on: `sim.engine.threads.barrier`
    # Between messages of ranks and the parts that carry them (`sim.engine.threads.coordinator`); else empty.
    found: Records  # EVENT_RECORD [C, 2·N·L]: a tail that leaves and one that arrives at each local port in this cycle
    found_end: np.ndarray  # int64 [C, 8]: their number
    handed: np.ndarray  # int64 [C, 8]: first and last message that each part is to send from this cycle on, linked
    told: np.ndarray  # int64 [2, C, 8]: what each part tells the others at a barrier (`sim.engine.threads.windows`)
    own: np.ndarray  # int64 [8]: of this part alone (`sim.engine.threads.mail`)
    pins: np.ndarray  # batched: `pins` of each part [C, …]
    pins_due: np.ndarray  # uint8 [C, …]: `pins_due` of each part
    from_part: np.ndarray  # int64 [entries]: batched: other parts that send to batches of this part
    to_batch: np.ndarray  # int64 [entries]: these batches


@struct_pointer
class Constants(NamedTuple):
    """Parameters of a network that the inner loops read."""

    need: int  # credits that a head needs
    slots: int  # slots of the wheels of flits and credits, a power of two
    latency: int  # latency of every link, if `plain`
    credit_lag: int  # cycles by which a credit takes longer than a flit
    plain: bool  # whether all links have that latency, and none is slower than the switches
    closed: bool  # whether there are replies or windows
    exceeds_cache: bool  # whether the switches' state exceeds the cache, so that it is prefetched
    logs: bool  # whether there is a log
    of_port: int  # most packets of a node under way at one local port
    of_node: int  # most packets of a node under way
    think_time: int  # least cycles between two packets that a node takes from its queue
    node_delay: int  # cycles from a switch to its node and back
    paced: bool  # whether `of_node` or `think_time` can hold back a node


@struct_pointer
class LeanConstants(Constants):
    """Constants of networks without features that few have (`models.constants.LeanConstants`)."""

    ABSENT = frozenset({"closed", "logs", "paced"})


class Hooks(NamedTuple):
    """Optional features of a network; always constants of compiled code, so that an unused one costs nothing."""

    messages: bool  # whether ranks send messages, cut into packets (`sim.engine.messages`)
    history: bool  # whether packets that pass chosen switches are recorded
    batched: bool  # whether switches are batched (`models.batched.switch`)
    parts: bool  # whether threads or processes advance parts of the network


@struct_pointer
class Engine(NamedTuple):
    """State of a network. Shapes: S switches, P ports, N nodes of L node_ports, W slots of the wheel."""

    k: Constants
    hooks: Known  # flags of Hooks
    switches: SwitchState
    delay: np.ndarray  # int64 [S, P]: latency of each link
    interval: np.ndarray  # int64 [S, P]: cycles in which a link carries one flit
    line_free: np.ndarray  # int64 [S, P]: first cycle in which the link can take the next flit
    catch_up: np.ndarray  # int64 [S]: cycles by which route computation in each switch, caches warm, delays only heads
    clock: Records  # CLOCK [1]
    link: np.ndarray  # int64 [S, P]: place of the port or source at its other end, or NOBODY
    bundles: Bundles  # batched: pins at which flits and credits become visible
    home: np.ndarray  # int64 [N·L]: place of each local port
    queues: Records  # QUEUE [N]
    nodes: Records  # NODE [N]
    sources: Records  # SOURCE [N·L]: node · node_ports + n is the number of its n-th local port
    sending: Records  # SENDING [N·L, V]
    packets: Records  # PACKET [capacity]
    arrivals: np.ndarray  # int64: packets in order of birth
    # Flits and credits on links: two lists per slot, of body flits and of heads; of credits to switches and to sources.
    # List n begins at index n · room. Batched: only heads and flits to nodes are listed; all others are at pins
    # (`models.batched.link`).
    flit: Records  # EVENT [(2·W + 2)·flit_room]; list 2·W, twice as long: flits that are ejected in this cycle
    flits: np.ndarray  # int64 [2·W + 1]: ends of the lists
    flit_room: int
    credit: np.ndarray  # int64 [2·W·credit_room]: places (`sim/engine/address.py`)
    credits: np.ndarray  # int64 [2·W]
    credit_room: int
    # Due in this cycle and the next: two lists each of switches that may move, switches with lookups and nodes that may
    # send; `…_mark`: the latest cycle for which each was listed.
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
    waits: (
        np.ndarray
    )  # int64 [a power of two; 0 without head delay]: ring of ends of delays: cycle, low bits, and switch
    waits_ends: np.ndarray  # int64 [2]: first element and end of the ring, counted since reset
    delivered: np.ndarray  # int64 [capacity]: packets whose tail was ejected
    arrived: Records  # PACKET [capacity]: copies of these packets
    dropped: np.ndarray  # int64 [capacity]
    sent: np.ndarray  # int64 [S, P, V]: flits sent on each output link, or to nodes, by output VC; not batched
    # Closed loop; else empty.
    reply: np.ndarray  # int64 [capacity]: packet that answers each, IS_REPLY of an answer, NO_PACKET of others
    reply_delay: int
    window: int  # most outstanding packets of a node; 0: no limit
    outstanding: np.ndarray  # int64 [N]: outstanding packets
    held: Records  # QUEUE [N]: packets that wait for their node's window
    later_at: np.ndarray  # int64 [2, a power of two]: rings of replies and releases, by time: cycle
    later_what: np.ndarray  # int64 [2, the same]: the port at which the request arrived, and the reply; or a node
    later_ends: np.ndarray  # int64 [2, 2]: first element and end of each ring, counted since reset
    log: np.ndarray  # int64 [entries, 5]: kind, cycle, local port, vc << 1 | tail, packet; empty: no log
    shown_by: np.ndarray  # int64 [W, S]: crossbars whose look-ahead arrives in a cycle; empty without look-ahead
    shown: np.ndarray  # int64 [W, S, V]: their `open`
    shows: np.ndarray  # int64 [W]
    reserves_at: np.ndarray  # int64 [W, S·P]: switches and ports at which words of reservation arrive in a cycle
    reserves: np.ndarray  # int64 [W, S·P]: the words; both empty without reservation
    reserve_count: np.ndarray  # int64 [W]: number of words
    hints: Records  # EVENT [W, S·P]: wake hints by cycle of arrival; empty, as `hint_mark` and `hinting`, without hints
    hint_ends: np.ndarray  # int64 [W]: number of hints
    hint_mark: np.ndarray  # int64 [S]: the latest cycle for which each switch was listed
    hinting: np.ndarray  # int64 [S]: switches with hints in this cycle
    hinting_end: np.ndarray  # int64 [1]: their number
    paths: int  # addresses per node
    threshold: int  # threshold of the choice between paths
    path_out: np.ndarray  # int8 [S, N·paths]: first output of each path, where sources choose; else empty
    path_hops: np.ndarray  # int16 [S, N·paths]: switches on each path
    ranks: Ranks  # ranks, which send messages
    part: Part  # the part of the network that this engine advances, if there are several
