"""State of many equal switches, as arrays of records: what the registers and memories of the RTL hold.

Index order everywhere: switch, port, VC, then position. A record's field is the register of the same name in
microarchitecture.md, or a "summary": derived from registers, and kept so that a visit costs only what moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from models.jit.struct_pointer import struct_pointer

IDLE, ASK, WAIT, WALK = 0, 1, 2, 3
LRU, PLRU, FIFO = 0, 1, 2
STATIC, LATEST, HISTORY = 0, 1, 2
PREDICTORS = {"static": STATIC, "latest": LATEST, "history": HISTORY}
DETERMINISTIC, ESCAPE, STEP = 0, 1, 2
UNASKED, ASKED, GRANTED = 0, 1, 2
ADAPTIVE = {"escape": ESCAPE, "step": STEP}
NEVER = 1 << 62
NO_PORT = -1
LONG_AGO = -9  # a cycle before all that are simulated, and before the one before

Records = Any  # numpy.recarray, whose fields type checkers do not know

# Fields that every visit uses come last, in the cache lines of what follows the record (`models.state.placement`).
SWITCH = np.dtype(
    [
        ("moves", np.int64),  # how many there were in the cycle allocated, if they are in `sent`
        ("working", np.int64),  # summary: input ports whose route unit has something to do in its next cycle
        ("waiting", np.int64),  # summary: input ports whose miss unit is in ASK or WAIT
        ("cam_tag", np.int64),  # CAM request register, as all named so
        ("table_ready", np.int64),  # first cycle in which the table accepts again
        ("wanted", np.int64),  # low-power idle: outputs that buffered flits wanted in the last cycle allocated
        ("hinted", np.int64),  # low-power idle: hint input of this cycle
        ("requested", np.int64),  # prediction: outputs for which there was a request in cycle `requested_in`
        ("requested_in", np.int64),
        ("awake", np.int64),  # low-power idle: outputs whose link is in ACT
        ("full", np.int64),  # speed-up: outputs whose buffer was full in the last cycle allocated
        ("flush_end", np.int64),  # last cycle in which `flushing` is 1
        ("held", np.int64),  # outputs that are held in the next one, `held_in`
        ("holding", np.int64),  # input ports that hold them
        ("held_in", np.int64),
        ("taken", np.int64),  # outputs held in the cycle allocated, one bit each
        ("takers", np.int64),  # input ports that hold them
        ("asked", np.int64),  # VC stage: outputs of which a head asks for a VC in the cycle allocated
        ("outputs", np.int64),  # outputs that are requested in it; matching: that carry a flit, or whose grant is lost
        ("draining", np.int64),  # input ports that drain a flit in it
        ("choices", np.int32),  # adaptive: how many of `chosen` are to be installed at the end of it
        ("claims", np.int16),  # VC stage: how many of `asking` get a VC in it
        ("cam_port", np.int16),
        ("cam_pointer", np.int16),
        ("cam_full", np.int8),
        ("chosen_anew", np.int8),  # adaptive: 1 if a choice changed in the last cycle allocated
        ("delays", np.int8),  # head delay: 1 if the wait of a head began since that was asked last
        ("opened", np.int8),  # look-ahead: 1 if `open` changed in the last cycle allocated
        ("reserving", np.int8),  # reservation: requests that an exchanger made, or a crossbar granted, in that cycle
        ("crossbar", np.int8),  # hyper-crossbar: dimension of a crossbar, or NO_PORT: an exchanger, or any other switch
    ],
    align=True,
)

INPUT = np.dtype(
    [
        ("pointer", np.int8),  # round-robin arbiter over VCs
        ("holder", np.int8),  # VC that holds an output, if the port is in `holding`
        ("choice", np.int8),  # VC chosen in the cycle allocated, if any
        ("choice_vc", np.int8),  # output VC that it requests
        ("accept", np.int8),  # matching: round-robin arbiter over outputs, the last one the drain port
    ],
    align=True,
)

VC = np.dtype(  # batched: as `show_registers` wrote it last, but for what `models.top` keeps
    [
        ("route", np.int64),  # summary: the front route's word, 0 while it is not ready; adaptive: the one chosen
        ("tag", np.int64),  # bits of the header of the packet now arriving
        ("count", np.int16),
        ("read", np.int16),
        ("tails", np.int16),  # tails in the buffer (static buffering)
        ("front", np.int16),  # route queue
        ("claim", np.int16),
        ("header", np.int8),  # header flits of the packet now arriving
        ("inside", np.int8),  # 1: its header is complete
        ("active", np.int8),
        ("out_vc", np.int8),
        ("claimed", np.int8),  # VC stage: 1: active, and its head has not left
        ("blocked", np.int8),  # 1: the front packet was refused, or waited behind another (static buffering)
    ],
    align=True,
)

OUTPUT = np.dtype(
    [
        ("free", np.int32),  # VCs no packet owns; batched: as `show_registers` wrote it last
        ("credited", np.int32),  # summary: VCs with a credit; not batched
        ("roomy", np.int32),  # summary: VCs with the credits a head needs; not kept where one is enough
        ("vc_pointer", np.int8),
        ("pointer", np.int8),  # round-robin arbiter over input ports
    ],
    align=True,
)

MISS = np.dtype(
    [
        ("phase", np.int8),
        ("stale", np.int8),
        ("walked", np.int8),  # WALK cycles so far, saturating at 2
        ("handed", np.int8),  # a miss waits to be handed over
        ("handed_slot", np.int32),
        ("handed_tag", np.int64),
        ("direct", np.int8),  # no cache: a malformed header wrote its route in this cycle
        ("active_slot", np.int32),
        ("active_tag", np.int64),
        ("pointer", np.int32),
        ("pending", np.int32),  # summary: number of pend bits
        ("examined", np.int32),  # summary: number of exam bits
        ("answer_at", np.int64),  # cycle in which the answer is visible
        ("answer", np.int64),  # route word, drop set when not found
        ("asked_at", np.int64),  # first cycle of the request, for cam_stalls
        ("filling", np.int8),  # a fill was presented in the previous cycle
        ("fill_tag", np.int64),
        ("fill_route", np.int64),
    ],
    align=True,
)

LOOKUP = np.dtype(
    [("valid", np.int8), ("malformed", np.int8), ("slot", np.int32), ("tag", np.int64)],
    align=True,
)

WAY = np.dtype(
    [("tag", np.int64), ("route", np.int64), ("valid", np.int8), ("rank", np.int32)],
    align=True,
)

LPI = np.dtype(
    [
        ("phase", np.int8),
        ("pending", np.int8),
        ("timer", np.int32),
        ("since", np.int64),  # cycle at whose beginning the fields hold
        ("delayed", np.int64),  # for observers: cycles so far in which it was wanted and not active
    ],
    align=True,
)

PREDICTION = np.dtype(
    [
        ("popped_in", np.int64),  # input port: last cycle in which a flit left the buffer
        ("predicted", np.int16),  # predictor: output port, or NO_PORT
        ("predicted_before", np.int16),  # what it was until the end of cycle `predicted_in`
        ("routed", np.int16),  # output of the route that was written in this cycle and is not learned yet, or NO_PORT
        ("predicted_in", np.int64),
        ("context", np.int64),  # history predictor: the last output ports
        ("forwarded_in", np.int64),  # cycle in which a head was last forwarded speculatively
        ("forwarded_vc", np.int16),
        ("forwarded_out", np.int16),
        ("forwarded_at", np.int64),  # cycle in which it is visible on the output link, if it is confirmed
        ("confirmed", np.int8),  # 1: confirmed in the cycle after
        ("connected", np.int32),  # output port: input VC, port << 8 | VC, of the packet on its way through, or NO_PORT
        ("sent_in", np.int64),  # output port: last cycle in which a flit was granted or bypassed
    ],
    align=True,
)

ENTRY = np.dtype([("tag", np.int64), ("route", np.int64), ("found", np.int8)], align=True)

SENT = np.dtype(  # a `Move`
    [
        ("port", np.int16),
        ("vc", np.int16),
        ("out", np.int16),  # NO_PORT: drained
        ("out_vc", np.int16),
        ("head", np.int8),
        ("flit", np.int64),
        ("at", np.int64),  # cycle in which it is visible on the output link
    ],
    align=True,
)


TABLES = ("radix", "coordinate_bits", "crc_rows")  # arrays of a state that follow from the parameters


def delay_slots(head_delay: int) -> int:
    """Return the slots of a timing wheel of delayed heads: a power of two, more than the cycles a head can wait."""
    return 1 << (head_delay + 1).bit_length()


class Move(NamedTuple):
    """A flit that leaves its buffer."""

    port: int
    vc: int
    out: int  # NO_PORT: drained
    out_vc: int
    head: int  # 1: its packet's first
    flit: int
    at: int  # cycle in which it is visible on the output link, if it has one


@struct_pointer
class Constants(NamedTuple):
    """Parameters the compiled functions read."""

    ports: int
    vcs: int
    vc_shift: int  # of sets of input VCs (`models.state.vc_set`)
    vc_words: int
    depth: int
    data_width: int
    header_flits: int
    tag_mask: int
    credit_need: int
    choice_need: int
    static: bool
    hold: bool
    u_turn: bool
    matrix: bool
    batched: bool  # switches are batched (`models.batched.switch`)
    batch_vectors: int  # vectors of sets of VCs of a batch of switches
    batch_counts: int  # of these, vectors of counters
    batch_output_vectors: int  # vectors of sets of outputs
    credit_bits: int  # batched: bits of a number of credits
    pin_shift: int  # batched: bits of a pin's place within its batch of switches
    matching: bool  # SA matches input ports with outputs, switch by switch; else input ports choose a VC
    ports_first: bool
    table: bool
    linear: bool
    cached: bool
    sets: int
    ways: int
    policy: int
    crc_degree: int
    cam_latency: int
    cam_occupancy: int
    table_mask: int
    dimensions: int
    wrap: int  # mask of dimensions
    fixed_classes: bool
    local_ports: int
    local_bits: int
    tie_bits: int
    lpi: bool
    refresh_interval: int
    refresh: int
    predict: bool
    predictor: int
    straight_ports: int
    port_bits: int
    hyper: bool
    hypercube: bool
    fold: int
    adaptive: int
    by_credits: bool
    by_route: bool
    escape_vcs: int
    lookahead: bool
    reserves: bool
    head_delay: int
    delay_slots: int  # of the timing wheel of delayed heads
    vc_stage: bool
    vc_input_first: bool
    claims_full: bool
    speculates: bool
    behind: bool
    stage_delay: int
    speedup: int
    output_flits: int
    node_ports: int
    first_local: int


@struct_pointer
class SwitchState(NamedTuple):
    """All switches; tables and caches are empty when not built.

    Shapes: S switches, P ports, V VCs, W words of a set of input VCs (`models.state.vc_set`), D = depth.
    """

    k: Constants
    switch: Records  # SWITCH [S]
    input: Records  # INPUT [S, P]
    vc: Records  # VC [S, P, V]
    output: Records  # OUTPUT [S, P]
    filled: np.ndarray  # int64 [S, W]: summary: input VCs with a buffered flit; not batched
    requests: np.ndarray  # int64 [S, P]: no matching: input ports that request an output, until it is granted
    credits: np.ndarray  # int16 [S, P, V]; not batched
    flits: np.ndarray  # int32 [S, P, V, D]: payload handle << 1 | tail; batched: kept by `models.top`
    routes: np.ndarray  # int64 [S, P, V, D]: route words behind the front one; adaptive: of all packets; not batched
    heads: np.ndarray  # int64 [S, W]: VC stage: summary: input VCs whose routed head owns no VC; not batched
    blocked_heads: np.ndarray  # int64 [S, P, W]: batched: input VCs whose head is blocked on an output
    vc_by_priority: np.ndarray  # int16 [S, P, V]: VC stage: input VC at which the arbiter of an output VC begins
    vc_after: np.ndarray  # int16 [S, P, V]: VC stage: output << 8 | VC after that an input VC took last
    asking: np.ndarray  # int64 [P·V]: VC stage: scratch: requests (`models.state.request_word`)
    vc_offers: np.ndarray  # int64 [P·V]: VC stage: scratch: VCs offered to one of `asking`
    vcs_offered: np.ndarray  # int64 [P]: VC stage: scratch: VCs of an output that are offered to anyone
    speculating: np.ndarray  # int64 [1, W]: speculation: scratch: input VCs whose head asks for the crossbar, too
    delayed: np.ndarray  # int64 [S, W]: head delay: input VCs whose head may not ask yet
    delay_ends: np.ndarray  # int64 [S, delay slots, W]: head delay: timing wheel of those whose delay ends
    input_rows: np.ndarray  # int64 [S, P, V]: matrix arbiter over VCs
    output_rows: np.ndarray  # int64 [S, P, P]: matrix arbiter over input ports
    accept_rows: np.ndarray  # int64 [S, P, P + 1]: matching: matrix arbiter over outputs, the last one the drain port
    owners: np.ndarray  # int64 [S, P + 1, W]: matching: summary: input VCs that own a VC behind an output; the last,
    # one, scratch: those with a flit to be drained
    ready: np.ndarray  # int64 [W]: matching: scratch: input VCs that request the output of which they own a VC
    asks: np.ndarray  # int64 [P + 1, W]: matching, no VC stage: scratch: requests of those that own none
    speculative_requests: np.ndarray  # int64 [P + 1, W]: scratch: speculative requests
    contending: np.ndarray  # int64 [1, W]: matching: scratch: the requests among which an output chooses
    batch_count: int  # batches of switches
    batch_vcs: np.ndarray  # uint8 or uint16 [64 · n]: vectors of sets of VCs, and counters (`models.batched.vc_sets`)
    batch_outputs: np.ndarray  # vectors of sets of outputs (`models.batched.output_sets`)
    batch_scratch: np.ndarray  # as `batch_vcs` [4P]: flits that leave a batch in a cycle (`models.batched.crossbar`)
    batch_grants: np.ndarray  # as `batch_outputs` [2P]
    batch_seen: np.ndarray  # int64 [5]: batched: end of each list (`models.batched.lane_lists`)
    batch_seen_lanes: np.ndarray  # uint8 [5 · 64P]: lanes of its entries
    batch_seen_ports: np.ndarray  # uint8 [5 · 64P]: ports of its entries
    batch_changes: np.ndarray  # as `batch_vcs` [2]: scratch: VCs whose credit state changed
    batch_visits: np.ndarray  # int64 [batches]: visits since counters were flushed (`models.batched.counters`)
    batch_totals: np.ndarray  # int64 [64 · batches · batch_counts]: totals of the counters
    batch_packets: np.ndarray  # int32 [S, P, V, D]: batched: numbers of packets in the route queue (`accept_head`)
    batch_routes: np.ndarray  # int32 [S, P, V, D]: batched: their route words, without choices
    pins: np.ndarray  # batched: timing wheel of flits and credits at pins (`models.batched.link`)
    pin_slots: int  # slots of the wheel, a power of two
    pin_batches: int  # batches of a slot: those of `batch_due`, and of pins other than switches'
    pins_due: np.ndarray  # uint8 [slots · pin_batches]: 1: anything is visible at the pins of a batch
    pins_due_words: np.ndarray  # int64: the same memory
    batch_heads: np.ndarray  # int64 [slots, S·P·V + 1]: batched: timing wheel of requests of heads
    batch_heads_end: np.ndarray  # int64 [slots]: number of requests in each slot
    batch_asking: np.ndarray  # int64 [S·P·V]: scratch: requests of this cycle, for VCs that are free
    batch_chain: np.ndarray  # int64 [S·P·V]: scratch: index of the request before for the same output
    batch_asked: np.ndarray  # int64 [S, P]: scratch: cycle << 24 | index of the last request for an output
    batch_due: np.ndarray  # uint8 [batches, and up to 7 more]: 1: a batch of switches is to be visited
    batch_due_words: np.ndarray  # int64: the same memory
    holder: np.ndarray  # int16 [S, P, V]: batched: input VC (`models.state.vc_set`) that owns an output VC
    grants: np.ndarray  # int64 [P]: scratch of a matching: mask of outputs granted to an input port
    lookup: Records  # LOOKUP [S, P, 2], by cycle parity
    miss: Records  # MISS [S, P]
    slot: np.ndarray  # int8 [S, P, V·D]: bit 0 pend, bit 1 exam
    slot_tag: np.ndarray  # int64 [S, P, V·D]
    cache: Records  # WAY [S, P, sets, ways]
    table: Records  # ENTRY [S, entries]
    position: np.ndarray  # int64 [S, dimensions]
    radix: np.ndarray  # int64 [dimensions]; never changes, as the other `TABLES`
    coordinate_bits: np.ndarray  # int64 [dimensions]
    destination: np.ndarray  # int64 [dimensions]: scratch of the route unit
    crc_rows: np.ndarray  # int64 [tag_width]
    link_power: Records  # LPI [S, P]
    lpi_default: np.ndarray  # int64 [3]: T_lt, T_ls, T_lw after reset
    lpi_time: np.ndarray  # int64 [S, 3]: T_lt, T_ls, T_lw
    prediction: Records  # PREDICTION [S, P]
    history: np.ndarray  # int16 [S, P, contexts]: history predictor
    departed: np.ndarray  # int64 [S, P]: speed-up: cycle in which an output link got, or gets, its latest flit
    departing: np.ndarray  # int64 [S, link_lead, P, 4]: flits on their way to output links, by cycle (models/top.py)
    targets: np.ndarray  # int64 [S, P, V, D]: tags of the route queue's packets, for look-ahead
    ahead: np.ndarray  # int64 [S, dimensions, V]: look-ahead input of an exchanger, a bit for each output ahead
    open: np.ndarray  # int64 [S, V]: look-ahead output of a crossbar, a bit for each output
    reservation: np.ndarray  # int8 [S, P, V]: of an exchanger: UNASKED, ASKED or GRANTED, of the head of an input VC
    reserved: np.ndarray  # int64 [S, V]: of a crossbar: outputs that are reserved, one bit each
    reserve_pointer: np.ndarray  # int64 [S, P]: where the arbiter of an output begins: at an input VC, or at an input
    reserve_requests: np.ndarray  # int64 [S, P]: words that an exchanger sends, and a crossbar gets, at each port
    reserve_answers: np.ndarray  # int64 [S, P]: words that a crossbar sends, and an exchanger gets
    counters: np.ndarray  # int64 [S, P, COUNTERS]
    sent: Records  # SENT [P]: the moves of the last `allocate`, or that of a bypass
    chosen: np.ndarray  # int64 [P·V]: scratch of adaptive routing, port << 8 | VC
    choosing: np.ndarray  # int64 [S, P, V]: adaptive: what is chosen in this cycle, until it is installed; else 0
