"""State of BookSim2's routers and of the channels between them.

R routers of at most P ports and V VCs each, N nodes. Port p of router r is "place" r · P + p; VC v of a place has the
number place · V + v. An output and the channel behind it have the same number, the place of the output. S networks
(BookSim2's subnets) connect the same nodes: router r of network s has the number s · R + r, node n sends to network s
on channel S · R · P + s · N + n.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.booksim.iq_random import Words
from models.booksim.iq_requests import Allocator
from models.jit.struct_pointer import struct_pointer
from models.state.registers import Records

NONE = -1
IDLE, ROUTING, CLAIMING, ACTIVE = range(4)  # states of an input VC
VC_BITS, INDEX_BITS = 10, 17  # of a flit, from the lowest bit on: VC, number in its packet; then the packet
MOST_VCS = 1 << VC_BITS
PLAIN, READ_REQUEST, WRITE_REQUEST, READ_REPLY, WRITE_REPLY = range(5)  # types of packets
BY_NOTHING, BY_CLASS, BY_AGE, BY_SEQUENCE = range(4)  # priorities of packets
HIGHEST = (1 << 31) - 1  # priority
BEHIND = -(1 << 31)  # added to the priority of what goes behind all others

PACKET = np.dtype(
    [
        ("source", np.int32),
        ("destination", np.int32),
        ("flits", np.int32),
        ("type", np.int32),
        ("traffic", np.int32),  # class of traffic
        ("subnet", np.int32),
        ("hops", np.int32),
        ("phase", np.int32),
        ("middle", np.int32),  # intermediate node
        ("birth", np.int64),
        ("enter", np.int64),
        ("origin", np.int64),  # birth of the request, for a reply
        ("priority", np.int64),
        ("next", np.int64),
        ("routes", np.int32),  # that its head has where it is: 1 or 2, the one of higher priority first
        ("out", np.int32, 2),
        ("first_vc", np.int32, 2),
        ("last_vc", np.int32, 2),
        ("rank", np.int32, 2),  # priority of the route
    ],
    align=True,
)

INPUT_VC = np.dtype(
    [
        ("state", np.int32),
        ("out", np.int32),
        ("out_vc", np.int32),
        ("flits", np.int32),
        ("front", np.int32),  # position of the first flit in the buffer
        ("tail_left", np.int32),  # whether the last flit that left was a tail
        ("due", np.int64),  # cycle in which its route is known; NONE: not yet begun
    ],
    align=True,
)

OUTPUT_VC = np.dtype(  # of a channel, as seen by its sender
    [
        ("flits", np.int32),  # sent whose credits have not come back
        ("owner", np.int32),
        ("tail_sent", np.int32),
    ],
    align=True,
)

QUEUE = np.dtype([("first", np.int64), ("last", np.int64)], align=True)

SENDING = np.dtype(  # of a node and a class of traffic
    [
        ("packet", np.int64),  # at the front; NONE: none
        ("sent", np.int32),  # flits
        ("vc", np.int32),  # NONE: none yet
        ("sequence", np.int32),
    ],
    align=True,
)


@struct_pointer
class Lists(NamedTuple):
    """The input VCs of each router (numbers port · V + VC) that wait for the same thing."""

    item: np.ndarray  # int32 [R, P·V]
    length: np.ndarray  # int32 [R]


@struct_pointer
class Parameters(NamedTuple):
    """Parameters of all routers, named as BookSim2's keys."""

    ports: int
    vcs: int
    depth: int
    input_speedup: int
    output_speedup: int
    internal_speedup: float
    routing_delay: int
    crossbar_delay: int
    credit_delay: int
    output_buffer_size: int
    wait_for_tail_credit: bool
    vc_busy_when_full: bool
    vc_prioritize_empty: bool
    vc_shuffle_requests: bool
    hold_switch_for_packet: bool
    speculative: bool
    spec_check_elig: bool
    spec_check_cred: bool
    piggyback: bool
    priority: int
    classes: int
    nodes: int
    subnets: int


