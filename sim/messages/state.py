"""State of the message layer: operations, messages, ranks and events.

Slots of operations and messages are reused; free slots form stacks. Lists are linked by slot numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from models.jit.compiled import compiled
from models.jit.struct_pointer import struct_pointer
from sim.config.costs import Costs

Records = Any  # numpy.recarray, whose fields type checkers do not know

SEND, RECV, CALC, PROBE = 1, 2, 3, 4  # kinds of operations, in the order in which those that start together are taken
KIND_NAMES = {SEND: "send", RECV: "receive", CALC: "calculation", PROBE: "probe"}
ANY = -1  # source or tag of a receive
NONE = -1  # ends a list

# Kinds of events.
OPERATION, MESSAGE, REPORT = 0, 1, 2
# On a simulated network also: a message is handed to the network; all of its packets have left the node; have arrived.
HAND_OVER, LEFT, DELIVERED = 3, 4, 5

# States of a message.
EAGER, REQUEST, GRANT, DATA = 0, 1, 2, 3  # part of it in flight: all of it; rendezvous: request, grant, data
WATCHED, AWAITED = 1, 2  # an operation's end is reported; and its rank waits for it

HELD = 8  # it has arrived, but must not be matched before an earlier one of the same pair

OPERATION_RECORD = np.dtype(
    [
        ("serial", np.int64),  # serial number that distinguishes operations of one slot; NONE: free
        ("amount", np.int64),  # bytes, or time; once matched, bytes received
        ("tag", np.int64),
        ("ready", np.int64),  # time at which its last dependency ended
        ("end", np.int64),
        ("match", np.int64),  # handle of the send that a receive was matched with
        ("free", np.int64),  # time at which its CPU is free, as known when its end was found; of a reported operation
        ("rank", np.int32),
        ("peer", np.int32),
        ("needs", np.int32),  # number of operations that it waits for
        ("edges", np.int32),  # list of operations that wait for it
        ("next", np.int32),  # in the list of its rank's receives, or probes
        ("previous", np.int32),
        ("cpu", np.int16),
        ("nic", np.int16),
        ("kind", np.int8),
        ("watched", np.int8),  # whether its end is reported: WATCHED, AWAITED
        ("started", np.int8),
    ],
    align=True,
)

EDGE_RECORD = np.dtype([("to", np.int32), ("next", np.int32), ("on_start", np.int32)], align=True)

MESSAGE_RECORD = np.dtype(
    [
        ("amount", np.int64),  # bytes
        ("tag", np.int64),
        ("sender", np.int64),  # handle of the send
        ("ready", np.int64),  # time at which its receiver has processed it, so that it can be matched
        ("sent", np.int64),  # time at which its send began
        ("left", np.int64),  # bytes of the phase that are not yet in packets
        ("packets", np.int64),  # in flight
        ("source", np.int32),
        ("destination", np.int32),
        ("receiver", np.int32),  # slot of the receive, once matched
        ("next", np.int32),  # in the list of unexpected messages, or the queue of an interface
        ("previous", np.int32),
        ("later", np.int32),  # in the list of its source's messages in flight
        ("earlier", np.int32),
        ("cpu", np.int16),
        ("nic", np.int16),
        ("phase", np.int16),
    ],
    align=True,
)

RANK_RECORD = np.dtype(
    [
        ("end", np.int64),
        ("compute", np.int64),
        ("overhead", np.int64),
        ("finished", np.int64),  # operations
        ("arrived", np.int64),  # messages that it sent and that have arrived, on a simulated network
        ("latency", np.int64),  # sum of their times from the beginning of the send
        ("alive", np.int64),
        ("waiting", np.int64),  # of these, operations that wait for others
        ("low", np.int64),  # least number of live operations; below it, more are read
        ("receives", np.int32),  # list of receives without a message, in the order posted
        ("last_receive", np.int32),
        ("probes", np.int32),
        ("last_probe", np.int32),
        ("unexpected", np.int32),  # list of messages without a receive
        ("last_unexpected", np.int32),
        ("outgoing", np.int32),  # list of messages in flight
        ("last_outgoing", np.int32),
        ("held", np.int32),  # of these, messages that arrived before an earlier one of their pair
        ("missing", np.int64),  # awaited operations still to end before it continues; 0: it continues at each report
        # Operations that it posts in answer to reports.
        ("answer_time", np.int64),  # time of the last report
        ("answer_stamp", np.int64),  # first stamp of operations posted in answer
        ("answer_free", np.int64),  # time at which the CPU is free
        ("answers", np.int64),  # operations posted since then
    ],
    align=True,
)

EVENT_RECORD = np.dtype(
    [("at", np.int64), ("stamp", np.int64), ("slot", np.int32), ("what", np.int32)],
    align=True,
)

REPORT_RECORD = np.dtype(
    [
        ("handle", np.int64),
        ("time", np.int64),
        ("stamp", np.int64),  # stamps of operations posted in answer
        ("free", np.int64),  # time at which the CPU is free, for operations posted in answer
        ("tag", np.int64),
        ("amount", np.int64),
        ("sender", np.int64),
        ("rank", np.int32),
        ("peer", np.int32),
        ("kind", np.int32),
    ],
    align=True,
)

CLOCK_RECORD = np.dtype(
    [
        ("now", np.int64),
        ("stamp", np.int64),
        ("serial", np.int64),
        ("events", np.int64),
        ("free_operations", np.int64),
        ("free_messages", np.int64),
        ("free_edges", np.int64),
        ("freed", np.int64),
        ("hungry", np.int64),
        ("reports", np.int64),
        ("ready", np.int64),  # ranks that reports let continue
        ("messages", np.int64),  # sent so far
        ("bytes", np.int64),
    ],
    align=True,
)

REACTIONS = 1 << 16  # stamps reserved for operations posted in answer to a report
SLOT_BITS = 28  # bits of a handle for the slot; above them is the serial number


@struct_pointer
class Messages(NamedTuple):
    """State of the message layer. R ranks; all arrays but those of ranks grow."""

    k: Costs
    clock: Records  # CLOCK_RECORD [1]
    ranks: Records  # RANK_RECORD [R]
    cpu_free: np.ndarray  # int64 [R, CPUs]
    send_free: np.ndarray  # int64 [R, interfaces]
    receive_free: np.ndarray  # int64 [R, interfaces]
    operations: Records
    free_operations: np.ndarray  # int32, a stack
    edges: Records
    free_edges: np.ndarray
    messages: Records
    free_messages: np.ndarray
    events: Records  # a heap
    freed: np.ndarray  # int32: operations released by this event
    reports: Records  # reports of watched operations that are done


@compiled
def handle_of(x: Messages, slot: int) -> int:
    """Return the handle of the operation in a slot."""
    return int(x.operations[slot].serial) << SLOT_BITS | slot


@compiled
def slot_of(handle: int) -> int:
    """Return the slot of a handle."""
    return handle & ((1 << SLOT_BITS) - 1)


@compiled
def is_alive(x: Messages, handle: int) -> bool:
    """Return whether the operation of a handle is still to be done."""
    return bool(x.operations[slot_of(handle)].serial == handle >> SLOT_BITS)
