"""Ranks on the nodes of a network: arrays of `sim.engine.messages`."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.jit.specialise import Known
from models.state.layout import aligned
from sim.config.costs import Costs
from sim.engine.messages import history_room
from sim.engine.state import NIC_QUEUE, NOBODY, NODE, PASSAGE, POOL, Engine, Ranks
from sim.messages.memory import new_messages
from sim.messages.state import Messages

MOST_PASSAGES = 1 << 16  # passages at chosen switches that are kept before they are read
NO_COSTS = Costs(False, 0, 0, 0, 0, 0, 0, 0, 0, True, True)


def no_ranks() -> Ranks:
    """Return the empty arrays of a network without messages."""
    return new_ranks(new_messages(0, NO_COSTS), np.empty(0, np.int64), 0, 1, True, 1, 1)


def new_ranks(
    x: Messages, node: np.ndarray, nodes: int, interfaces: int, spread: bool, flit_bytes: int, packet_bytes: int
) -> Ranks:
    """Return the arrays of ranks on nodes, without packets or addresses.

    Parameters
    ----------
    x : Messages
        Message layer of the ranks.
    node : array [R]
        Node of each rank.
    nodes, interfaces : int
        Nodes of the network; interfaces per node.
    spread : bool
        Whether messages take interfaces in turn instead of those that operations name.
    flit_bytes, packet_bytes : int
        Payload of a flit; largest payload of a packet.
    """
    queues: Any = aligned((nodes * interfaces,), NIC_QUEUE)
    queues.first = queues.last = NOBODY
    return Ranks(
        x=x,
        node=node,
        interfaces=interfaces,
        spread=spread,
        nodes=aligned((nodes,), NODE),
        queues=queues,
        pool=aligned((1,), POOL),
        free=np.empty(0, np.int64),
        reserve=0,
        part_of=np.empty(0, np.int64),
        flit_bytes=flit_bytes,
        packet_bytes=packet_bytes,
        address=np.zeros(nodes, np.int64),
        group=np.empty(0, np.int64),
        path_first=0,
        path_count=1,
        path_key=np.zeros(nodes, np.uint64),
        path_drawn=np.zeros(nodes, np.uint64),
        watched=np.zeros(0, np.bool_),
        history_begin=0,
        history_end=0,
        passages=aligned((0,), PASSAGE),
    )


def with_history(e: Engine, watched: np.ndarray, begin: int, end: int) -> Engine:
    """Return an engine that records the packets that pass `watched` [S] switches in cycles `begin` to `end` − 1."""
    ranks = e.ranks._replace(watched=watched, history_begin=begin, history_end=end)
    e = e._replace(hooks=Known(e.hooks.values._replace(history=True)), ranks=ranks)
    passages: Any = aligned((MOST_PASSAGES + 2 * history_room(e),), PASSAGE)
    return e._replace(ranks=ranks._replace(passages=passages))