@struct_pointer
class Shape(NamedTuple):
    """What routing functions know of the network: BookSim2's keys, and which function it is."""

    function: int
    k: int
    n: int
    c: int
    side: int  # nodes of a router in a row: xr
    columns: int  # routers in a row: x
    nodes: int
    first_vc: np.ndarray  # int64 [5]: VCs of each type of packet
    last_vc: np.ndarray  # int64 [5]
    table: np.ndarray  # int16 [R, N]: output to each node, on networks of a file


@struct_pointer
class Routers(NamedTuple):
    """All routers, channels and nodes."""

    k: Parameters
    shape: Shape
    random: Words
    clock: np.ndarray  # int64 [4]: cycle, packets delivered, flits sent between routers, free packets
    fraction: np.ndarray  # float64 [1]: of an internal step that is left
    ports: np.ndarray  # int64 [S·R]: inputs, and as many outputs, of each router
    number: np.ndarray  # int64 [R]: by which routing functions know a router
    # channels
    sink: np.ndarray  # int64 [channels]: place of the input that it leads to; NONE: a node, or no channel
    source: np.ndarray  # int64 [places]: channel that leads to an input; NONE: none
    ejection: np.ndarray  # int64 [S·N]: channel to each node
    latency: np.ndarray  # int64 [channels]
    flits: np.ndarray  # int64 [slots, channels]: on their way, or NONE
    credits: np.ndarray  # int32 [slots, channels, input_speedup]: VC + 1, or 0
    output_vc: Records  # OUTPUT_VC [channels·V]
    used: np.ndarray  # int64 [channels]: flits sent whose credits have not come back
    # routers
    vc: Records  # INPUT_VC [places·V]
    buffer: np.ndarray  # int64 [places·V, depth]
    routing: Lists
    claiming: Lists
    switching: Lists
    holding: Lists
    claims: Allocator
    switch: Allocator
    turn: np.ndarray  # int64 [R, P·input_speedup]: VC at which an input of the crossbar begins
    turn_of_output: np.ndarray  # int64 [places, classes]: VC at which the claims of "piggyback" begin
    held_in: np.ndarray  # int64 [R, P·input_speedup]: output of the crossbar held by an input, or NONE
    held_out: np.ndarray  # int64 [R, P·output_speedup]
    held_vc: np.ndarray  # int64 [R, P·input_speedup]
    asked: np.ndarray  # int64 [P·input_speedup · P·output_speedup]: scratch: request + 1, or 0
    result: np.ndarray  # int64 [P·V]: scratch
    claimed: np.ndarray  # int64 [P·V]: scratch
    kept: np.ndarray  # int32 [P·V]: scratch
    crossing: np.ndarray  # int64 [R, C, 3]: in the crossbar: flit, output, cycle in which it leaves, or NONE
    crossing_at: np.ndarray  # int64 [R, 2]: first, count
    waiting: np.ndarray  # int64 [places, B]: flits before each output channel
    waiting_at: np.ndarray  # int64 [places, 2]: first, count
    returning: np.ndarray  # int32 [places, B, input_speedup]: credits before each input's channel: VC + 1, or 0
    returning_at: np.ndarray  # int64 [places, 2]
    # nodes
    queue: Records  # QUEUE [N·classes]: packets waiting at the sources
    replies: Records  # QUEUE [N]: replies to send
    sending: Records  # SENDING [N·classes]
    last_class: np.ndarray  # int64 [S·N]
    last_vc: np.ndarray  # int64 [S·N, classes]: on which a node sent last
    subnet: np.ndarray  # int64 [5]: network of each type of packet; of plain ones: any
    answers: np.ndarray  # bool [classes]: use_read_write
    reply_flits: np.ndarray  # int64 [classes, 5]
    class_priority: np.ndarray  # int64 [classes]
    packet: Records  # PACKET [capacity]
    free: np.ndarray  # int64 [capacity]
    delivered: np.ndarray  # int64 [most, 9]: source, destination, flits, birth, enter, eject, hops, origin, class


CYCLE, DELIVERED, FLIT_HOPS, FREE = range(4)  # in `clock`
