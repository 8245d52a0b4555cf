"""Placement: which registers of a switch are adjacent in memory (`models.state.layout`): those used together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto

import numpy as np

from models.state.layout import Place, blocks


class Area(Enum):
    """A part of a block. The registers of an area are adjacent, in the order in which components declare them."""

    SETS = auto()  # what every visit of a switch begins with
    OUTPUTS = auto()  # of output ports
    INPUTS = auto()  # of input ports
    BESIDE_SWITCH = auto()  # the caller's, next to the registers of a switch
    POSITION = auto()  # where a switch stands in its network
    REQUESTS = auto()  # batched: of the outputs that heads request in a cycle
    BESIDE_PORT = auto()  # the caller's, next to the registers of a port
    HEADS = auto()  # batched: of heads that wait, and of owners
    VC_STAGE = auto()  # arbiters of the VC stage
    COUNTERS = auto()
    BUFFERS = auto()  # of input VCs
    QUEUES = auto()  # batched: route queues of input VCs
    REST = auto()  # what few switches have, or few visits use


Block = tuple[tuple[Area, ...], tuple[Area, ...], tuple[Area, ...]]  # areas of a switch, of each port, of each VC

REST: Block = (Area.REST,), (), ()
# In the order in which a visit uses them; the first block has those that are used in most visits. Of batches these are
# few, as most registers are vectors (`models.batched.vectors`).
ONE_BY_ONE: tuple[Block, Block, Block] = (
    (
        (Area.SETS, Area.OUTPUTS, Area.INPUTS, Area.BESIDE_SWITCH, Area.POSITION, Area.VC_STAGE),
        (Area.BESIDE_PORT, Area.COUNTERS),
        (Area.BUFFERS,),
    ),
    ((), (), ()),
    REST,
)
BATCHED: tuple[Block, Block, Block] = (
    ((Area.POSITION,), (Area.REQUESTS, Area.BESIDE_PORT, Area.HEADS, Area.VC_STAGE), (Area.QUEUES,)),
    ((Area.SETS, Area.BESIDE_SWITCH), (Area.OUTPUTS, Area.INPUTS, Area.COUNTERS), (Area.BUFFERS,)),
    REST,
)

Indexed = tuple[int, Place]  # how many indices an array begins with, of switch, port and VC; and the rest of it


def place(
    counts: tuple[int, int, int], wanted: Mapping[Area, Sequence[Indexed]], batched: bool
) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
    """Return the arrays of the blocks, all 0, by name, and the memory of each block, int64 [switches, words].

    Parameters
    ----------
    counts : tuple of int
        Switches, ports of each, VCs of a port.
    wanted : dict of sequence
        The arrays of each area, in the order of memory.
    batched : bool
        Whether switches are batched.
    """
    arrays: dict[str, np.ndarray] = {}
    memory = []
    for block in BATCHED if batched else ONE_BY_ONE:
        levels = tuple(
            [_within(counts, level, each) for area in areas for each in wanted.get(area, ())]
            for level, areas in enumerate(block)
        )
        found, words = blocks(counts, levels)
        arrays |= found
        memory.append(words)
    return arrays, memory


def _within(counts: tuple[int, int, int], level: int, array: Indexed) -> Place:
    """Return the place of an array in a block at the level of switches (0), ports (1) or VCs (2)."""
    indices, found = array
    return found._replace(shape=(*counts[level + 1 : indices], *found.shape))
