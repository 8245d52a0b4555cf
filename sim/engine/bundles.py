"""Bundles: links of a batch of switches on which all flits and credits are carried at once (`models.batched.link`).

What the switches of a batch send at a port, flits or credits, is a vector; so is what is visible at pins where it
goes. Where links lead to pins of one batch, numbers only change places, and those of both directions in the same way. A
port that would take many bundles, or whose links can be busy, is scattered: its links are seen one after the other.
`sim.engine.bundle_search` finds them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.batched.link import pins_at, pins_slot
from models.jit.compiled import compiled
from models.jit.simd import movemask, permute, simd_load, simd_store
from models.jit.simd_type import LANES, Vector, batch_of, lane_of
from models.jit.struct_pointer import by_reference
from models.state.registers import Records, SwitchState

IRREGULAR = -1  # in place of the number of bundles
IDENTITY = -1  # in place of places: numbers stay where they are
CYCLES_SHIFT = 32  # a link in one number: cycles << 32 | pin
PIN = (1 << CYCLES_SHIFT) - 1

NONE = -1  # in place of pins

PORT = np.dtype([("first", np.int32), ("count", np.int32)], align=True)  # its bundles lie side by side

BUNDLE = np.dtype(
    [
        ("batch", np.int32),  # of what its pins are of
        ("mask", np.int32),  # which of `maps` has all bits at the pins where its links lead
        ("places", np.int32),  # which says where what is seen there comes from, or IDENTITY
        ("flits", np.int32),  # which of that batch's pins are those of flits, or NONE
        ("flit_cycles", np.int32),  # when they are seen
        ("credits", np.int32),
        ("credit_cycles", np.int32),
    ],
    align=True,
)


@by_reference
class Bundles(NamedTuple):
    """Where links lead. A batch, one of R, is L switches of P ports, each of two sides: its credits, and its flits."""

    pins: np.ndarray  # int64 [R · 2P · L]: where a flit or a credit is seen, and how long after the flit left
    ports: Records  # PORT [R · P]
    bundles: Records  # BUNDLE
    maps: np.ndarray  # batches [maps · L]
    nodes: np.ndarray  # vectors of sets of outputs [R · L]: those that lead to nodes


@compiled
def link_of(st: SwitchState, s: int, which: int) -> int:
    """Return the place of a switch's link in `Bundles.pins`: `which` is an input port, or P + an output port."""
    return (batch_of(s) * 2 * st.k.ports + which) * LANES + lane_of(s)


@compiled
def carry(st: SwitchState, b: Bundles, port: int, credits: Vector, flits: Vector, vcs: Vector, cycle: int) -> None:
    """Have what a batch sends in `cycle` at a port, one that is not scattered, visible where it goes.

    Where flits go to nodes, which take them at once, their VCs are seen as credits.
    """
    first = b.ports[port].first
    for n in range(first, first + b.ports[port].count):
        bundle = b.bundles[n]
        if bundle.flits != NONE:
            seen = flits if bundle.flits < st.k.ports else vcs
            _put(st, bundle.batch, bundle.flits, cycle + bundle.flit_cycles, _there(b, bundle, seen))
        if bundle.credits != NONE:
            _put(st, bundle.batch, bundle.credits, cycle + bundle.credit_cycles, _there(b, bundle, credits))


@compiled
def _there(b: Bundles, bundle: Records, values: Vector) -> Vector:
    """Return what a bundle carries of values, where it is seen."""
    moved = values if bundle.places == IDENTITY else permute(values, simd_load(b.maps, bundle.places))
    return moved & simd_load(b.maps, bundle.mask)


@compiled
def _put(st: SwitchState, batch: int, which: int, cycle: int, values: Vector) -> None:
    """Have values visible at pins of a batch in `cycle`."""
    if movemask(values):
        slot = pins_slot(st, cycle)
        pins = pins_at(st, slot, batch, which)
        simd_store(st.pins, pins, simd_load(st.pins, pins) | values)
        st.pins_due[slot * st.pin_batches + batch] = 1
