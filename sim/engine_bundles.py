"""Bundles: links of a row of switches on which all flits, or credits, are carried at once (`models.row_pins`).

What the switches of a row send on one side of a port, flits or credits, is a row of numbers; so is what is visible at
pins where it goes. Where links lead to pins of one row, numbers only change places. A side that would take many
bundles, or whose links can be busy, is scattered: its links are seen one after the other. `sim.engine_bundling` finds
them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.by_reference import by_reference
from models.compiled import compiled
from models.row_kind import Row, lane_of, row_of, row_size
from models.row_pins import pins_at, pins_slot
from models.rows import row_gather, row_lanes, row_load, row_store
from models.state import Records, SwitchState

SCATTERED = -1  # in place of the number of bundles
STRAIGHT = -1  # in place of places: numbers stay where they are
CYCLES_SHIFT = 32  # a link in one number: cycles << 32 | pin
PIN = (1 << CYCLES_SHIFT) - 1

SIDE = np.dtype([("first", np.int32), ("count", np.int32)], align=True)  # its bundles lie side by side

BUNDLE = np.dtype(
    [
        ("row", np.int32),  # of what its pins are of
        ("which", np.int32),  # which of that row's pins
        ("cycles", np.int32),
        ("mask", np.int32),  # which of `maps` has all bits at the pins where its links lead
        ("places", np.int32),  # which says where what is seen there comes from, or STRAIGHT
    ],
    align=True,
)


@by_reference
class Bundles(NamedTuple):
    """Where links lead. A row, one of R, of L switches, has 2P sides: of credits by input port, of flits by output."""

    pins: np.ndarray  # int64 [R · 2P · L]: where a flit or a credit is seen, and how long after the flit left
    sides: Records  # SIDE [R · 2P]
    bundles: Records  # BUNDLE
    maps: np.ndarray  # rows [maps · L]


@compiled
def side_of(st: SwitchState, row: int, which: int) -> int:
    """Return the number of a side: `which` is an input port, or P + an output port."""
    return row * 2 * st.k.ports + which


@compiled
def link_of(st: SwitchState, s: int, which: int) -> int:
    """Return the place of a switch's link in `Bundles.pins`."""
    return side_of(st, row_of(st.rows, s), which) * row_size(st.rows) + lane_of(st.rows, s)


@compiled
def carry(st: SwitchState, b: Bundles, side: int, values: Row, cycle: int) -> None:
    """Have what a row sends in `cycle` on a side, which is not scattered, visible where it goes."""
    first = b.sides[side].first
    for n in range(first, first + b.sides[side].count):
        bundle = b.bundles[n]
        moved = values if bundle.places == STRAIGHT else row_gather(values, row_load(b.maps, bundle.places))
        part = moved & row_load(b.maps, bundle.mask)
        if not row_lanes(part):
            continue
        slot = pins_slot(st, cycle + bundle.cycles)
        pins = pins_at(st, slot, bundle.row, bundle.which)
        row_store(st.pins, pins, row_load(st.pins, pins) | part)
        st.pins_due[slot * st.pin_rows + bundle.row] = 1
