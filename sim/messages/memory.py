"""Arrays of the message layer: allocation and growth."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.errors import TsujiError
from models.state.layout import aligned
from sim.config.costs import Costs
from sim.messages.state import (
    CLOCK_RECORD,
    EDGE_RECORD,
    EVENT_RECORD,
    MESSAGE_RECORD,
    NONE,
    OPERATION_RECORD,
    RANK_RECORD,
    REPORT_RECORD,
    SLOT_BITS,
    Messages,
)

LEAST = 1024  # slots that are added together


def new_messages(ranks: int, costs: Costs, cpus: int = 1, nics: int = 1) -> Messages:
    """Return the message layer at time 0, without any operation."""
    rank = aligned((ranks,), RANK_RECORD)
    for name in RANK_RECORD.names or ():
        if name.startswith(("answer_time", "last_", "receives", "probes", "unexpected", "outgoing")):
            rank[name] = NONE
    clock: Any = aligned((1,), CLOCK_RECORD)
    return Messages(
        k=costs,
        clock=clock,
        ranks=rank,
        cpu_free=np.zeros((ranks, cpus), np.int64),
        send_free=np.zeros((ranks, nics), np.int64),
        receive_free=np.zeros((ranks, nics), np.int64),
        operations=aligned((0,), OPERATION_RECORD),
        free_operations=np.zeros(0, np.int32),
        edges=aligned((0,), EDGE_RECORD),
        free_edges=np.zeros(0, np.int32),
        messages=aligned((0,), MESSAGE_RECORD),
        free_messages=np.zeros(0, np.int32),
        events=aligned((0,), EVENT_RECORD),
        freed=np.zeros(0, np.int32),
        reports=aligned((0,), REPORT_RECORD),
    )


def with_room(x: Messages, operations: int = 0, edges: int = 0, messages: int = 0) -> Messages:
    """Return the message layer with room for the given numbers of further records; the same object if there is room."""
    clock = x.clock[0]
    x = _more(x, "operations", "free_operations", operations)
    x = _more(x, "edges", "free_edges", edges)
    x = _more(x, "messages", "free_messages", messages)
    count = len(x.operations) + len(x.messages)
    if len(x.events) < count:
        x = x._replace(
            events=_longer(x.events, count, int(clock.events)),
            freed=np.zeros(len(x.operations), np.int32),
            reports=_longer(x.reports, len(x.operations), int(clock.reports)),
        )
    return x


def _more(x: Messages, name: str, stack: str, wanted: int) -> Messages:
    """Return the message layer with room for more records of a kind, whose free places are on a stack."""
    clock = x.clock[0]
    free, records = int(clock[stack]), getattr(x, name)
    if free >= wanted:
        return x
    size = len(records) + max(wanted - free, len(records), LEAST)
    if size >= 1 << SLOT_BITS:
        raise TsujiError(f"{size} {name} at a time: at most {(1 << SLOT_BITS) - 1} can be kept")
    longer: Any = _longer(records, size, len(records))
    places = np.zeros(size, np.int32)
    added = size - len(records)
    # Places freed last are used first; new places are used after all others.
    places[:added] = np.arange(size - 1, len(records) - 1, -1)
    places[added : added + free] = getattr(x, stack)[:free]
    clock[stack] = added + free
    if name == "operations":
        longer.serial[len(records) :] = NONE
    return x._replace(**{name: longer, stack: places})


def _longer(records: np.ndarray, size: int, used: int) -> np.ndarray:
    """Return an array of `length` records that begins with the used records of another."""
    longer = aligned((size,), records.dtype)
    longer[:used] = records[:used]
    return longer
